/** The scale of the chart: where hands, stacks and labels are in the drawing. */
// @ts-check

/** @import { PastHand } from "./types.js" */

export const HEIGHT = 220;
/** The margins around the lines. */
export const EDGE = { top: 10, right: 92, bottom: 24, left: 46 };
const LABEL_GAP = 14;

/**
 * @typedef {object} Scale
 * @property {(hand: number) => number} x
 * @property {(stack: number) => number} y
 * @property {number} first The number of the first hand.
 * @property {number} last The number of the last hand.
 * @property {number} step The difference between two lines of the grid, in chips.
 * @property {number} top The highest line of the grid.
 * @property {number} inner The width between the margins.
 */
/** @typedef {{ id: string, y: number }} Label */

/**
 * Return the scale for hands in a drawing.
 * @param {PastHand[]} hands
 * @param {number} width
 * @returns {Scale}
 */
export function scaleOf(hands, width) {
  const [first, last] = [hands[0]?.number ?? 0, hands.at(-1)?.number ?? 0];
  const inner = width - EDGE.left - EDGE.right;
  const most = Math.max(1, ...hands.flatMap((hand) => [...hand.stacks.values()]));
  const step = niceStep(most / 3);
  const top = Math.ceil(most / step) * step;
  return {
    x: (number) =>
      EDGE.left + (last === first ? inner : ((number - first) / (last - first)) * inner),
    y: (stack) => HEIGHT - EDGE.bottom - (stack / top) * (HEIGHT - EDGE.top - EDGE.bottom),
    first,
    last,
    step,
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
