/** What an operator may see of a completed hand: hidden cards, odds by street, reasoning. */
// @ts-check

/** @import { Card, HandRecord, Insight, Odds, TableState } from "./types.js" */

import { isLive } from "./betting.js";
import { cardsIn } from "./game_state.js";
import { chancesOf } from "./odds.js";
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
 * the beginning of a street: they are those of now until one of its players folds. Then they follow
 * from the cards, if those of every player who is still in the hand are open.
 * @param {Insight | null} insight
 * @param {TableState} state
 * @returns {Map<string, Odds> | null}
 */
export function oddsNow(insight, state) {
  const { hand, seats } = state;
  if (!insight || hand?.phase !== "betting" || hand.game) return null;
  const odds = insight.odds.get(hand.street);
  const areAllIn = odds && [...odds.keys()].every((id) => seats.get(id)?.isFolded === false);
  return odds && areAllIn ? odds : oddsOfCards(insight, state);
}

/** @type {WeakMap<Insight, { key: string, odds: Map<string, Odds> | null }>} The latest of each. */
const computed = new WeakMap();

/**
 * Return the chances that follow from open cards; they are kept until a street or a fold.
 * @param {Insight} insight
 * @param {TableState} state
 */
function oddsOfCards(insight, { hand, seats }) {
  const live = [...seats.values()].filter(isLive);
  const board = hand?.board ?? [];
  const key = `${board.length} ${live.map(({ id }) => id).join()}`;
  const known = computed.get(insight);
  if (known?.key === key) return known.odds;
  /** @type {Map<string, Card[]>} */
  const open = new Map();
  for (const { id, cards } of live) {
    const own = cards ?? insight.cards.get(id);
    if (own) open.set(id, own);
  }
  const dead = [...insight.cards].filter(([id]) => !open.has(id)).flatMap(([, cards]) => cards);
  const odds = open.size === live.length ? chancesOf(open, board, dead) : null;
  computed.set(insight, { key, odds });
  return odds;
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
