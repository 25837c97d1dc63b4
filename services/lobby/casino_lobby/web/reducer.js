/**
 * The table as the public sees it: a pure fold of table events, for the live view and the replay.
 *
 * `reduce(state, event)` returns the next state, which shares with the last one whatever has not
 * changed, so a view may compare by identity. It may begin in the middle of a hand. What a table of
 * a third party sends is checked: no text becomes a number, and no key becomes a property.
 */
// @ts-check

/** @import { Fields, NoteEntry, Room, Seat, Seats, TableEvent, TableState } from "./types.js" */

import { gameActed, gameCompleted, gameStarted, isOfAnotherGame } from "./game_fold.js";
import { actionTaken, handCompleted, handStarted, streetDealt } from "./holdem_fold.js";
import {
  amount,
  amountOr,
  isRecord,
  list,
  NO_HAND,
  playerIdOf,
  records,
  seatOf,
  text,
  wholeOr,
} from "./reading.js";

/** The statuses of a table. */
const STATUSES = new Set(["waiting", "running", "idle", "error"]);

const LIST = new Intl.ListFormat("en-GB");

/** The most notes from between two hands that are kept. */
const MOST_BETWEEN = 12;

/**
 * The state before any event.
 * @type {Readonly<TableState>}
 */
export const EMPTY = Object.freeze({
  epoch: 0,
  sequence: 0,
  status: "waiting",
  state: null,
  message: "",
  at: null,
  handCount: 0,
  handsLeft: null,
  seats: new Map(),
  between: [],
  atEnd: null,
  hand: null,
});

/**
 * Return the state of a room's snapshot: its newest events, and where its seats stand.
 * @param {Pick<Room, "epoch" | "state" | "events" | "summary">} room
 * @returns {TableState}
 */
export function fromSnapshot(room) {
  const players = room.summary?.players ?? [];
  const begin = { ...EMPTY, epoch: room.epoch ?? 0 };
  const events = (room.events ?? []).filter((event) => (event.epoch ?? 0) >= begin.epoch);
  begin.seats = new Map(players.map((player) => [String(player.playerId), seatOf(player)]));
  const state = events.reduce(reduce, begin);
  const hasHandStart = events.some((event) => event.eventType === "hand_started");
  const playersNow = new Map(players.map((player) => [String(player.playerId), player]));
  /** @type {Seats} */
  const seats = new Map();
  for (const [id, seat] of state.seats) {
    const player = playersNow.get(id);
    if (!player && !seat.isDealt) continue;
    // Blinds of this hand are in the fold alone; before any hand the summary has the exact stack.
    seats.set(id, hasHandStart || !player ? seat : { ...seat, stack: amount(player.stack) });
  }
  return {
    ...state,
    seats,
    status: room.summary?.status ?? state.status,
    state: room.state ?? null,
    waits: room.summary?.waits ?? [],
    handCount: room.summary?.handCount ?? state.handCount,
    message: room.summary?.message ?? state.message,
  };
}

/**
 * Return the state after an event. An event that was applied before, or that belongs to an earlier
 * epoch, changes nothing.
 * @param {TableState} state
 * @param {TableEvent} event
 * @returns {TableState}
 */
export function reduce(state, event) {
  const epoch = event.epoch ?? state.epoch;
  const isRepeated = event.sequence !== undefined && event.sequence <= state.sequence;
  if (epoch < state.epoch || (epoch === state.epoch && isRepeated)) return state;
  // A new epoch of the table cancels an unfinished hand.
  const before = epoch > state.epoch && state.epoch > 0 ? cancelled(state) : state;
  const next = {
    ...before,
    epoch,
    sequence: event.sequence ?? state.sequence,
    message: String(event.message ?? ""),
    at: event.timestamp ?? null,
  };
  const folds = isOfAnotherGame(event.payload) ? GAME_FOLDS : FOLDS;
  const fold = folds.get(event.eventType) ?? noted;
  return fold(next, event.payload ?? {}, event);
}

/**
 * Return the state as people see it: a closed table with those who were there at the end.
 * @param {TableState} state
 * @returns {TableState}
 */
export function asSeen(state) {
  return state.atEnd && state.seats.size === 0 ? { ...state, seats: state.atEnd } : state;
}

/** @typedef {(state: TableState, payload: Fields, event: TableEvent) => TableState} Fold */

/** Of a kind that is not here the log shows the message. @type {Map<string, Fold>} */
const FOLDS = new Map([
  ["player_registered", registered],
  ["hand_started", afterNotes(handStarted)],
  ["action_taken", actionTaken],
  ["hand_completed", handCompleted],
  ["player_busted", busted],
  ["table_status", tableStatus],
  ["table_error", tableError],
]);

/** @type {Map<string, Fold>} */
const GAME_FOLDS = new Map([
  ...FOLDS,
  ["hand_started", afterNotes(gameStarted)],
  ["action_taken", gameActed],
  ["hand_completed", gameCompleted],
]);

/** @type {Fold} */
function registered(state, payload) {
  const seat = seatOf(payload);
  const { name, number, stack, model } = seat;
  if (!playerIdOf(payload) || number === null) return state;
  return noted(
    withSeat(state, { ...(state.seats.get(seat.id) ?? seat), name, number, stack, model }),
  );
}

/** @type {Fold} */
function busted(state, payload) {
  return noted(withChange(state, payload, { finish: wholeOr(payload.finish, 0) }));
}

