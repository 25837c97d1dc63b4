/** Nets over hands as lines: their points, and the scale and the grid that they are drawn in. */
// @ts-check

/** @import { NetLine, NetSeries } from "./types.js" */

import { svg } from "./dom.js";
import { short } from "./words.js";

/** @typedef {{ x: number, y: number }} Point The number of a hand, and a net in chips. */
/** @typedef {{ first: number, last: number, lines: Map<string, Point[][]> }} NetLines Each line has a part for each time a player was there. */

/**
 * @typedef {object} Scale
 * @property {(hand: number) => number} x
 * @property {(net: number) => number} y
 * @property {number} first The first hand.
 * @property {number} last The last hand.
 * @property {number} step The difference between two lines of the grid, in chips.
 * @property {number} bottom The lowest line of the grid.
 * @property {number} top The highest line of the grid.
 * @property {number} inner The width between the margins.
 */
/** @typedef {{ id: string, y: number }} Label */

export const HEIGHT = 220;
/** The margins around the lines. */
export const EDGE = { top: 10, right: 104, bottom: 24, left: 52 };
const LABEL_GAP = 14;
const LINES = 4;

/**
 * Return the lines of a series. Each begins at 0, where the player's first hand began, if that hand
 * is in the series, and ends at the player's net now.
 * @param {NetSeries} series
 * @returns {NetLines}
 */
export function netLinesOf(series) {
  const { firstHand = 1, lastHands } = series;
  const first = firstHand - 1;
  const lines = new Map(series.players.map((player) => [player.playerId, lineOf(player, series)]));
  return { first, last: lastHands.at(-1) ?? first, lines };
}

/**
 * @param {NetLine} player
 * @param {NetSeries} series
 */
function lineOf({ net, nets }, { firstHand = 1, lastHands }) {
  /** @type {Point[][]} */
  const parts = [];
  let isOpen = false;
  lastHands.forEach((to, step) => {
    const [one, other] = nets.slice(2 * step, 2 * step + 2);
    if (typeof one !== "number" || typeof other !== "number") {
      isOpen = false;
      return;
    }
    const from = step > 0 ? (lastHands[step - 1] ?? to) : firstHand - 1;
    if (!isOpen) {
      const before = parts.at(-1)?.at(-1)?.y ?? 0;
      parts.push([{ x: from, y: before }]);
      isOpen = true;
    }
    if (to - from > 1) parts.at(-1)?.push({ x: (from + to) / 2, y: one });
    parts.at(-1)?.push({ x: to, y: other });
  });
  const end = parts.at(-1)?.at(-1);
  if (end && end.y !== net) parts.at(-1)?.push({ x: end.x, y: net });
  return parts;
}

/**
 * Return the band in which luck alone keeps 95 % of players without an edge: half its width in
 * chips at some hands of a player's line, from its beginning to its end. Empty without an interval.
 * @param {Point[][]} line
 * @param {object} rate
 * @param {number} rate.hands The player's.
 * @param {number | null} [rate.halfInterval95] Of 100 hands.
 * @param {number} chipsPerUnit The unit of the interval in chips: a big blind, or 1.
 * @returns {Point[]}
 */
export function bandOf(line, { hands, halfInterval95 = null }, chipsPerUnit) {
  const [from, to] = [line[0]?.[0]?.x, line.at(-1)?.at(-1)?.x];
  if (halfInterval95 === null || from === undefined || to === undefined || to <= from) return [];
  const atEnd = (halfInterval95 / 100) * hands * chipsPerUnit;
  return Array.from({ length: 25 }, (_, index) => {
    const share = index / 24;
    return { x: from + share * (to - from), y: atEnd * Math.sqrt(share) };
  });
}

/**
 * Return the lowest and the highest net of lines and a band, 0 included.
 * @param {Iterable<Point[][]>} lines
 * @param {Point[]} band
 */
export function rangeOf(lines, band) {
  let [low, high] = [0, 0];
  for (const line of lines)
    for (const part of line)
      for (const { y } of part) [low, high] = [Math.min(low, y), Math.max(high, y)];
  const widest = band.at(-1)?.y ?? 0;
  return { low: Math.min(low, 0 - widest), high: Math.max(high, widest) };
}

/**
 * Return the scale for a range of hands and nets in a drawing; 0 is one of its lines.
 * @param {{ first: number, last: number, low: number, high: number }} range
 * @param {number} width
 * @returns {Scale}
 */
export function scaleOf({ first, last, low, high }, width) {
  const inner = width - EDGE.left - EDGE.right;
  const step = niceStep(Math.max(high - low, 1e-6) / LINES);
  const isFlat = low === high;
  const bottom = isFlat ? -step : Math.floor(low / step) * step;
  const top = isFlat ? step : Math.ceil(high / step) * step;
  const height = HEIGHT - EDGE.top - EDGE.bottom;
  return {
    x: (number) =>
      EDGE.left + (last === first ? inner : ((number - first) / (last - first)) * inner),
    y: (net) => HEIGHT - EDGE.bottom - ((net - bottom) / (top - bottom)) * height,
    first,
    last,
    step,
    bottom,
    top,
    inner,
  };
}

/**
 * Move labels apart so that none covers another.
 * @param {Label[]} labels
 */
export function apart(labels) {
  const sorted = [...labels].sort((left, right) => left.y - right.y);
  let low = EDGE.top;
  for (const label of sorted) {
    label.y = Math.max(label.y, low);
    low = label.y + LABEL_GAP;
  }
  let high = HEIGHT - EDGE.bottom + 6;
  for (const label of sorted.reverse()) {
    label.y = Math.min(label.y, high);
    high = label.y - LABEL_GAP;
  }
  return sorted;
}

/**
 * Return 1, 2 or 5 times a power of ten, the next one from `rough`.
 * @param {number} rough
 */
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-6)));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
}

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
