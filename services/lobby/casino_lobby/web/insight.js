/** What an operator may see of a completed hand: hidden cards, odds by street, reasoning. */
// @ts-check

/** @import { Card, HandRecord, Insight, Odds } from "./types.js" */

import { cardsIn } from "./game_state.js";
import { fields } from "./reading.js";

/**
 * Return a hand's record as the views use it.
 * @param {HandRecord} record
 * @returns {Insight}
 */
export function insightOf(record) {
  /** @type {Map<string, Card[]>} */
  const cards = new Map();
  for (const [id, state] of fields(record.privateStates)) {
    const privateCards = cardsIn(state, "");
    if (privateCards.length > 0) cards.set(id, privateCards);
  }
  for (const hole of record.holeCards ?? []) cards.set(hole.playerId, hole.cards);
  /** @type {Map<string, Map<string, Odds>>} */
  const odds = new Map();
  for (const street of record.odds ?? []) {
    const byPlayer = street.odds.map(({ playerId, win, tie }) => ({
      playerId,
      odds: { win, tie },
    }));
    odds.set(street.bettingRound, new Map(byPlayer.map((item) => [item.playerId, item.odds])));
  }
  return { handId: record.handId, cards, odds, decisions: record.decisions ?? [] };
}
