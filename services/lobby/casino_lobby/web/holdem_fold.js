/** The fold of Hold'em: what its events change at the table, and what follows from its rules. */
// @ts-check

/** @import { ActionEntry, Fields, Hand, LogEntry, Seats, TableEvent, TableState } from "./types.js" */

import { exact, nextOf, owing, sidePots } from "./betting.js";
import {
  amount,
  amountOr,
  cards,
  dealtIn,
  disclosedOf,
  isRecord,
  latencyOf,
  NEW_HAND,
  playerIdOf,
  records,
  seatChanger,
  seatOf,
  wholeOr,
  whyOf,
} from "./reading.js";
import { chips, costNotes } from "./words.js";

/**
 * Return the state after a hand started, with its blinds and antes posted.
 * @param {TableState} state
 * @param {Fields} payload
 * @param {TableEvent} event
 */
export function handStarted(state, payload, event) {
  const { seats, stacks } = dealtIn(state.seats, payload.players);
  const bigBlind = amount(payload.bigBlind);
  /** @type {LogEntry[]} */
  const log = [];
  let pot = 0;
  let currentBet = bigBlind;
  for (const post of records(payload.posted)) {
    const seat = seats.get(String(post.playerId));
    if (!seat) continue;
    const chips = Math.min(amount(post.amount), seat.stack);
    const kind = String(post.kind);
    const isBet = kind !== "ante" && post.isDead !== true;
    const bet = isBet ? exact(seat.bet + chips) : seat.bet;
    seats.set(seat.id, {
      ...seat,
      stack: exact(seat.stack - chips),
      committed: exact(seat.committed + chips),
      bet,
      post: isBet ? kind : seat.post,
    });
    pot = exact(pot + chips);
    if (isBet) currentBet = Math.max(currentBet, bet);
    const what = post.isDead === true ? `dead ${kind}` : kind;
    log.push({ kind: "post", id: seat.id, name: seat.name, what, amount: chips });
  }
  const hand = {
    ...NEW_HAND,
    number: wholeOr(payload.handNumber, 0),
    id: event.handId ?? null,
    buttonSeat: wholeOr(payload.buttonSeat, null),
    smallBlind: amount(payload.smallBlind),
    bigBlind,
    ante: amount(payload.ante),
    pot,
    currentBet,
    stacks,
    log,
  };
  const running = { ...state, status: "running", state: null, seats };
  return withActor(running, hand, [...seats.keys()], opener(seats, hand));
}

/**
 * Return the state after a player's action.
 * @param {TableState} state
 * @param {Fields} payload
 */
export function actionTaken(state, payload) {
  const hand = handOf(state, payload);
  const seats = new Map(state.seats);
  const id = playerIdOf(payload);
  if (!id) return state;
  const seat = seats.get(id) ?? seatOf(payload);
  const total = typeof payload.amount === "number" ? amount(payload.amount) : seat.bet;
  const bet = Math.max(total, seat.bet);
  const action = String(payload.action);
  const says = typeof payload.message === "string" ? payload.message : "";
  const outcome = String(payload.outcome ?? "ok");
  const why = whyOf(payload.defaulted);
  const shownAmount =
    typeof payload.amount !== "number" ? null : action === "call" ? exact(bet - seat.bet) : bet;
  const stack = amountOr(payload.stack, exact(Math.max(0, seat.stack - bet + seat.bet)));
  seats.set(id, {
    ...seat,
    bet,
    committed: exact(seat.committed + bet - seat.bet),
    stack,
    isDealt: true,
    isFolded: seat.isFolded || action === "fold",
    last: { action, amount: shownAmount, outcome, why },
    says,
  });
  const isRaise = bet > hand.currentBet;
  const due = (isRaise ? [...seats.keys()] : hand.due).filter((playerId) => playerId !== id);
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
    amount: shownAmount,
    latencyMs: latencyOf(payload),
  };
  const next = {
    ...hand,
    street: String(payload.bettingRound ?? hand.street),
    pot: payload.pot === undefined ? hand.pot : amount(payload.pot),
    pots: sidePots(seats.values()),
    currentBet: Math.max(hand.currentBet, bet),
    log: [...hand.log, entry],
  };
  return withActor({ ...state, seats }, next, due, seat.number ?? -1);
}

/**
 * Return the state after the cards of a street were dealt.
 * @param {TableState} state
 * @param {Fields} payload
 */
