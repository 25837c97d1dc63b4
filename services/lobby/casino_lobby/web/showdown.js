/**
 * How the end of a hand is shown in the pause after it: hands are turned one after the other, or
 * the rest of the board is dealt beside open hands; then each pot goes to its winners.
 */
// @ts-check

/** @import { Hand, Seat, Seats, TableState } from "./types.js" */

import { exact } from "./betting.js";
import { numberOf, SHOWDOWN, strengthOf } from "./insight.js";

/**
 * @typedef {object} Act What is seen from a time on.
 * @property {number} at Milliseconds after the end of the hand.
 * @property {number} open How many of the shown hands lie open.
 * @property {number} board How many cards lie on the board.
 * @property {number} pots How many pots are not paid; the last one is paid first.
 * @property {number} [share] How much of that one is in the stacks; before, nobody has won.
 */

/** A shorter pause shows everything at once. */
const LEAST_MS = 600;
/** Shares of the pause: for the hands, for the board beside open hands, for the pots. */
const [TURNED, DEALT, PAID] = [0.16, 0.4, 0.3];
/** When a pot lies before its winners, and when how much of it is in their stacks. */
const COUNTED = [0, 0.6, 0.7, 0.8, 0.9];
const STREETS = ["preflop", "", "", "flop", "turn", "river"];

/**
 * Return the number of lines of the log until betting ended.
 * @param {Hand} hand
 */
function bettingOf({ log }) {
  return log.findLastIndex(({ kind }) => kind === "action" || kind === "post") + 1;
}

/**
 * Return the acts of a hand's end; none if it is shown at once.
 * @param {Hand} hand
 * @param {number} drawn How many cards of the board were seen before.
 * @param {number} pauseMs
 */
export function actsOf(hand, drawn, pauseMs) {
  const { shown, awards, log } = hand;
  /** @type {Act[]} */
  const acts = [];
  if (pauseMs < LEAST_MS || awards.length === 0) return acts;
  const full = hand.board.length;
  let at = 0;
  /** @type {(ms: number, open: number, board: number) => void} */
  const add = (ms, open, board) => {
    acts.push({ at, open, board, pots: awards.length });
    at += ms;
  };
  const late = log
    .slice(bettingOf(hand))
    .flatMap((line) => (line.kind === "street" ? line.cards : []));
  const first = Math.max(drawn, full - late.length);
  if (shown.length > 1 && first < full) {
    const boards = [0, 3, 4, full].filter((count) => count >= first && count <= full);
    for (const count of boards) add((pauseMs * DEALT) / boards.length, shown.length, count);
  } else if (shown.length > 0) {
    const turns = Math.max(1, shown.length - 1); // the last hand tells who wins
    for (let open = 1; open <= turns; open += 1) add((pauseMs * TURNED) / turns, open, full);
  }
  const forPot = (pauseMs * PAID) / awards.length;
  for (let pots = awards.length; pots > 0; pots -= 1, at += forPot)
    COUNTED.forEach((time, index) => {
      const share = index / COUNTED.length;
      acts.push({ at: at + time * forPot, open: shown.length, board: full, pots, share });
    });
  acts.push({ at, open: shown.length, board: full, pots: 1, share: 1 });
  return acts;
}

/**
 * Return the state after a hand as it is seen in an act.
 * @param {TableState & { hand: Hand }} state
 * @param {Act} act
 * @returns {TableState}
 */
export function stateIn(state, { open, board, pots, share }) {
  const { hand } = state;
  const [shown, isFull] = [hand.shown.slice(0, open), board === hand.board.length];
  /** @type {(seat: Seat | undefined) => number} */
  const strength = (seat) => strengthOf([...(seat?.cards ?? []), ...hand.board].map(numberOf));
  const most = Math.max(...shown.map((id) => strength(state.seats.get(id))));
  /** @type {(id: string, pots: Hand["awards"]) => number} */
  const won = (id, pots) =>
    pots.flat().reduce((sum, one) => sum + (one.id === id ? one.amount : 0), 0);
  /** @type {(seat: Seat) => Partial<Seat>} */
  const untold = (seat) => {
    const isOpen = shown.includes(seat.id);
    const isBeaten = isOpen && isFull && seat.won === 0 && strength(seat) < most;
    return {
      cards: isOpen ? seat.cards : null,
      rank: isOpen && isFull ? seat.rank : "",
      best: isBeaten ? [] : null,
      won: 0,
      finish: null,
    };
  };
  const isTold = share !== undefined;
  const paid = isTold ? pots - 1 : pots;
  /** @type {Seats} */
  const seats = new Map();
  for (const [id, seat] of state.seats) {
    const lying = won(id, hand.awards.slice(paid, pots));
    const bet = share ? Math.floor(exact(lying * (1 - share))) : lying;
    const stack = Math.max(0, exact(seat.stack - won(id, hand.awards.slice(0, paid)) - bet));
    seats.set(id, { ...seat, ...(isTold ? {} : untold(seat)), bet, stack });
  }
  if (isTold) return { ...state, seats };
  const betting = bettingOf(hand);
  const isAllIn = hand.log[betting]?.kind === "street";
  const line = isFull ? hand.log.findIndex(({ kind }) => kind === "result") : betting;
  const log = hand.log.slice(0, line);
  const street = isAllIn ? (STREETS[board] ?? hand.street) : SHOWDOWN;
  const cards = hand.board.slice(0, board);
  return { ...state, seats, hand: { ...hand, log, street, board: cards, phase: "betting" } };
}

/** The end of a hand in its acts, as time passes. */
export class Showdown {
  /** @type {Act[]} */
  #acts = [];
  #beganAt = 0;
  /** @type {Hand | null} */
  #last = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #draw;
  #isStill;

  /**
   * @param {() => void} draw Called when the next act begins.
   * @param {() => boolean} [isStill] Whether nothing may move.
   */
  constructor(draw, isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches) {
    this.#draw = draw;
    this.#isStill = isStill;
  }

  /**
   * Return what is seen of a state now. A hand's end has acts if the hand or the one before was seen.
   * @param {TableState} state
   * @param {() => number} pauseMs
   */
  seen(state, pauseMs) {
    const { hand } = state;
    const last = this.#last;
    this.#last = hand;
    clearTimeout(this.#timer);
    if (hand?.phase !== "over") this.#acts = [];
    else if (last && (last.phase === "betting" || last.number !== hand.number)) {
      const ago = hand.number - last.number;
      const isSeen = (ago === 0 || ago === 1) && !this.#isStill();
      this.#acts = isSeen ? actsOf(hand, ago === 0 ? last.board.length : 0, pauseMs()) : [];
      this.#beganAt = performance.now();
    }
    const passed = performance.now() - this.#beganAt;
    const next = this.#acts.findIndex(({ at }) => at > passed);
    const [act, following] = [this.#acts[next - 1], this.#acts[next]];
    if (!hand || !act || !following) return state;
    this.#timer = setTimeout(this.#draw, following.at - passed);
    return stateIn({ ...state, hand }, act);
  }

  /** Plan nothing more. */
  stop() {
    clearTimeout(this.#timer);
  }
}
