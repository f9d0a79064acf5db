"use strict";
// Plays games back. Each element of class "game" has its own in JSON, with these steps:
// [event, turn, seat, standing, runners, said], and for a roll also
// [..., rolls, busts, dice, moves, chosen]. What is said of a turn lacks its beginning (`told`). Columns and spaces stand by turns in one list.
// What is seen depends on the step alone: going back shows just what was there before.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const PIPS = ["", "4", "08", "048", "0268", "02468", "023568", "0234568", "01235678"];
  const LETTERS = "ABCD";
  const SLOW = 1000; // milliseconds; what goes faster is not read out
  const SPLITS = [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]];
  const replays = [];

  const made = (tag, look, ...content) => {
    const element = document.createElement(tag);
    if (look) element.className = look;
    element.append(...content);
    return element;
  };
  const told = ([event, turn, seat, , , said, , , dice]) => {
    if (event === "game" || event === "end") return said;
    const rolls = event === "roll" ? `rolls ${dice.join("-")}, ` : "";
    return `Turn ${turn}: ${LETTERS[seat]} ${rolls}${said}`;
  };
  const drawn = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const show = (element, attributes) => {
    for (const name of ["display", "transform"]) {
      if (name in attributes) element.setAttribute(name, attributes[name]);
      else element.removeAttribute(name);
    }
  };
  const pairs = (flat) => {
    const found = [];
    for (let place = 0; place < flat.length; place += 2) found.push([flat[place], flat[place + 1]]);
    return found;
  };
  const die = (number) => {
    const face = drawn("svg", { viewBox: "0 0 30 30", class: "die", "aria-hidden": "true" });
    face.append(drawn("rect", { x: 1, y: 1, width: 28, height: 28, rx: 6 }));
    for (const pip of PIPS[number]) {
      face.append(drawn("circle", { cx: 7 + 8 * (pip % 3), cy: 7 + 8 * Math.floor(pip / 3), r: 2.9 }));
    }
    return face;
  };

  class Replay {
    constructor(region) {
      this.region = region;
      this.game = JSON.parse(this.find("script").textContent);
      this.steps = this.game.steps;
      this.ends = this.steps.flatMap((step, place) =>
        place + 1 < this.steps.length && this.steps[place + 1][1] === step[1] ? [] : [place]);
      this.turnOf = [];
      this.ends.forEach((end, turn) => {
        while (this.turnOf.length <= end) this.turnOf.push(turn);
      });
      this.markers = region.querySelectorAll(".markers use");
      this.runners = region.querySelectorAll(".runners use");
      this.claims = region.querySelectorAll(".claims rect");
      this.trails = region.querySelectorAll(".trails rect");
      this.slider = this.find("input");
      this.slider.max = this.ends.length - 1;
      this.timer = null;
      for (const part of region.querySelectorAll("[hidden]")) part.hidden = false;
      this.drawHistory();
      this.listen();
      this.go(region.closest(".midway") ? this.middle() : 0);
    }

    // The last roll of the turn in the middle of the game: runners are on the board then.
    middle() {
      return this.lastRoll(this.ends[Math.floor(this.ends.length / 2)]);
    }

    // A bar for every turn: up for the spaces won, down for those lost by a bust.
    drawHistory() {
      const turns = this.ends.slice(1).map((end) => this.gain(end));
      const most = Math.max(1, ...turns.map(({ spaces }) => spaces));
      const paths = {};
      turns.forEach(({ look, spaces }, place) => {
        const height = ((look.endsWith("lost") ? 1 : -1) * 12 * spaces) / most;
        paths[look] = `${paths[look] ?? ""}M${place + 0.7} 13h.6v${height.toFixed(2)}h-.6z`;
      });
      const history = this.find(".history");
      history.setAttribute("viewBox", `0 0 ${Math.max(1, turns.length)} 26`);
      for (const [look, d] of Object.entries(paths)) history.append(drawn("path", { class: look, d }));
    }

    // The spaces that runners had gained in the turn that ends with this step, won or lost.
    gain(end) {
      const place = this.lastRoll(end);
      const [, , seat, standing, runners] = this.steps[place];
      const before = new Map(pairs(this.game.standings[standing][seat]));
      const spaces = pairs(runners).reduce(
        (sum, [column, space]) => sum + space - (before.get(column) ?? 0), 0);
      const won = this.steps.slice(place, end + 1).some(([event]) => event === "stop");
      return { look: `seat-${seat + 1} ${won ? "won" : "lost"}`, spaces };
    }

    find(selector) {
      return this.region.querySelector(selector);
    }

    // Where to go

    listen() {
      const ways = {
        first: () => this.move(0),
        back: () => this.move(this.place - 1),
        forth: () => this.move(this.place + 1),
        last: () => this.move(this.steps.length - 1),
        play: () => (this.timer === null ? this.play() : this.pause()),
      };
      for (const button of this.region.querySelectorAll("button")) {
        button.addEventListener("click", ways[button.dataset.does]);
      }
      this.slider.addEventListener("input", () => this.move(this.ends[Number(this.slider.value)]));
      this.find("select").addEventListener("change", () => {
        if (this.timer !== null) this.play();
      });
      this.keys = {
        ArrowLeft: (event) => (event.shiftKey ? this.turn(-1) : ways.back()),
        ArrowRight: (event) => (event.shiftKey ? this.turn(1) : ways.forth()),
        Home: ways.first,
        End: ways.last,
        " ": ways.play,
      };
    }

    press(event) {
      const key = this.keys[event.key];
      if (!key || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      const other = event.target.closest("input, select, textarea, summary, details");
      if (other && !other.contains(this.region)) return;
      if (event.key === " " && event.target.closest("button, a")) return;
      event.preventDefault();
      key(event);
    }

    // To the end of this turn or the next one, or to that of the turn before.
    turn(way) {
      const turn = this.turnOf[this.place];
      const within = way > 0 && this.place < this.ends[turn];
      this.move(this.ends[Math.max(0, within ? turn : turn + way)] ?? this.steps.length - 1);
    }

    move(place) {
      this.pause();
      this.go(place);
    }

    go(place) {
      this.place = Math.min(Math.max(place, 0), this.steps.length - 1);
      this.render();
    }

    // Playing

    play() {
      for (const replay of replays) replay.pause();
      if (this.place === this.steps.length - 1) this.go(0);
      const pace = Number(this.find("select").value);
      this.find(".said").setAttribute("aria-live", pace < SLOW ? "off" : "polite");
      this.timer = setInterval(() => {
        this.go(this.place + 1);
        if (this.place === this.steps.length - 1) this.pause();
      }, pace);
      this.label();
    }

    pause() {
      if (this.timer === null) return;
      clearInterval(this.timer);
      this.timer = null;
      this.find(".said").setAttribute("aria-live", "polite");
      this.find(".said").textContent = told(this.steps[this.place]);
      this.label();
    }

    label() {
      const plays = this.timer !== null;
      const button = this.find(".play");
      button.dataset.plays = plays;
      button.title = plays ? "Pause" : "Play";
      button.setAttribute("aria-label", button.title);
    }

    // What is seen

    render() {
      const step = this.steps[this.place];
      const claimed = this.claimed(step);
      this.renderBoard(step, claimed);
      this.renderSeats(step, claimed);
      this.renderRoll(step);
      this.renderControls(step);
    }

    // The owner of each column that is claimed.
    claimed([, , , standing]) {
      const owners = new Map();
      this.game.standings[standing].forEach((own, seat) => {
        for (const [column, space] of pairs(own)) {
          if (space === this.game.lengths[column - 2]) owners.set(column, seat);
        }
      });
      return new Map([...owners].sort(([one], [other]) => one - other));
    }

    renderBoard(step, claimed) {
      const [, , seat, standing, runners] = step;
      const { key, names } = this.game;
      const spaces = new Map();
      const stand = (element, column, space) => {
        const name = `${column}/${space}`;
        spaces.set(name, [...(spaces.get(name) ?? []), element]);
      };
      for (const element of [...this.markers, ...this.runners]) show(element, { display: "none" });
      for (const [number, own] of this.game.standings[standing].entries()) {
        for (const [column, space] of pairs(own)) {
          stand(this.markers[(column - 2) * names.length + number], column, space);
        }
      }
      for (const [column, space] of pairs(runners)) stand(this.runners[column - 2], column, space);
      for (const runner of this.runners) runner.setAttribute("href", `#${key}-runner-${seat}`);
      for (const [name, standing] of spaces) this.put(standing, ...name.split("/").map(Number));
      this.claims.forEach((claim, place) => {
        const owner = claimed.get(place + 2);
        claim.setAttribute("fill", `var(--seat-${(owner ?? 0) + 1})`);
        show(claim, owner === undefined ? { display: "none" } : {});
      });
      this.renderTrails(new Map(pairs(runners)), new Map(pairs(this.game.standings[standing][seat])));
      this.find(".trails").setAttribute("fill", `var(--seat-${seat + 1})`);
      this.find("desc").textContent = this.described(step, claimed);
    }

    // What the runners have gained.
    renderTrails(runners, markers) {
      const { ground, up } = this.game.layout;
      this.trails.forEach((trail, place) => {
        const reached = runners.get(place + 2) ?? 0;
        const below = reached ? (markers.get(place + 2) ?? 0) : 0;
        trail.setAttribute("y", ground - up * reached);
        trail.setAttribute("height", up * (reached - below));
      });
    }

    // Everybody on a space, side by side.
    put(standing, column, space) {
      const { left, across, ground, up, radius, small, crowd, shrunk } = this.game.layout;
      const crowded = standing.length >= crowd;
      const half = crowded ? small : radius;
      const first = left + across * (column - 2) - half * (standing.length - 1);
      standing.forEach((element, place) => {
        const spot = `translate(${first + 2 * half * place} ${ground - up * space + up / 2})`;
        show(element, { transform: crowded ? `${spot} scale(${shrunk})` : spot });
      });
    }

    described([, , seat, standing, runners], claimed) {
      const places = (spaces) => spaces.map(([column, space]) =>
        `column ${column} on space ${space} of ${this.game.lengths[column - 2]}`).join(", ");
      const told = this.game.names.map((name, number) => {
        const tops = [...claimed].filter(([, owner]) => owner === number).map(([column]) => column);
        const below = pairs(this.game.standings[standing][number]).filter(
          ([column]) => !tops.includes(column));
        const has = [];
        if (tops.length) has.push(`has claimed ${tops.join(" and ")}`);
        if (below.length) has.push(`has markers in ${places(below)}`);
        return `${name} ${has.join(" and ") || "has no markers"}.`;
      });
      if (runners.length) told.push(`Runners of ${LETTERS[seat]} stand in ${places(pairs(runners))}.`);
      return told.join(" ");
    }

    renderSeats([event, turn, seat], claimed) {
      this.region.querySelectorAll(".seats li").forEach((item, number) => {
        const turns = turn > 0 && event !== "end" && number === seat;
        if (turns) item.setAttribute("aria-current", "true");
        else item.removeAttribute("aria-current");
        const own = [...claimed].filter(([, owner]) => owner === number).map(([column]) => column);
        const told = `has claimed ${own.length} of ${this.game.target}:`;
        const free = Array.from({ length: Math.max(0, this.game.target - own.length) }, () => made("i"));
        item.querySelector(".columns").replaceChildren(
          made("span", "unseen", told), ...own.flatMap((column) => [" ", made("b", "", column)]),
          ...free);
      });
    }

    // The place of the last roll of a turn up to here; of its first step, where it has none.
    lastRoll(place) {
      let at = place;
      while (at > 0 && this.steps[at][0] !== "roll" && this.steps[at - 1][1] === this.steps[place][1]) at -= 1;
      return at;
    }

    // The last roll, which stays in sight when the turn has ended.
    renderRoll([, turn]) {
      const step = this.steps[this.lastRoll(this.place)];
      const [, , seat, , , , rolls, busts, dice = [], moves = [], chosen = -1] = step;
      const rolled = dice.length > 0;
      this.find(".roll").dataset.seat = rolled ? seat + 1 : 0;
      this.find(".when").textContent = rolled ? `Roll ${rolls} of turn ${turn}` : "No roll yet";
      const faces = rolled ? dice : [0, 0, 0, 0];
      this.find(".dice").replaceChildren(...faces.map(die));
      this.find(".dice").setAttribute("aria-label", rolled ? `Dice: ${dice.join(", ")}` : "No dice");
      this.find(".pairings").replaceChildren(...this.pairings(dice, moves, moves[chosen] ?? []));
      const share = rolled ? (100 * busts) / this.game.rolls : 0;
      this.find(".risk").replaceChildren(...(rolled ? this.risk(busts, share) : []));
      this.find(".gauge div").style.width = `${share.toFixed(2)}%`;
    }

    risk(busts, share) {
      const all = this.game.rolls.toLocaleString("en");
      return [
        made("span", "", "Chance of a bust before this roll: "),
        made("strong", "", `${share.toFixed(1)}%`),
        made("span", "of", ` ${busts.toLocaleString("en")} of ${all} rolls`),
      ];
    }

    // Each way to pair the dice, whether it could be taken, and whether it was.
    pairings(dice, moves, taken) {
      const seen = new Set();
      const rows = [];
      for (const split of dice.length ? SPLITS : []) {
        const [a, b, c, d] = split.map((place) => dice[place]);
        const sums = [a + b, c + d];
        const name = [...sums].sort((one, other) => one - other).join("+");
        if (seen.has(name)) continue;
        seen.add(name);
        const own = moves.filter((move) => move.every((column) => sums.includes(column)));
        rows.push(this.pairing([[a, b], [c, d]], sums, own, own.includes(taken) ? taken : []));
      }
      return rows;
    }

    pairing(halves, sums, open, taken) {
      const isDouble = sums[0] === sums[1];
      const chips = sums.map((sum, place) => {
        const goes = (move) => move.filter((column) => column === sum).length > (isDouble ? place : 0);
        return made("b", goes(taken) ? "taken" : open.some(goes) ? "open" : "", sum);
      });
      const state = taken.length ? "taken" : open.length ? "possible" : "not possible";
      const row = made("li", state.replace(" ", "-"));
      halves.forEach((half, place) => {
        row.append(made("span", "half", ...half.map(die), made("span", "unseen",
          `${half.join(" and ")}: `), chips[place]), " ");
      });
      row.append(made("span", "state", state === "taken" ? `takes ${taken.join("+")}` : state));
      return row;
    }

    renderControls(step) {
      const [event, turn, seat] = step;
      const last = this.steps.length - 1;
      this.find(".said").textContent = told(step);
      this.find(".said").dataset.event = event;
      const marked = { first: this.place === 0, back: this.place === 0 };
      Object.assign(marked, { forth: this.place === last, last: this.place === last });
      for (const [does, off] of Object.entries(marked)) {
        this.find(`[data-does=${does}]`).setAttribute("aria-disabled", off);
      }
      this.slider.value = this.turnOf[this.place];
      const place = `Turn ${turn} of ${this.steps.at(-1)[1]}`;
      const whose = turn > 0 ? `${place}, ${this.game.names[seat]}` : "Before the first turn";
      this.slider.setAttribute("aria-valuetext", whose);
      this.find(".place").textContent = place;
    }
  }

  for (const region of document.querySelectorAll(".game")) replays.push(new Replay(region));
  const alone = replays.length === 1;
  for (const replay of replays) {
    replay.region.classList.toggle("alone", alone);
    (alone ? document : replay.region).addEventListener("keydown", (event) => replay.press(event));
    replay.find(".keys").textContent =
      `Keys${alone ? "" : " (after a click into this game)"}: ← and → go a step, with Shift a turn,`
      + " Space plays and pauses, Home and End go to the ends. Bars: spaces won in a turn, and below"
      + " the line those lost by a bust.";
  }
})();
