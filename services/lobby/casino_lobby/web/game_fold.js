/**
 * The fold of games other than Hold'em, of which the page knows no rule: it keeps the public state
 * that the game tells, what everybody did, and the stacks. Where cards lie and whose turn it is
 * follows from names that games commonly use; a game that uses others is only drawn more plainly.
 */

import { exact } from "./betting.js";
import { cardsBySeat, wordsOf } from "./game_state.js";
import { amount, dealtIn, fields, list, NEW_HAND, seatOf, signed, text } from "./reading.js";

const MOST_WORDS = 60;

/** Return whether a payload is of a game that tells its own public state; Hold'em has none. */
export function isOfAnotherGame(payload) {
  return [payload?.state, payload?.scores].some(
    (told) => told !== null && typeof told === "object",
  );
}

export function gameStarted(state, payload, event) {
  const { seats, stacks } = dealtIn(state.seats, payload.players);
  const hand = {
    ...NEW_HAND,
    number: payload.handNumber,
    id: event.handId ?? null,
    buttonSeat: payload.buttonSeat ?? null,
    street: "",
    stacks,
    game: { type: text(payload.gameType), first: payload.state, state: {}, house: null },
  };
  return told({ ...state, status: "running", state: null, seats, hand }, payload.state);
}

export function gameActed(state, payload) {
  const hand = handOf(state, payload);
  const id = String(payload.playerId);
  const seat = state.seats.get(id) ?? seatOf(payload);
  const action = text(payload.action).toLowerCase();
  const words = actionText(payload);
  const outcome = String(payload.outcome ?? "ok");
  const says = typeof payload.message === "string" ? payload.message : "";
  const seats = new Map(state.seats).set(id, {
    ...seat,
    isDealt: true,
    isFolded: seat.isFolded || action === "fold",
    last: { action, amount: null, outcome, words },
    says,
  });
  const entry = {
    kind: "action",
    id,
    name: seat.name,
    action,
    outcome,
    says,
    amount: null,
    words,
    latencyMs: payload.latencyMs ?? null,
  };
  return told({ ...state, seats, hand: { ...hand, log: [...hand.log, entry] } }, payload.state);
}

export function gameCompleted(state, payload) {
  const hand = handOf(state, payload);
  const seats = new Map(state.seats);
  const change = (id, difference) => {
    const seat = seats.get(String(id)) ?? seatOf({ playerId: id });
    seats.set(seat.id, { ...seat, ...difference(seat) });
  };
  const log = [...hand.log];
  for (const [id, value] of fields(payload.scores)) {
    const score = signed(value);
    change(id, (seat) => ({
      score,
      won: Math.max(0, score),
      stack: Math.max(0, exact(seat.stack + score)),
    }));
    if (score !== 0) log.push({ kind: "score", name: seats.get(id).name, score });
  }
  for (const after of list(payload.stacks))
    change(after.playerId, () => ({ stack: amount(after.stack) }));
  const house = typeof payload.house === "number" ? signed(payload.house) : null;
  if (house) log.push({ kind: "score", name: "The house", score: house });
  const over = { ...hand, log, phase: "over", game: { ...hand.game, house } };
  const next = told(
    { ...state, seats, handCount: state.handCount + 1, hand: over },
    payload.result?.public,
  );
  return { ...next, hand: { ...next.hand, actor: null } };
}

/** Return the state after the game told its public state; without one the last stays. */
function told(state, publicState) {
  if (fields(publicState).length === 0) return state;
  const { hand } = state;
  const cards = cardsBySeat(publicState, state.seats);
  const seats = new Map();
  for (const [id, seat] of state.seats) seats.set(id, { ...seat, cards: cards.get(id) ?? null });
  const turn = text(publicState.current_player ?? publicState.currentPlayer);
  const actor = state.seats.has(turn) ? turn : null;
  return { ...state, seats, hand: { ...hand, actor, game: { ...hand.game, state: publicState } } };
}

/** Return an action as words: its type and what it says besides, such as "play card 7". */
function actionText({ action, details }) {
  const rest = fields(details).filter(([key]) => !["action_type", "actionType"].includes(key));
  const values = rest.map(([, value]) =>
    value !== null && typeof value === "object" ? "…" : String(value),
  );
  const words = [wordsOf(text(action)), ...values].join(" ");
  return words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS - 1)}…` : words;
}

/** Return the hand that an event belongs to; one that was begun unseen is known in part. */
function handOf({ hand }, { handNumber }) {
  if (hand?.game && hand.phase === "betting" && hand.number === (handNumber ?? hand.number))
    return hand;
  return {
    ...NEW_HAND,
    number: handNumber,
    street: "",
    game: { type: "", first: null, state: {}, house: null },
  };
}