export function streetDealt(state, payload) {
  const hand = handOf(state, payload);
  const board = cards(payload.communityCards);
  const street = String(payload.bettingRound ?? hand.street);
  /** @type {Seats} */
  const seats = new Map();
  for (const [id, seat] of state.seats) {
    const last = seat.isFolded || seat.stack === 0 ? seat.last : null;
    seats.set(id, { ...seat, bet: 0, last, says: "" });
  }
  /** @type {LogEntry} */
  const entry = { kind: "street", street, cards: board.slice(hand.board.length) };
  const next = { ...hand, street, board, currentBet: 0, log: [...hand.log, entry] };
  return withActor({ ...state, seats }, next, [...seats.keys()], opener(seats, next));
}

/**
 * Return the state after a hand ended: shown cards, winnings and stacks.
 * @param {TableState} state
 * @param {Fields} payload
 * @returns {TableState}
 */
export function handCompleted(state, payload) {
  const hand = handOf(state, payload);
  /** @type {Seats} */
  const seats = new Map();
  for (const [id, seat] of state.seats) {
    seats.set(id, { ...seat, bet: 0, last: seat.isFolded ? seat.last : null });
  }
  const change = seatChanger(seats);
  const pots = records(payload.pots);
  const awards = pots.map(({ winners }) =>
    records(winners).map((one) => ({ id: String(one.playerId), amount: amount(one.amount) })),
  );
  for (const share of awards.flat())
    change(share.id, (seat) => ({ won: exact(seat.won + share.amount) }));
  const shown = records(payload.shown).map(({ playerId, rankName, bestFive, ...hole }) => {
    const best = bestFive ? cards(bestFive) : null;
    return change(playerId, () => ({
      cards: cards(hole.cards),
      rank: String(rankName ?? ""),
      best,
    })).id;
  });
  for (const { playerId, stack } of records(payload.stacks)) {
    change(playerId, (seat) => ({ stack: amountOr(stack, seat.stack) }));
  }
  /** @type {LogEntry[]} */
  const results = [...seats.values()]
    .filter((seat) => seat.cards || seat.won > 0)
    .map(({ id, name, won, rank, cards }) => ({ kind: "result", id, name, won, rank, cards }));
  const amounts = pots.map((pot) => amount(pot.amount));
  const { returned, rake } = payload;
  /** @type {LogEntry[]} */
  const notes = [];
  if (payload.isCancelled === true) notes.push({ kind: "note", text: "The hand is cancelled" });
  if (rake) notes.push({ kind: "note", text: `Rake ${chips(amount(rake))}` });
  const decisions = disclosedOf(hand, payload);
  return {
    ...state,
    seats,
    handCount: state.handCount + 1,
    hand: {
      ...hand,
      board: cards(payload.communityCards),
      phase: "over",
      due: [],
      actor: null,
      currentBet: 0,
      returned: isRecord(returned)
        ? { id: String(returned.playerId), amount: amount(returned.amount) }
        : null,
      pot: exact(amounts.reduce((sum, pot) => sum + pot, 0)),
      pots: amounts.length > 1 ? amounts : [],
      awards,
      shown,
      pauseMs: amount(payload.pauseMs),
      decisions,
      log: [...hand.log, ...results, ...notes, ...costNotes(decisions, seats)],
    },
  };
}

/**
 * Return the seat number after which the action of a street begins.
 * @param {Seats} seats
 * @param {Hand} hand
 */
function opener(seats, hand) {
  if (hand.street !== "preflop") return hand.buttonSeat ?? -1;
  const posters = [...seats.values()].filter(({ post }) => post === "straddle");
  const last = posters.sort((left, right) => right.bet - left.bet)[0];
  const poster = last ?? [...seats.values()].find((seat) => seat.post === "big-blind");
  return poster?.number ?? hand.buttonSeat ?? -1;
}

/**
 * Return the state with a hand, its players who have to act, and the first of them after a seat.
 * @param {TableState} state
 * @param {Hand} hand
 * @param {string[]} candidates Player ids.
 * @param {number} number The number of the seat before.
 * @returns {TableState}
 */
function withActor(state, hand, candidates, number) {
  const seats = [...state.seats.values()];
  const due = owing(seats, candidates);
  return { ...state, hand: { ...hand, due, actor: nextOf(seats, due, number) } };
}

/**
 * Return the hand that an event belongs to. Of a hand whose start was missed, only a part is there.
 * @param {TableState} state
 * @param {Fields} payload
 * @returns {Hand}
 */
function handOf({ hand }, payload) {
  const number = wholeOr(payload.handNumber, hand?.number ?? 0);
  if (hand && hand.phase === "betting" && hand.number === number) return hand;
  return { ...NEW_HAND, number, stacks: new Map() };
}
