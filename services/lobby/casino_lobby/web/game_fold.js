/**
 * The fold of games other than Hold'em, whose rules the page does not contain: it keeps the public
 * state that the game sends, the players' actions, and the stacks. Where cards lie and whose turn
 * it is follows from names that games commonly use; with other names less is drawn.
 */
// @ts-check

/** @import { ActionEntry, Fields, GameHand, LogEntry, TableEvent, TableState } from "./types.js" */

import { exact } from "./betting.js";
import { cardsBySeat, wentBust, wordsOf } from "./game_state.js";
import {
  amount,
  dealtIn,
  disclosedOf,
  fields,
  isRecord,
  latencyOf,
  list,
  NEW_HAND,
  playerIdOf,
  records,
  seatChanger,
  seatOf,
  signed,
  text,
  wholeOr,
  whyOf,
} from "./reading.js";
import { costNotes } from "./words.js";

const MOST_WORDS = 60;

/**
 * Return whether a payload is of a game that sends its own public state; Hold'em does not.
 * @param {Fields | null | undefined} payload
 */
export function isOfAnotherGame(payload) {
  return isRecord(payload?.state) || isRecord(payload?.scores);
}

/**
 * Return the state after a hand started.
 * @param {TableState} state
 * @param {Fields} payload
 * @param {TableEvent} event
 */
export function gameStarted(state, payload, event) {
  const { seats, stacks } = dealtIn(state.seats, payload.players);
  const hand = {
    ...NEW_HAND,
    number: wholeOr(payload.handNumber, 0),
    id: event.handId ?? null,
    buttonSeat: wholeOr(payload.buttonSeat, null),
    street: "",
    stacks,
    game: { type: text(payload.gameType), first: payload.state, told: [], state: {}, house: null },
  };
  const running = { ...state, status: "running", state: null, seats };
  return withPublicState(running, hand, payload.state, payload.told);
}

/**
 * Return the state after a player's action.
 * @param {TableState} state
 * @param {Fields} payload
 */
export function gameActed(state, payload) {
  const hand = handOf(state, payload);
  const id = playerIdOf(payload);
  if (!id) return state;
  const seat = state.seats.get(id) ?? seatOf(payload);
  const action = text(payload.action).toLowerCase();
  const isOver = !wentBust(hand.game.state, id) && wentBust(payload.state, id);
  const words = actionText(payload) + (isOver ? ": bust" : "");
  const outcome = String(payload.outcome ?? "ok");
  const why = whyOf(payload.defaulted);
  const says = typeof payload.message === "string" ? payload.message : "";
  const seats = new Map(state.seats).set(id, {
    ...seat,
    isDealt: true,
    isFolded: seat.isFolded || action === "fold",
    last: { action, amount: null, outcome, why, words },
    says,
  });
  /** @type {ActionEntry} */
  const entry = {
    kind: "action",
    id,
    name: seat.name,
    action,
    outcome,
    why,
    model: seat.model,
    says,
    amount: null,
    words,
    latencyMs: latencyOf(payload),
  };
  const next = { ...hand, log: [...hand.log, entry] };
  return withPublicState({ ...state, seats }, next, payload.state, payload.told);
}

/**
 * Return the state after a hand ended: scores and stacks.
 * @param {TableState} state
 * @param {Fields} payload
 * @returns {TableState}
 */
export function gameCompleted(state, payload) {
  const hand = handOf(state, payload);
  const seats = new Map(state.seats);
  const change = seatChanger(seats);
  /** @type {LogEntry[]} */
  const log = [...hand.log];
  for (const [id, value] of fields(payload.scores)) {
    const score = signed(value);
    const { name } = change(id, (seat) => ({
      score,
      won: Math.max(0, score),
      stack: Math.max(0, exact(seat.stack + score)),
    }));
    if (score !== 0) log.push({ kind: "score", name, score });
  }
  for (const { playerId, stack } of records(payload.stacks)) {
    change(playerId, () => ({ stack: amount(stack) }));
  }
  for (const { playerId, points, place } of records(payload.points)) {
    const name = seats.get(text(playerId))?.name ?? text(playerId);
    log.push({ kind: "note", text: `${wholeOr(place, 0)}. ${name}: ${signed(points)} points` });
  }
  const house = typeof payload.house === "number" ? signed(payload.house) : null;
  if (house) log.push({ kind: "score", name: "The bank", score: house });
  const decisions = disclosedOf(hand, payload);
  log.push(...costNotes(decisions, seats));
  const result = isRecord(payload.result) ? payload.result.public : undefined;
  const after = withPublicState(
    { ...state, seats, handCount: state.handCount + 1 },
    {
      ...hand,
      log,
      decisions,
      phase: "over",
      pauseMs: amount(payload.pauseMs),
      game: { ...hand.game, house },
    },
    result,
    payload.told,
  );
  return { ...after, hand: { ...after.hand, actor: null } };
}

/**
 * Return the state with a hand and the game's public state; without one the latest stays.
 * @param {TableState} state
 * @param {GameHand} hand
 * @param {unknown} publicState
 * @param {unknown} told The state in the game's sentences, if it has any.
 * @returns {TableState & { hand: GameHand }}
 */
function withPublicState(state, hand, publicState, told) {
  if (!isRecord(publicState) || fields(publicState).length === 0) return { ...state, hand };
  const cards = cardsBySeat(publicState, state.seats);
  const seats = new Map(state.seats);
  for (const [id, seat] of seats) seats.set(id, { ...seat, cards: cards.get(id) ?? null });
  const turn = text(publicState.current_player ?? publicState.currentPlayer);
  const actor = seats.has(turn) ? turn : null;
  const game = { ...hand.game, state: publicState, told: list(told).map(String) };
  return { ...state, seats, hand: { ...hand, actor, game } };
}

/**
 * Return an action as words: its type and its details, such as "play card 7".
 * @param {Fields} payload
 */
function actionText({ action, details }) {
  const rest = fields(details).filter(([key]) => !["action_type", "actionType"].includes(key));
  const values = rest.map(([, value]) => (isRecord(value) ? "…" : String(value)));
  const words = [wordsOf(text(action)), ...values].join(" ");
  return words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS - 1)}…` : words;
}

/**
 * Return the hand that an event belongs to. Of a hand whose start was missed, only a part is there.
 * @param {TableState} state
 * @param {Fields} payload
 * @returns {GameHand}
 */
function handOf({ hand }, payload) {
  const number = wholeOr(payload.handNumber, hand?.number ?? 0);
  const game = hand?.game;
  if (hand && game && hand.phase === "betting" && hand.number === number) return { ...hand, game };
  return {
    ...NEW_HAND,
    number,
    street: "",
    game: { type: "", first: null, told: [], state: {}, house: null },
  };
}
