/** Folds a session, and compares the state after every event with what the event itself says. */

import { EMPTY, fromSnapshot, reduce } from "../../services/lobby/casino_lobby/web/reducer.js";

/**
 * Return the errors of a fold, and how much of a session it has seen.
 * @param {{ events: object[], begin?: object | null }} session `begin` is a room's snapshot.
 */
export function checkFold({ events, begin = null }) {
  const seen = { errors: [], hands: 0, actions: 0, foreseen: 0, sidePots: 0, words: [] };
  let state = begin ? fromSnapshot(begin) : EMPTY;
  for (const event of events) {
    const before = state;
    state = reduce(state, event);
    const errors = [...amountErrors(state)];
    if (event.eventType === "action_taken") {
      seen.actions += 1;
      seen.sidePots += state.hand.pots.length > 1 ? 1 : 0;
      const { words } = state.seats.get(event.payload.playerId).last;
      if (words !== undefined) seen.words.push(words);
      if (before.hand?.actor === event.payload.playerId) seen.foreseen += 1;
      errors.push(...actionErrors(before, state, event.payload));
    }
    if (event.eventType === "hand_completed") {
      seen.hands += 1;
      errors.push(...endErrors(state, event.payload));
    }
    seen.errors.push(...errors.map((error) => `${event.sequence} ${event.message}: ${error}`));
  }
  return seen;
}

/** Yield the amounts that are no amounts, and pots that are larger than their sum. */
function* amountErrors({ seats, hand }) {
  const isAmount = (value) => Number.isFinite(value) && value >= 0;
  for (const seat of seats.values()) {
    const amounts = [seat.stack, seat.bet, seat.committed, seat.won];
    if (!amounts.every(isAmount)) yield JSON.stringify(seat);
  }
  if (!hand) return;
  if (![hand.pot, hand.currentBet, ...hand.pots].every(isAmount)) yield `pots ${hand.pots}`;
  const inPots = hand.pots.reduce((sum, pot) => sum + pot, 0);
  if (hand.pots.length > 0 && inPots > hand.pot + 1e-6) yield `${inPots} in pots of ${hand.pot}`;
}

/** Yield what differs from an action's payload; Hold'em alone says whose turn it is. */
function* actionErrors(before, state, { handNumber, playerId, stack }) {
  const isFromStart = before.hand?.number === handNumber && before.hand.id !== null;
  if (!isFromStart || state.hand.game) return;
  if (before.hand.actor !== playerId) yield `it was the turn of ${before.hand.actor}`;
  const paid = [...state.seats.values()].reduce((sum, seat) => sum + seat.committed, 0);
  if (Math.abs(paid - state.hand.pot) > 1e-6) yield `${paid} paid into a pot of ${state.hand.pot}`;
  if (Math.abs(state.seats.get(playerId).stack - stack) > 1e-6) yield `stack of ${playerId}`;
}

/** Yield what differs from the payload of a hand's end. */
function* endErrors({ seats, hand }, { stacks, scores = {} }) {
  for (const { playerId, stack } of stacks) {
    if (seats.get(playerId).stack !== stack) yield `stack of ${playerId}`;
  }
  for (const [id, score] of Object.entries(scores)) {
    if (seats.get(id).score !== score) yield `score of ${id}`;
  }
  if (hand.phase !== "over" || hand.actor !== null) yield `${hand.phase}, turn of ${hand.actor}`;
}
