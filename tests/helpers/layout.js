// Returns the defects of the layout of the opened page, a text each.
() => {
  const found = [];
  const text = (node) => node.textContent.trim().slice(0, 40);
  const shown = (node) => {
    for (let at = node; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return false;
      if (style.clipPath !== "none" || at.classList.contains("skip")) return false;
      if (at.tagName === "DETAILS" && !at.open && !(at === node || at.querySelector("summary")?.contains(node))) return false;
    }
    return true;
  };
  const scrolls = (node) => node.closest(".wide, pre, .contents, .games, .stage");
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`page: ${wide} px wide`);
  for (const h1 of document.querySelectorAll("h1")) {
    const lines = h1.getBoundingClientRect().height / parseFloat(getComputedStyle(h1).lineHeight);
    if (lines > 3.5) found.push(`h1: ${lines.toFixed(1)} lines: ${text(h1)}`);
  }
  // nothing is wider than its column
  const main = document.querySelector("main").getBoundingClientRect();
  for (const node of document.querySelectorAll("main *")) {
    if (scrolls(node) || node.closest("svg") !== null && node.tagName !== "svg" || !shown(node)) continue;
    const box = node.getBoundingClientRect();
    if (box.width && box.height && (box.right > main.right + 1.5 || box.left < main.left - 1.5)) {
      found.push(`column: ${node.tagName} ${node.getAttribute("class")}: ${text(node)}`);
    }
  }
  // no text on another
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.textContent.trim() || scrolls(parent) || ["TITLE", "SCRIPT", "STYLE"].includes(parent.tagName) || !shown(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1 && box.height > 1) texts.push([node, box]);
  }
  texts.sort((one, other) => one[1].top - other[1].top);
  for (let i = 0; i < texts.length; i++) {
    const [a, one] = texts[i];
    for (let j = i + 1; j < texts.length && texts[j][1].top < one.bottom - 2; j++) {
      const [b, other] = texts[j];
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      const least = 0.25 * Math.min(one.height, other.height);
      if (a !== b && across > 1.5 && down > least) found.push(`overlap: ${text(a)} | ${text(b)}`);
    }
  }
  // text of drawings stays within the page
  for (const node of document.querySelectorAll("svg.p text")) {
    if (!shown(node)) continue;
    const box = node.getBoundingClientRect();
    if (box.width && (box.left < -0.5 || box.right > innerWidth + 0.5)) found.push(`label: ${text(node)}`);
  }
  // no interval is clipped: bands and dots lie within their drawing
  for (const node of document.querySelectorAll("svg.p :is(.band, .dot)")) {
    if (!shown(node)) continue;
    const box = node.getBoundingClientRect(), around = node.ownerSVGElement.getBoundingClientRect();
    if (box.left < around.left - 1 || box.right > around.right + 1) found.push("interval: clipped");
  }
  return [...new Set(found)].slice(0, 12);
}
