/** What every chart draws: lines through points, the grid, and the numbers at it. */
// @ts-check

/** @import { Scale } from "./chart_scale.js" */
/** @import { Point } from "./course.js" */

import { EDGE, HEIGHT } from "./chart_scale.js";
import { svg } from "./dom.js";
import { short } from "./money.js";

/**
 * Return the path of a part of a line.
 * @param {Point[]} part
 * @param {Scale} scale
 */
export function path(part, scale) {
  const points = part.map(({ x, y }) => `${scale.x(x).toFixed(1)} ${scale.y(y).toFixed(1)}`);
  return `M${points.join("L")}`;
}

/**
 * Return the grid and the numbers at it.
 * @param {Scale} scale
 * @param {number} width
 * @param {(place: number) => string} wordsOf Returns the text at the first and the last place.
 */
export function axes(scale, width, wordsOf) {
  /** @type {SVGElement[]} */
  const parts = [];
  const count = Math.round((scale.top - scale.bottom) / scale.step);
  for (let index = 0; index <= count; index += 1) {
    const level = Math.round((scale.bottom + index * scale.step) * 1e6) / 1e6;
    const y = scale.y(level);
    const line = { x1: EDGE.left, x2: width - EDGE.right, y1: y, y2: y };
    const number = { class: "axis", x: EDGE.left - 8, y: y + 4, "text-anchor": "end" };
    parts.push(
      svg("line", { class: level === 0 ? "grid zero" : "grid", ...line }),
      svg("text", number, level > 0 ? `+${short(level)}` : short(level)),
    );
  }
  for (const place of new Set([scale.first, scale.last])) {
    const anchor = place === scale.first ? "start" : "end";
    const where = { x: scale.x(place), y: HEIGHT - 6, "text-anchor": anchor };
    parts.push(svg("text", { class: "axis", ...where }, wordsOf(place)));
  }
  return parts;
}
