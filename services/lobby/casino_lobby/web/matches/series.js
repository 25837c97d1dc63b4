/** The running result of a pair as a line and a band, as far as they fit a drawing. */
// @ts-check

/** @import { Point } from "../course.js" */
/** @import { SeriesPoint } from "./types.js" */

/** The band of the first decks is so wide that it would hide the rest: it does not set the scale. */
const SHARE_WITHOUT_SCALE = 0.1;

/**
 * @typedef {object} PairCourse
 * @property {number} first The number of decks at the left edge.
 * @property {number} last
 * @property {number} low The lowest rate that the drawing has to show; at most 0.
 * @property {number} high
 * @property {Point[]} line
 * @property {Point[]} upper
 * @property {Point[]} lower
 */

/**
 * Return the course of a pair; null with fewer than two points.
 * @param {SeriesPoint[] | undefined} series
 * @returns {PairCourse | null}
 */
export function pairCourse(series) {
  const points = (series ?? []).filter(
    (point, index, all) => index === 0 || point.decks > (all[index - 1]?.decks ?? 0),
  );
  const [begin, end] = [points.at(0), points.at(-1)];
  if (!begin || !end || points.length < 2) return null;
  const scaled = points.filter(({ decks }) => decks >= end.decks * SHARE_WITHOUT_SCALE);
  return {
    first: begin.decks,
    last: end.decks,
    low: Math.min(0, ...scaled.map(({ low, bbPer100 }) => Math.min(low, bbPer100))),
    high: Math.max(0, ...scaled.map(({ high, bbPer100 }) => Math.max(high, bbPer100))),
    line: points.map(({ decks, bbPer100 }) => ({ x: decks, y: bbPer100 })),
    upper: points.map(({ decks, high }) => ({ x: decks, y: high })),
    lower: points.map(({ decks, low }) => ({ x: decks, y: low })),
  };
}

/**
 * Return points with what is beyond the drawing at its edge.
 * @param {Point[]} points
 * @param {{ bottom: number, top: number }} scale
 */
export function within(points, { bottom, top }) {
  return points.map(({ x, y }) => ({ x, y: Math.min(top, Math.max(bottom, y)) }));
}
