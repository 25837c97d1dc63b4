/** What an operator may see of a completed hand: hidden cards, odds by street, reasoning. */
// @ts-check

/** @import { Card, HandRecord, Insight, Odds, TableState } from "./types.js" */

import { cardsIn } from "./game_state.js";
import { fields } from "./reading.js";

/**
 * Return the hole cards that a hand of Hold'em shows by its end, as an insight into all of it;
 * null if it shows none. Another game's open cards come one by one, and stay so.
 * @param {TableState | undefined} last The state after the hand.
 * @returns {Insight | null}
 */
export function shownLater(last) {
  if (!last?.hand || last.hand.game) return null;
  /** @type {Map<string, Card[]>} */
  const cards = new Map();
  for (const seat of last.seats.values()) if (seat.cards) cards.set(seat.id, seat.cards);
  return cards.size === 0
    ? null
    : { handId: last.hand.id ?? "", cards, odds: new Map(), decisions: [] };
}

/**
 * Return each player's chance to win now; null if it is not known. The record has the chances at
 * the beginning of a street: they are those of now until one of its players folds.
 * @param {Insight | null} insight
 * @param {TableState} state
 */
export function oddsNow(insight, { hand, seats }) {
  const odds = hand?.phase === "betting" ? insight?.odds.get(hand.street) : undefined;
  const areAllIn = odds && [...odds.keys()].every((id) => seats.get(id)?.isFolded === false);
  return odds && areAllIn ? odds : null;
}

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
