/**
 * Whose turn it is, and which pots there are: as much of Hold'em as a spectator needs.
 * Events do not contain either; both follow from them.
 */
// @ts-check

/** @import { Hand, Seat } from "./types.js" */

/**
 * Round an amount to millionths: sums of decimal numbers stay as exact as the room's config.
 * @param {number} amount
 */
export function exact(amount) {
  return Number.isInteger(amount) ? amount : Math.round(amount * 1e6) / 1e6;
}

/**
 * Return whether a seat still takes part in the hand.
 * @param {Seat} seat
 */
export function isLive(seat) {
  return seat.isDealt && !seat.isFolded;
}

/**
 * Return whether a seat takes part in the hand and has chips to bet.
 * @param {Seat} seat
 */
export function canAct(seat) {
  return isLive(seat) && seat.stack > 0;
}

/**
 * Return the dealt seats clockwise, beginning after seat `number`.
 * @param {Iterable<Seat>} seats
 * @param {number} number
 */
export function clockwise(seats, number) {
  /** @type {{ seat: Seat, place: number }[]} */
  const dealt = [];
  for (const seat of seats) {
    if (seat.isDealt && seat.number !== null) dealt.push({ seat, place: seat.number });
  }
  dealt.sort((left, right) => left.place - right.place);
  const start = dealt.findIndex(({ place }) => place > number);
  const ordered = start < 0 ? dealt : [...dealt.slice(start), ...dealt.slice(0, start)];
  return ordered.map(({ seat }) => seat);
}

/**
 * Return the ids of the candidates who have to act, in the order of the seats.
 * A player who faces only all-ins and has matched them does not have to.
 * @param {Iterable<Seat>} seats
 * @param {string[]} candidates Player ids.
 */
export function owing(seats, candidates) {
  const all = [...seats];
  const able = all.filter(canAct);
  if (all.filter(isLive).length < 2) return [];
  const [alone] = able;
  if (alone && able.length === 1) {
    const others = all.filter((seat) => isLive(seat) && seat !== alone);
    if (others.every((seat) => seat.bet <= alone.bet)) return [];
  }
  return able.map((seat) => seat.id).filter((id) => candidates.includes(id));
}

/**
 * Return the id among `due` that comes first clockwise after seat `number`.
 * @param {Iterable<Seat>} seats
 * @param {string[]} due Player ids.
 * @param {number} number
 */
export function nextOf(seats, due, number) {
  return clockwise(seats, number).find((seat) => due.includes(seat.id))?.id ?? null;
}

/**
 * Return the amounts of the main pot and the side pots once an all-in has split them; otherwise an
 * empty list. A top layer that a single player paid is an unmatched bet, and no pot yet.
 * @param {Iterable<Seat>} seats
 */
export function sidePots(seats) {
  const paid = [...seats].filter((seat) => seat.committed > 0);
  const live = paid.filter(isLive);
  const levels = live.filter((seat) => seat.stack === 0).map((seat) => seat.committed);
  if (levels.length === 0) return [];
  levels.push(Math.max(...live.map((seat) => seat.committed)));
  /** @type {number[]} */
  const pots = [];
  let below = 0;
  for (const level of [...new Set(levels)].sort((low, high) => low - high)) {
    const contenders = live.filter((seat) => seat.committed >= level).length;
    const layer = paid.reduce(
      (sum, seat) => sum + Math.max(0, Math.min(seat.committed, level) - below),
      0,
    );
    if (contenders > 1 || pots.length === 0) pots.push(exact(layer));
    below = level;
  }
  return pots.length > 1 ? pots : [];
}

/**
 * Return the part of the pot that is in none of the pots: a bet that nobody has matched.
 * @param {Hand} hand
 */
export function uncalledOf({ pot, pots, phase }) {
  if (phase !== "betting" || pots.length === 0) return 0;
  return Math.max(0, exact(pot - pots.reduce((sum, one) => sum + one, 0)));
}
