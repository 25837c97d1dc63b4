/** A completed hand as lists and the chart use it. */
// @ts-check

/** @import { CompletedHand, PastHand } from "./types.js" */

import { exact } from "./betting.js";
import { records, wholeOr } from "./reading.js";

/**
 * Return a hand, or null if it has no number.
 * @param {CompletedHand} hand
 * @param {unknown} message
 * @param {number} [epoch]
 * @returns {PastHand | null}
 */
export function pastHand({ handNumber, pots, stacks, kinds }, message, epoch = 1) {
  const number = wholeOr(handNumber, null);
  if (number === null) return null;
  return {
    number,
    epoch,
    message: String(message ?? "").replace(/^hand \d+: /, ""),
    pot: exact(records(pots).reduce((sum, pot) => sum + (Number(pot.amount) || 0), 0)),
    stacks: new Map(
      records(stacks).map(({ playerId, stack }) => [String(playerId), Number(stack) || 0]),
    ),
    kinds: Array.isArray(kinds) ? kinds.map(String) : [],
  };
}
