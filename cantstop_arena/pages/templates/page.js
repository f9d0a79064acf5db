"use strict";
// What a page has besides its drawings: a theme switch, columns to sort by, numbers of the crosstable
// under the mouse, and the place in the contents. Everything can be read without it.
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const button = (label, look) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = look;
    made.textContent = label;
    return made;
  };

  // The theme

  const isDark = () => (root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const theme = button("", "theme");
  const labelTheme = () => {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
  };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    labelTheme();
  });
  labelTheme();
  document.querySelector(".contents").append(theme);

  // Sorting

  const sortBy = (head) => {
    const table = head.closest("table");
    const column = [...head.parentNode.children].indexOf(head);
    const up = head.getAttribute("aria-sort") === "descending";
    for (const other of all("[aria-sort]", table)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = ({ cells }) => {
      const { dataset, textContent } = cells[column];
      return "v" in dataset ? Number(dataset.v) : textContent;
    };
    const order = (one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0);
    const rows = [...table.tBodies[0].rows].sort((one, other) => (up ? 1 : -1) * order(one, other));
    table.tBodies[0].append(...rows);
    table.classList.add("resorted");
  };
  for (const head of all("th[data-sort]")) {
    const label = head.querySelector(".h");
    const sorts = button("", "sorts");
    sorts.append(...label.childNodes);
    label.append(sorts);
    sorts.addEventListener("click", () => sortBy(head));
  }

  // The crosstable: score, low, high, predicted, LOS of each pair in thousandths, by rank

  const percent = (thousandths) => `${(thousandths / 10).toFixed(1)}%`;
  const pairs = (data) => (row, column) => {
    const [one, other] = row < column ? [row, column] : [column, row];
    const place = one * data.bots.length - (one * (one + 1)) / 2 + other - one - 1;
    const told = data.pairs.slice(5 * place, 5 * place + 5);
    if (row === column || told[0] === null) return null;
    const mirrored = (value) => (value === null || row < column ? value : 1000 - value);
    const [score, low, high, predicted, superior] = told.map(mirrored);
    return { score, predicted, superior, ends: row < column ? [low, high] : [high, low] };
  };
  const sentence = (data, pair, row, column) => {
    const parts = [`${data.bots[row]} against ${data.bots[column]}: ${percent(pair.score)}`];
    const [low, high] = pair.ends;
    if (low !== null && high !== null) parts[0] += ` (${(low / 10).toFixed(1)}\u2013${percent(high)})`;
    if (pair.predicted !== null) parts.push(`predicted ${percent(pair.predicted)}`);
    const ahead = data.elo[row] - data.elo[column];
    parts.push(`Elo ${ahead < 0 ? "\u2212" : "+"}${Math.abs(ahead).toFixed(1)}`);
    if (pair.superior !== null) {
      const certain = pair.superior > 999 ? ">99.9%" : pair.superior < 1 ? "<0.1%" : percent(pair.superior);
      parts.push(`LOS ${certain}`);
    }
    return parts.join("; ");
  };

  class Crosstable {
    constructor(figure) {
      this.figure = figure;
      this.data = JSON.parse(figure.querySelector("script").textContent);
      this.pair = pairs(this.data);
      this.readout = figure.querySelector(".readout");
      this.rest = [...this.readout.childNodes];
      this.area = figure.querySelector(".cells");
      this.cursor = figure.querySelector(".cursor");
      this.place = null;
      this.area.tabIndex = 0;
      for (const name of ["mousemove", "click"]) {
        this.area.addEventListener(name, (event) => this.show(this.under(event)));
      }
      this.area.addEventListener("mouseleave", () => this.hide());
      this.area.addEventListener("focus", () => this.show(this.place ?? [0, 1]));
      this.area.addEventListener("blur", () => this.hide());
      this.area.addEventListener("keydown", (event) => this.press(event));
    }

    under(event) {
      if (!this.cursor) {
        const cell = event.target.closest("td");
        return cell && [cell.parentNode.sectionRowIndex, cell.cellIndex - 1];
      }
      const { left, top, width, height } = this.area.getBoundingClientRect();
      const count = this.data.bots.length;
      const at = (share) => Math.min(count - 1, Math.max(0, Math.floor(share * count)));
      return [at((event.clientY - top) / height), at((event.clientX - left) / width)];
    }

    press(event) {
      const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!way) return;
      event.preventDefault();
      let [row, column] = this.place ?? [0, 0];
      const count = this.data.bots.length;
      do [row, column] = [row + way[0], column + way[1]];
      while (row >= 0 && row < count && column >= 0 && column < count && !this.pair(row, column));
      this.show([row, column]);
    }

    show(place) {
      const pair = place && this.pair(...place);
      if (!pair) return;
      this.mark(false);
      this.place = place;
      this.mark(true);
      this.readout.textContent = sentence(this.data, pair, ...place);
      this.readout.classList.add("live");
    }

    hide() {
      if (document.activeElement === this.area) return;
      this.mark(false);
      this.readout.replaceChildren(...this.rest);
      this.readout.classList.remove("live");
    }

    mark(shown) {
      if (!this.place) return;
      const [row, column] = this.place;
      if (!this.cursor) {
        this.area.rows[row].cells[column + 1].classList.toggle("marked", shown);
        return;
      }
      this.cursor.classList.toggle("marked", shown);
      this.cursor.setAttribute("x", column);
      this.cursor.setAttribute("y", row);
    }
  }
  for (const figure of all(".crosstable")) new Crosstable(figure);

  // The contents

  const links = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = target?.querySelector(":scope > details.folded");
    if (folded) folded.open = true;
  };
  addEventListener("hashchange", unfold);
  for (const link of links.values()) link.addEventListener("click", () => setTimeout(unfold));
  unfold();
  const reached = (entries) => {
    const entry = entries.findLast(({ isIntersecting }) => isIntersecting);
    if (!entry) return;
    for (const link of links.values()) link.removeAttribute("aria-current");
    const link = links.get(entry.target.id);
    link.setAttribute("aria-current", "true");
    const contents = link.closest(".contents");
    if (contents.scrollWidth > contents.clientWidth) {
      contents.scrollLeft = link.offsetLeft - contents.clientWidth / 3;
    }
  };
  const observer = new IntersectionObserver(reached, { rootMargin: "-15% 0px -75% 0px" });
  for (const key of links.keys()) observer.observe(document.getElementById(key));
})();
