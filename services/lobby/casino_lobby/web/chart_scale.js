/** The scale of the chart: where hands, nets and labels are in the drawing. */
// @ts-check

export const HEIGHT = 220;
/** The margins around the lines. */
export const EDGE = { top: 10, right: 104, bottom: 24, left: 52 };
const LABEL_GAP = 14;
const LINES = 4;

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
