// The decisions of the bot: change `act`, and run `npm test` after it.
import { createHash } from "node:crypto";

/** What the casino displays. */
export const NAME = "My bot";

const STRENGTH = "23456789TJQKA";

/** Decide one turn; `turn.legalActions` is exactly what is accepted. */
export function act(turn) {
  const legal = turn.legalActions;
  // After a refusal comes the second and last attempt: play safe.
  if (turn.rejected) return { action: legal.includes("check") ? "check" : "fold" };
  const strength = strengthOf(turn.holeCards, turn.communityCards);
  const kind = ["bet", "raise"].find((one) => legal.includes(one));
  if (kind && strength >= 2 && dice(turn.requestId) < 0.8) {
    // A total for this betting round: half of the pot more than now, within the limits.
    const wanted = Number((turn.currentBet + Math.floor(turn.pot / 2)).toFixed(6));
    const amount = Math.min(Math.max(wanted, turn.minRaiseTo), turn.maxRaiseTo);
    return { action: kind, amount, reasoning: `strength ${strength}` };
  }
  if (legal.includes("check")) return { action: "check" };
  const isCheap = turn.toCall * 4 <= turn.pot;
  if (legal.includes("call") && (strength >= 2 || (strength === 1 && isCheap)))
    return { action: "call" };
  return { action: "fold" };
}

/** Return a number from 0 to 1, always the same for a request: it may be sent again. */
function dice(requestId) {
  if (requestId === undefined) return Math.random();
  return createHash("sha256").update(requestId).digest().readUInt32BE() / 2 ** 32;
}

/** Return 3 (two pair or better with my cards), 2 (good), 1 (something) or 0 (nothing). */
export function strengthOf(hole, board) {
  const ranks = hole.map((card) => STRENGTH.indexOf(card.rank));
  const shared = board.map((card) => STRENGTH.indexOf(card.rank));
  if (ranks[0] === ranks[1]) return shared.includes(ranks[0]) || ranks[0] >= 9 ? 3 : 2;
  const hits = ranks.filter((rank) => shared.includes(rank));
  if (hits.length === 2) return 3;
  if (hits.length === 1) return hits[0] === Math.max(...shared) ? 2 : 1;
  if (shared.length > 0) return 0;
  if (Math.min(...ranks) >= 9) return 2; // two of J, Q, K, A
  return Math.max(...ranks) >= 9 ? 1 : 0;
}
