"use strict";
// Plays games of Cubus back. Each element of class "cubus-game" has its own in JSON, with steps
// [event, turn, said, heights, corner, open, changed, points, won, hands]; heights are rows from
// the back. What is seen depends on the step alone, and on the pile before it.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const UNIT = 40, HALF = Math.sqrt(3) / 2, RIM = 0.12, DEEP = 0.35, SLOW = 1000, MARGIN = 10;
  const KEYS = {
    ArrowLeft: "back", ArrowRight: "forth", Home: "first", End: "last", " ": "play",
  };

  const drawn = (tag, attributes, ...content) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...content);
    return element;
  };
  const onPaper = ([x, y, z]) => [UNIT * (y - x) * HALF, UNIT * ((x + y) / 2 - z)];
  const polygon = (corners, look) => drawn("polygon", {
    class: look,
    points: corners.map((corner) => onPaper(corner).map((n) => n.toFixed(1)).join(",")).join(" "),
  });

  // The cards that are seen, from back to front: type, place in the picture, corners.
  const faces = ([, , , rows, [left, back], open]) => {
    const heights = new Map();
    rows.forEach((row, b) => row.forEach((height, a) => {
      if (height) heights.set(`${left + a},${back + b}`, [left + a, back + b, height]);
    }));
    const high = (x, y) => heights.get(`${x},${y}`)?.[2] ?? 0;
    const lying = new Set(open.map(([x, y]) => `${x},${y}`));
    const found = [];
    for (const [x, y, height] of [...heights.values()].sort((a, b) => a[0] + a[1] - b[0] - b[1])) {
      for (let z = high(x + 1, y); z < height; z += 1) {
        found.push({ card: "L", place: `L${y - x},${z - y}`, corners:
          [[x + 1, y, z], [x + 1, y, z + 1], [x + 1, y + 1, z + 1], [x + 1, y + 1, z]] });
      }
      for (let z = high(x, y + 1); z < height; z += 1) {
        found.push({ card: "R", place: `R${y - x},${z - y}`, corners:
          [[x, y + 1, z], [x + 1, y + 1, z], [x + 1, y + 1, z + 1], [x, y + 1, z + 1]] });
      }
      found.push({ card: lying.has(`${x},${y}`) ? "O" : "T", place: `T${y - x},${height - 1 - y}`, corners:
        [[x, y, height], [x, y + 1, height], [x + 1, y + 1, height], [x + 1, y, height]] });
    }
    return found;
  };
  const opening = ([[x, y, z]]) => {
    const [near, far] = [1 - RIM, RIM], deep = z - DEEP, corner = [x + far, y + far, deep];
    return [
      polygon([[x + far, y + far, z], [x + far, y + near, z], [x + near, y + near, z], [x + near, y + far, z]], "hole"),
      polygon([[x + far, y + far, z], [x + near, y + far, z], [x + near - DEEP, y + far, deep], corner], "wall"),
      polygon([[x + far, y + far, z], [x + far, y + near, z], [x + far, y + near - DEEP, deep], corner], "side"),
    ];
  };

  class Replay {
    constructor(region) {
      this.region = region;
      const data = JSON.parse(region.querySelector("script").textContent);
      this.names = data.names;
      this.steps = data.steps;
      this.pile = region.querySelector(".pile");
      this.slider = region.querySelector("input");
      this.slider.max = this.steps.length - 1;
      this.frame = this.bounds();
      this.timer = null;
      for (const part of region.querySelectorAll("[hidden]")) part.hidden = false;
      this.listen();
      this.go(region.closest(".midway") ? Math.floor(this.steps.length / 2) : 0);
    }

    // One frame for all steps, so that the picture keeps its size.
    bounds() {
      const spots = this.steps.flatMap((step) => faces(step).flatMap(({ corners }) => corners.map(onPaper)));
      const across = spots.map(([x]) => x), down = spots.map(([, y]) => y);
      const left = Math.min(...across) - MARGIN, top = Math.min(...down) - MARGIN;
      const width = Math.max(...across) + MARGIN - left, height = Math.max(...down) + MARGIN - top;
      return { viewBox: [left, top, width, height].map((n) => n.toFixed(1)).join(" "),
        width: width.toFixed(0), height: height.toFixed(0) };
    }

    draw(place) {
      const now = faces(this.steps[place]);
      const group = drawn("g", { class: "cubus" });
      for (const { card, corners } of now) {
        group.append(polygon(corners, card));
        if (card === "O") group.append(...opening(corners));
      }
      if (place && this.steps[place][6]) {
        const old = new Map(faces(this.steps[place - 1]).map(({ place: at, card }) => [at, card]));
        const laid = now.filter(({ place: at, card }) => old.get(at) !== card);
        for (const look of ["under", "new"]) group.append(...laid.map(({ corners }) => polygon(corners, look)));
      }
      const title = drawn("title", {}, `The pile after step ${place}`);
      this.pile.replaceChildren(drawn("svg", { ...this.frame, role: "img" }, title, group));
    }

    go(place) {
      this.place = Math.max(0, Math.min(this.steps.length - 1, place));
      const [, turn, said, , , , , points, won, hands] = this.steps[this.place];
      this.draw(this.place);
      this.region.querySelector(".said").textContent = said;
      this.region.querySelectorAll(".standings li").forEach((line, seat) => {
        const cards = won[seat] ? `, ${won[seat]} cards won` : "";
        const hand = hands[seat] ? `, hand ${hands[seat]}` : "";
        line.textContent = `${this.names[seat]}: ${points[seat]} points${cards}${hand}`;
        if (turn && (turn - 1) % this.names.length === seat) line.setAttribute("aria-current", "true");
        else line.removeAttribute("aria-current");
      });
      this.slider.value = this.place;
      this.slider.setAttribute("aria-valuetext", said);
      this.region.querySelector(".place").textContent = `${this.place} of ${this.steps.length - 1}`;
      const atStart = this.place === 0, atEnd = this.place === this.steps.length - 1;
      const off = { first: atStart, back: atStart, forth: atEnd, last: atEnd };
      for (const [does, isOff] of Object.entries(off)) {
        this.region.querySelector(`[data-does=${does}]`).setAttribute("aria-disabled", isOff);
      }
      if (atEnd) this.pause();
    }

    pause() {
      clearInterval(this.timer);
      this.timer = null;
      this.region.querySelector(".said").setAttribute("aria-live", "polite");
      this.label();
    }

    play() {
      if (this.place === this.steps.length - 1) this.go(0);
      const pace = Number(this.region.querySelector("select").value);
      this.region.querySelector(".said").setAttribute("aria-live", pace < SLOW ? "off" : "polite");
      clearInterval(this.timer);
      this.timer = setInterval(() => this.go(this.place + 1), pace);
      this.label();
    }

    label() {
      const button = this.region.querySelector(".play");
      button.dataset.plays = this.timer !== null;
      button.title = this.timer === null ? "Play" : "Pause";
      button.setAttribute("aria-label", button.title);
    }

    listen() {
      const does = this.does = {
        first: () => this.go(0), back: () => this.go(this.place - 1),
        play: () => (this.timer === null ? this.play() : this.pause()),
        forth: () => this.go(this.place + 1), last: () => this.go(this.steps.length - 1),
      };
      for (const button of this.region.querySelectorAll("[data-does]")) {
        button.addEventListener("click", () => does[button.dataset.does]());
      }
      this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
      this.region.querySelector("select").addEventListener("change", () => {
        if (this.timer !== null) this.play();
      });
    }

    // The slider and the speeds go by their own keys, and Space presses the button that has the focus.
    press(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("input, select")) return;
      if (event.key === " " && event.target.closest("button, summary")) return;
      const does = this.does[KEYS[event.key]];
      if (!does) return;
      event.preventDefault();
      does();
    }
  }

  const regions = document.querySelectorAll(".cubus-game");
  const alone = regions.length === 1;
  for (const region of regions) {
    const replay = new Replay(region);
    (alone ? document : region).addEventListener("keydown", (event) => replay.press(event));
    region.querySelector(".keys").textContent =
      `Keys${alone ? "" : " (after a click into this game)"}: ← and → go a step, Space plays and`
      + " pauses, Home and End go to the ends.";
  }
})();
