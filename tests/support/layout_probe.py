"""What is wrong with the layout of a page, whatever it shows: found by its boxes and its text."""

from playwright.async_api import Page

OVERSEEN = 1.5
"""Pixels that are lost in rounding."""
SMALLEST, SMALLEST_OF_A_PERSON = 24, 44
"""The least width and height of what is pressed: everywhere, and in a person's bar on a phone."""
PHONE_WIDTH = 640

_PROBE = """async ([most, smallest, smallestOfBar]) => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame();  // what follows the size of its box draws itself anew
  await frame();
  const faults = new Set();
  const root = document.querySelector("dialog[open]") ?? document.body;
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.add("the page scrolls sideways");
  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };
  const named = (element) => {
    const kind = element.classList.length ? `.${[...element.classList].join(".")}` : "";
    const parent = element.parentElement;
    return `${parent ? `${parent.tagName}.${parent.className} > ` : ""}${element.tagName}${kind}`
      + ` "${element.textContent.trim().slice(0, 30)}"`;
  };
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && !element.closest(".unseen, .skip, .spoken:not(:focus-within), svg, option, [inert]");
  const isFree = (element) => ["absolute", "fixed"].includes(styleOf(element).position);
  const isBox = ({ backgroundColor, borderTopWidth, borderTopStyle }) =>
    backgroundColor !== "rgba(0, 0, 0, 0)"
    || (parseFloat(borderTopWidth) > 0 && borderTopStyle !== "none");

  /** Return what is seen of a rectangle in an element; null if nothing is. */
  const seenPart = (element, box, isText) => {
    let { left, right, top, bottom } = box;
    let isFlow = true;
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const style = styleOf(at);
      const around = at.getBoundingClientRect();
      const [x, y] = [style.overflowX, style.overflowY];
      if (style.display !== "inline" && (x !== "visible" || y !== "visible")) {
        const isCutAcross = left < around.left - most || right > around.right + most;
        const isCutBelow = top < around.top - most || bottom > around.bottom + most;
        const isShort = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
        const isTold = isShort && element.closest("[title]") !== null;
        const isCut = (isCutAcross && x === "hidden") || (isCutBelow && y === "hidden");
        if (isText && !isTold && isCut)
          faults.add(`cut without a title: ${named(element)}`);
        [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
        [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
        if (right <= left || bottom <= top) return null;
      } else if (isText && isFlow && isBox(style) && style.display !== "inline") {
        const out = Math.max(around.left - left, right - around.right, around.top - top,
          bottom - around.bottom);
        if (out > most) faults.add(`leaves ${named(at).split('"')[0]}: ${named(element)}`);
      }
      isFlow &&= !isFree(at);
    }
    if (left < -most || right > width + most) faults.add(`off the screen: ${named(element)}`);
    return { left, right, top, bottom };
  };

  const pieces = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === "" || !isSeen(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      if (line.width < 1) continue;
      const box = seenPart(element, line, true);
      if (box) pieces.push({ element, box, layer: element.closest("dialog, [data-asked], .top") });
    }
  }
  const depth = (one, other) => Math.min(
    Math.min(one.right, other.right) - Math.max(one.left, other.left),
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));
  for (const [index, one] of pieces.entries())
    for (const other of pieces.slice(index + 1)) {
      if (one.layer !== other.layer || one.element === other.element) continue;
      if (depth(one.box, other.box) > 3)
        faults.add(`text over text: ${named(one.element)} and ${named(other.element)}`);
    }

  const owned = [...root.querySelectorAll(`.table :is(.plate, .board .card, .pots span, .pot, .note,
    .badge, .bet, .hole .card, .act, .sit, .game-state > div), .talk:not([data-quiet])`)]
    .filter((element) => isSeen(element))
    .filter((element) => element.textContent.trim() || element.matches(".card"))
    .map((element) => ({
      element,
      owner: element.closest(".seat") ?? element.closest(".middle .board") ?? element,
      box: element.getBoundingClientRect(),
    }));
  for (const [index, one] of owned.entries()) {
    seenPart(one.element, one.box, false);
    for (const other of owned.slice(index + 1))
      if (one.owner !== other.owner && depth(one.box, other.box) > most)
        faults.add(`covers: ${named(one.element)} and ${named(other.element)}`);
  }
  const middle = root.querySelector(".table .felt")?.getBoundingClientRect();
  for (const { element, owner, box } of owned)
    if (middle && !owner.matches(".seat, .talk")
      && (box.top < middle.top || box.bottom > middle.bottom))
      faults.add(`leaves the felt: ${named(element)}`);

  for (const element of root.querySelectorAll("button, a[href], input, select, summary")) {
    if (!isSeen(element) && !element.matches(".filters input")) continue;
    const target = element.matches("input") ? element.closest("label") ?? element : element;
    const isInSentence = element.matches("a") && styleOf(element).display === "inline";
    const box = target.getBoundingClientRect();
    if (box.width === 0) continue;
    const least = element.closest(".my-seat") && smallestOfBar ? smallestOfBar : smallest;
    if (!isInSentence && (box.height < least - 0.5 || box.width < least - 0.5))
      faults.add(`small: ${named(element)} ${Math.round(box.width)} x ${Math.round(box.height)}`);
  }
  return [...faults];
}"""


async def layout_faults(page: Page) -> list[str]:
    """Return what leaves its box or the screen, covers, is cut off, or is too small to press."""
    width: int = await page.evaluate("innerWidth")
    bar = SMALLEST_OF_A_PERSON if width <= PHONE_WIDTH else 0
    found: list[str] = await page.evaluate(_PROBE, [OVERSEEN, SMALLEST, bar])
    return found
