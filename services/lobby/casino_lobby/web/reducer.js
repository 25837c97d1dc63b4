/**
 * The table as its public sees it: a pure fold of table events, for the live view and the replay.
 *
 * `reduce(state, event)` returns the next state and shares with the last one what has not changed,
 * so a view may compare by identity. It may begin in the middle of a hand, and takes what a
 * stranger's table says with care: no text of an event is a number, no key of it is a property.
 */

import { exact, nextOf, owing, sidePots } from "./betting.js";
import { gameActed, gameCompleted, gameStarted, isOfAnotherGame } from "./game_fold.js";
import { amount, cards, dealtIn, list, NEW_HAND, NO_HAND, seatOf } from "./reading.js";

/** The state before any event. Seats are by player id. */
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
  hand: null,
});

/** Return the state that a room's snapshot tells: its newest events, and where its seats stand. */
export function fromSnapshot(room) {
  const players = room.summary?.players ?? [];
  const begin = { ...EMPTY, epoch: room.epoch ?? 0 };
  const events = list(room.events).filter((event) => (event.epoch ?? 0) >= begin.epoch);
  begin.seats = new Map(players.map((player) => [String(player.playerId), seatOf(player)]));
  const state = events.reduce(reduce, begin);
  const sawHand = events.some((event) => event.eventType === "hand_started");
  const now = new Map(players.map((player) => [String(player.playerId), player]));
  const seats = new Map();
  for (const [id, seat] of state.seats) {
    if (!now.has(id) && !seat.isDealt) continue;
    // What was posted in this hand is in the fold alone; before any hand the summary knows best.
    seats.set(id, sawHand || !now.has(id) ? seat : { ...seat, stack: amount(now.get(id).stack) });
  }
  return {
    ...state,
    seats,
    status: room.summary?.status ?? state.status,
    state: room.state ?? null,
    handCount: room.summary?.handCount ?? state.handCount,
    message: room.summary?.message ?? state.message,
  };
}

/** Return the state after an event; one that is known already changes nothing. */
export function reduce(state, event) {
  const epoch = event.epoch ?? state.epoch;
  const isKnown = event.sequence !== undefined && event.sequence <= state.sequence;
  if (epoch < state.epoch || (epoch === state.epoch && isKnown)) return state;
  // A new reign of the table takes an unfinished hand back.
  const before = epoch > state.epoch && state.epoch > 0 ? cancelled(state) : state;
  const next = {
    ...before,
    epoch,
    sequence: event.sequence ?? state.sequence,
    message: String(event.message ?? ""),
    at: event.timestamp ?? null,
  };
  const fold = (isOfAnotherGame(event.payload) ? GAME_FOLDS : FOLDS).get(event.eventType);
  return fold ? fold(next, event.payload ?? {}, event) : next;
}

const FOLDS = new Map([
  ["player_registered", registered],
  ["hand_started", handStarted],
  ["action_taken", actionTaken],
  ["hand_completed", handCompleted],
  ["player_busted", (state, payload) => changed(state, payload, { finish: payload.finish ?? 0 })],
  ["table_status", tableStatus],
  ["table_error", tableError],
]);

const GAME_FOLDS = new Map([
  ...FOLDS,
  ["hand_started", gameStarted],
  ["action_taken", gameActed],
  ["hand_completed", gameCompleted],
]);

function registered(state, payload) {
  const seat = seatOf(payload);
  const known = state.seats.get(seat.id);
  return withSeat(
    state,
    known ? { ...known, name: seat.name, number: seat.number, stack: seat.stack } : seat,
  );
}

