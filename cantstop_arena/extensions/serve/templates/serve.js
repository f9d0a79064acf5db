"use strict";
// Everything works without this script. With it an answer is one request, what others did is shown
// step by step, keys answer, and the standings of a run are drawn again as they come.
(() => {
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  if (["light", "dark"].includes(stored())) root.dataset.theme = stored();
  root.classList.add("scripted");

  const addTheme = () => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const button = Object.assign(document.createElement("button"), { type: "button", className: "theme" });
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
    const label = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* not kept */ }
      label();
    });
    dark.addEventListener("change", label);
    label();
    document.querySelector(".contents").append(button);
  };

  const parsed = (html) => [...new DOMParser().parseFromString(html, "text/html").body.childNodes];

  const playing = (game, status) => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    let busy = false;
    let pointed = null; // the option of the column that was clicked on last
    let skip = () => {};
    const pause = () => new Promise((done) => {
      const timer = setTimeout(done, calm.matches ? 0 : 650);
      skip = () => { clearTimeout(timer); done(); };
    });

    // What others did, on the board that is there, before the new one takes its place.
    const show = async (steps) => {
      for (const step of steps) {
        dispatchEvent(new CustomEvent("arena:step", { detail: { game, step } }));
        game.querySelector("h1").textContent = step.said;
        await pause();
      }
    };

    const send = async (form, button) => {
      if (busy) return;
      busy = true;
      const body = new URLSearchParams(new FormData(form));
      if (button?.name) body.set(button.name, button.value);
      game.setAttribute("aria-busy", "true");
      try {
        const answer = await fetch(form.action, { method: "POST", body, headers: { "X-Fragment": "1" } });
        const fresh = parsed(await answer.text());
        const part = fresh.find((node) => node.dataset?.steps);
        if (!part) throw new Error(fresh.map((node) => node.textContent).join(" ").trim());
        const steps = JSON.parse(part.dataset.steps);
        if (answer.ok) await show(steps.slice(0, -1));
        game.replaceChildren(...fresh);
        const heading = game.querySelector("h1");
        status.textContent = [...steps.map((step) => step.said), heading.textContent].join(". ");
        (game.querySelector("form button[name=answer], form input:not([type=hidden])")
          ?? game.querySelector(".over a") ?? heading).focus({ preventScroll: true });
      } catch (error) {
        status.className = "flag";
        status.textContent = `${error.message || "The server does not answer."} Load the page again.`;
      }
      game.removeAttribute("aria-busy");
      busy = false;
    };

    game.addEventListener("submit", (event) => {
      if (event.target.action.endsWith("/again")) return;
      event.preventDefault();
      send(event.target, event.submitter);
    });
    addEventListener("keydown", () => { if (busy) skip(); });

    // On the board: a click on a column points at its option, another one takes it.
    game.addEventListener("click", (event) => {
      const column = event.target.closest?.("[data-column]")?.dataset.column;
      if (!column) return;
      const option = game.querySelector(`button[data-columns~="${CSS.escape(column)}"]`);
      if (option && option === pointed) option.click();
      else option?.focus({ preventScroll: true });
      pointed = option;
    });
  };

  const listening = (live, status) => {
    let source = null;
    const over = () => {
      source.close();
      source = null;
      status.textContent = "The run is over.";
      document.querySelectorAll("[data-while-live]").forEach((form) => form.remove());
      removeEventListener("visibilitychange", look);
    };
    const listen = () => {
      if (source) return;
      source = new EventSource(live.dataset.events);
      source.onmessage = (event) => live.replaceChildren(...parsed(event.data));
      source.addEventListener("end", over);
    };
    // A browser holds six connections to a server: a page that nobody sees gives its one back.
    const look = () => {
      if (!document.hidden) listen();
      else if (source) { source.close(); source = null; }
    };
    document.addEventListener("visibilitychange", look);
    look();
  };

  addEventListener("DOMContentLoaded", () => {
    const status = document.getElementById("status");
    addTheme();
    const game = document.getElementById("game");
    if (game) playing(game, status);
    const live = document.querySelector("[data-events]");
    if (live) listening(live, status);
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
      const target = document.querySelector(`main [data-key="${CSS.escape(event.key)}"]`);
      if (!target) return;
      event.preventDefault();
      target.click();
    });
  });
})();
