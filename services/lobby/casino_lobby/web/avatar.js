/** A picture made from a name: the same everywhere, loaded from nowhere. */
// @ts-check

import { svg } from "./dom.js";

const HUES = 36;
const [ROWS, HALF] = [5, 3];

/**
 * Return a player's picture, `<svg class="avatar">`, as high as 1.4 lines; screen readers skip it,
 * so the name has to stand beside it. Its lightness has contrast to a dark and to a light page.
 * @param {string} name
 */
export function avatar(name) {
  const { ground, mark, path } = pictureOf(lookOf(name));
  return svg(
    "svg",
    { class: "avatar", viewBox: "-1 -1 7 7", "aria-hidden": "true" },
    svg("rect", { x: -1, y: -1, width: 7, height: 7, rx: 1.5, fill: ground }),
    svg("path", { d: path, fill: mark }),
  );
}

/**
 * Show a name with its picture before it, unless the element shows it already.
 * @param {HTMLElement} element
 * @param {string} name
 */
export function nameWithPicture(element, name) {
  if (element.firstElementChild && element.title === name) return;
  element.title = name;
  element.replaceChildren(avatar(name), name);
}

/**
 * Return the colours of a look, and its cells as the path of an SVG.
 * @param {Look} look
 */
export function pictureOf({ hue, tone, cells }) {
  return {
    ground: `oklch(0.56 0.12 ${hue})`,
    mark: `oklch(0.96 0.04 ${hue + tone})`,
    path: cells.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join(""),
  };
}

/**
 * @typedef {object} Look
 * @property {number} hue Of the ground, in degrees.
 * @property {number} tone How far the hue of the marks is from it, in degrees.
 * @property {[x: number, y: number][]} cells Those of a symmetric pattern that are marked.
 */

/**
 * Return what a name looks like.
 * @param {string} name
 * @returns {Look}
 */
export function lookOf(name) {
  let code = mixed(name);
  /** @param {number} count */
  const next = (count) => {
    const value = code % count;
    code = Math.floor(code / count);
    return value;
  };
  const hue = next(HUES) * (360 / HUES);
  const tone = next(4) * 90;
  /** @type {[x: number, y: number][]} */
  const cells = [];
  for (let y = 0; y < ROWS; y += 1) {
    for (let x = 0; x < HALF; x += 1) {
      if (next(2)) cells.push([x, y], [2 * (HALF - 1) - x, y]);
    }
  }
  return { hue, tone, cells };
}

/**
 * Return 32 bits in which every letter of a text changes about half (FNV-1a, and a last mix).
 * @param {string} text
 */
function mixed(text) {
  let code = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  }
  code = Math.imul(code ^ (code >>> 16), 0x85ebca6b);
  code = Math.imul(code ^ (code >>> 13), 0xc2b2ae35);
  return (code ^ (code >>> 16)) >>> 0;
}