function handStarted(state, payload, event) {
  const { seats, stacks } = dealtIn(state.seats, payload.players);
  const bigBlind = amount(payload.bigBlind);
  const log = [];
  let pot = 0;
  let currentBet = bigBlind;
  for (const forced of list(payload.posted)) {
    const seat = seats.get(String(forced.playerId));
    if (!seat) continue;
    const chips = Math.min(amount(forced.amount), seat.stack);
    const isBet = forced.kind !== "ante";
    seats.set(seat.id, {
      ...seat,
      stack: exact(seat.stack - chips),
      committed: exact(seat.committed + chips),
      bet: isBet ? exact(seat.bet + chips) : seat.bet,
      post: isBet ? forced.kind : seat.post,
    });
    pot = exact(pot + chips);
    if (isBet) currentBet = Math.max(currentBet, seats.get(seat.id).bet);
    log.push({
      kind: "post",
      id: seat.id,
      name: seat.name,
      what: String(forced.kind),
      amount: chips,
    });
  }
  const hand = {
    number: payload.handNumber,
    id: event.handId ?? null,
    buttonSeat: payload.buttonSeat ?? null,
    smallBlind: amount(payload.smallBlind),
    bigBlind,
    ante: amount(payload.ante),
    street: "preflop",
    board: [],
    pot,
    pots: [],
    currentBet,
    due: [],
    actor: null,
    returned: null,
    phase: "betting",
    stacks,
    log,
    game: null,
  };
  return asked(
    { ...state, status: "running", state: null, seats, hand },
    [...seats.keys()],
    opener(seats, hand),
  );
}

/** Return the seat number after which the action of this street begins. */
function opener(seats, hand) {
  if (hand.street !== "preflop") return hand.buttonSeat ?? -1;
  const poster = [...seats.values()].find((seat) => seat.post === "big-blind");
  return poster?.number ?? hand.buttonSeat ?? -1;
}

function actionTaken(state, payload) {
  const [hand, seats] = [handOf(state, payload), new Map(state.seats)];
  const id = String(payload.playerId);
  const seat = seats.get(id) ?? seatOf(payload);
  const total = typeof payload.amount === "number" ? amount(payload.amount) : seat.bet;
  const bet = Math.max(total, seat.bet);
  const action = String(payload.action);
  const says = typeof payload.message === "string" ? payload.message : "";
  const outcome = String(payload.outcome ?? "ok");
  // People say what a call costs, and what a bet or a raise comes to.
  const told =
    typeof payload.amount !== "number" ? null : action === "call" ? exact(bet - seat.bet) : bet;
  seats.set(id, {
    ...seat,
    bet,
    committed: exact(seat.committed + bet - seat.bet),
    stack:
      payload.stack === undefined
        ? exact(Math.max(0, seat.stack - bet + seat.bet))
        : amount(payload.stack),
    isDealt: true,
    isFolded: seat.isFolded || action === "fold",
    last: { action, amount: told, outcome },
    says,
  });
  const isRaise = bet > hand.currentBet;
  const due = isRaise
    ? [...seats.keys()].filter((other) => other !== id)
    : hand.due.filter((other) => other !== id);
  const entry = {
    kind: "action",
    id,
    name: seat.name,
    action,
    outcome,
    says,
    amount: told,
    latencyMs: payload.latencyMs ?? null,
  };
  const next = {
    ...hand,
    street: payload.bettingRound ?? hand.street,
    pot: payload.pot === undefined ? hand.pot : amount(payload.pot),
    pots: sidePots(seats.values()),
    currentBet: Math.max(hand.currentBet, bet),
    log: [...hand.log, entry],
  };
  return asked({ ...state, seats, hand: next }, due, seat.number ?? -1);
}

function streetDealt(state, payload) {
  const hand = handOf(state, payload);
  const board = cards(payload.communityCards);
  const street = String(payload.bettingRound ?? hand.street);
  const seats = new Map();
  for (const [id, seat] of state.seats) {
    const last = seat.isFolded || seat.stack === 0 ? seat.last : null;
    seats.set(id, { ...seat, bet: 0, last, says: "" });
  }
  const entry = { kind: "street", street, cards: board.slice(hand.board.length) };
  const next = { ...hand, street, board, currentBet: 0, log: [...hand.log, entry] };
  return asked({ ...state, seats, hand: next }, [...seats.keys()], opener(seats, next));
}