/** @type {Fold} */
function tableStatus(state, payload) {
  const next = withStatus(state, payload);
  switch (payload.kind) {
    case "started":
      return { ...next, state: null, handsLeft: wholeOr(payload.handsLeft, null) };
    case "street_dealt":
      return streetDealt(next, payload);
    case "hand_cancelled":
      return cancelled(next);
    case "sat_out":
      return noted(withChange(next, payload, { isOut: true }));
    case "returned":
      return noted(withChange(next, payload, { isOut: false }));
    case "rebought":
    case "cashed_out":
      return noted(rebought(next, payload));
    case "left":
      return noted(withoutSeat(next, payload));
    case "deal_committed":
    case "deal_contributed":
      return noted({ ...next, message: dealWords(payload, next.seats) });
    case "paused":
      return { ...next, state: "paused" };
    case "finished":
      return { ...next, state: null };
    case "closed":
      return { ...next, state: "closed", seats: new Map(), atEnd: dealtSeats(next) };
    default:
      return next;
  }
}

/**
 * Return what a table committed to, or who had a part in its deal, as a line of the log.
 * @param {Fields} payload
 * @param {Seats} seats
 */
function dealWords({ commitment, contributed }, seats) {
  /** @type {(of: unknown) => string} */
  const names = (of) => {
    const all = records(of).map((one) => {
      const id = playerIdOf(one);
      return id ? (seats.get(id)?.name ?? id) : "the lobby";
    });
    return LIST.format(all);
  };
  if (isRecord(commitment)) {
    const hands = Math.floor((text(commitment.roots).length * 3) / 4 / 32);
    return `Deal committed: ${hands} ${hands === 1 ? "hand" : "hands"}`;
  }
  const { contributions, missing } = isRecord(contributed) ? contributed : {};
  const late = names(missing);
  const leftOut = late && `; ${late} ${list(missing).length === 1 ? "was" : "were"} left out`;
  return `Deal: ${names(contributions) || "nobody"} contributed${leftOut}`;
}

/**
 * Return the state with a player's stack after chips were bought or paid out.
 * @param {TableState} state
 * @param {Fields} payload
 */
function rebought(state, payload) {
  const seat = state.seats.get(playerIdOf(payload));
  if (!seat) return state;
  return withSeat(state, { ...seat, stack: amountOr(payload.stack, seat.stack), finish: null });
}

/** @type {Fold} */
function tableError(state, payload) {
  return noted(withStatus(state, payload));
}

/**
 * Return the state with its latest message in the log of the hand, if there is a hand. What happens
 * between two hands is in the log of the next one, too: nobody has time to read it in the last one.
 * @param {TableState} state
 */
function noted(state) {
  const { hand, message } = state;
  if (!message) return state;
  /** @type {NoteEntry} */
  const entry = { kind: "note", text: message };
  const isBetween = hand?.phase !== "betting";
  const between = isBetween ? [...state.between, entry].slice(-MOST_BETWEEN) : state.between;
  return { ...state, between, hand: hand && { ...hand, log: [...hand.log, entry] } };
}

/** @type {(fold: Fold) => Fold} The fold of a hand's start, with what happened before it. */
function afterNotes(fold) {
  return (state, payload, event) => {
    const { between } = state;
    const next = fold({ ...state, between: [] }, payload, event);
    return next.hand
      ? { ...next, hand: { ...next.hand, log: [...between, ...next.hand.log] } }
      : next;
  };
}

/**
 * Return the seats of the latest hand's players: who was there at the end.
 * @param {TableState} state
 * @returns {Seats}
 */
function dealtSeats({ seats }) {
  return new Map([...seats].filter(([, seat]) => seat.isDealt));
}

/**
 * Return the state with the running hand cancelled: every stack is as it was before the hand.
 * @param {TableState} state
 * @returns {TableState}
 */
function cancelled(state) {
  const { hand } = state;
  if (hand?.phase !== "betting") return state;
  /** @type {Seats} */
  const seats = new Map();
  for (const [id, seat] of state.seats) {
    seats.set(id, { ...seat, ...NO_HAND, stack: hand.stacks.get(id) ?? seat.stack });
  }
  /** @type {NoteEntry} */
  const entry = { kind: "note", text: "The hand was cancelled: all chips go back." };
  const log = [...hand.log, entry];
  return {
    ...state,
    seats,
    hand: { ...hand, phase: "cancelled", pot: 0, pots: [], due: [], actor: null, log },
  };
}

/**
 * Return the state with the table's status of a payload, if it has any.
 * @param {TableState} state
 * @param {Fields} payload
 */
function withStatus(state, { status }) {
  return typeof status === "string" && STATUSES.has(status) ? { ...state, status } : state;
}

/**
 * Return the state with a change to the seat of a payload's player, if the player has one.
 * @param {TableState} state
 * @param {Fields} payload
 * @param {Partial<Seat>} difference
 */
function withChange(state, payload, difference) {
  const seat = state.seats.get(playerIdOf(payload));
  return seat ? withSeat(state, { ...seat, ...difference }) : state;
}

/**
 * @param {TableState} state
 * @param {Seat} seat
 */
function withSeat(state, seat) {
  return { ...state, seats: new Map(state.seats).set(seat.id, seat) };
}

/**
 * @param {TableState} state
 * @param {Fields} payload
 */
function withoutSeat(state, payload) {
  const seats = new Map(state.seats);
  seats.delete(playerIdOf(payload));
  return { ...state, seats };
}