function handCompleted(state, payload) {
  const hand = handOf(state, payload);
  const board = cards(payload.communityCards);
  const seats = new Map();
  for (const [id, seat] of state.seats)
    seats.set(id, { ...seat, bet: 0, last: seat.isFolded ? seat.last : null });
  const change = (id, difference) => {
    const seat = seats.get(String(id)) ?? seatOf({ playerId: id });
    seats.set(seat.id, { ...seat, ...difference(seat) });
  };
  const pots = list(payload.pots);
  for (const share of pots.flatMap((pot) => list(pot.winners))) {
    change(share.playerId, (seat) => ({ won: exact(seat.won + amount(share.amount)) }));
  }
  for (const shown of list(payload.shown)) {
    change(shown.playerId, () => ({
      cards: cards(shown.cards),
      rank: String(shown.rankName ?? ""),
      best: shown.bestFive ? cards(shown.bestFive) : null,
    }));
  }
  for (const after of list(payload.stacks))
    change(after.playerId, () => ({ stack: amount(after.stack) }));
  const results = [...seats.values()]
    .filter((seat) => seat.cards || seat.won > 0)
    .map((seat) => ({
      kind: "result",
      id: seat.id,
      name: seat.name,
      won: seat.won,
      rank: seat.rank,
      cards: seat.cards,
    }));
  const amounts = pots.map((pot) => amount(pot.amount));
  return {
    ...state,
    seats,
    handCount: state.handCount + 1,
    hand: {
      ...hand,
      board,
      phase: "over",
      due: [],
      actor: null,
      currentBet: 0,
      returned: payload.returned
        ? { id: String(payload.returned.playerId), amount: amount(payload.returned.amount) }
        : null,
      pot: exact(amounts.reduce((sum, pot) => sum + pot, 0)),
      pots: amounts.length > 1 ? amounts : [],
      log: [...hand.log, ...results],
    },
  };
}

function tableStatus(state, payload) {
  const next = typeof payload.status === "string" ? { ...state, status: payload.status } : state;
  switch (payload.kind) {
    case "started":
      return { ...next, state: null, handsLeft: payload.handsLeft ?? null };
    case "street_dealt":
      return streetDealt(next, payload);
    case "hand_cancelled":
      return cancelled(next);
    case "sat_out":
      return changed(next, payload, { isOut: true });
    case "returned":
      return changed(next, payload, { isOut: false });
    case "rebought":
      return changed(next, payload, { stack: amount(payload.stack), finish: null });
    case "left":
      return without(next, payload);
    case "paused":
      return { ...next, state: "paused" };
    case "finished":
      return { ...next, state: null };
    case "closed":
      return { ...next, state: "closed", seats: new Map() };
    default:
      return next;
  }
}

function tableError(state, payload) {
  const next = typeof payload.status === "string" ? { ...state, status: payload.status } : state;
  if (!next.hand) return next;
  const entry = { kind: "note", text: next.message };
  return { ...next, hand: { ...next.hand, log: [...next.hand.log, entry] } };
}

/** Return the state with the running hand taken back: every stack is as it was before it. */
function cancelled(state) {
  if (state.hand?.phase !== "betting") return state;
  const seats = new Map();
  for (const [id, seat] of state.seats) {
    seats.set(id, { ...seat, ...NO_HAND, stack: state.hand.stacks.get(id) ?? seat.stack });
  }
  const log = [
    ...state.hand.log,
    { kind: "note", text: "The hand was cancelled: all chips go back." },
  ];
  return {
    ...state,
    seats,
    hand: { ...state.hand, phase: "cancelled", pot: 0, pots: [], due: [], actor: null, log },
  };
}

/** Return the state with those who owe a decision, the first after seat `number` as the actor. */
function asked(state, candidates, number) {
  const seats = [...state.seats.values()];
  const due = owing(seats, candidates);
  return { ...state, hand: { ...state.hand, due, actor: nextOf(seats, due, number) } };
}

/** Return the hand that an event belongs to; one that was begun unseen is known in part. */
function handOf(state, payload) {
  const number = payload.handNumber ?? state.hand?.number;
  if (state.hand && state.hand.phase === "betting" && state.hand.number === number)
    return state.hand;
  return { ...NEW_HAND, number, stacks: new Map() };
}

function changed(state, payload, difference) {
  const seat = state.seats.get(String(payload.playerId));
  return seat ? withSeat(state, { ...seat, ...difference }) : state;
}

function withSeat(state, seat) {
  return { ...state, seats: new Map(state.seats).set(seat.id, seat) };
}

function without(state, payload) {
  const seats = new Map(state.seats);
  seats.delete(String(payload.playerId));
  return { ...state, seats };
}
