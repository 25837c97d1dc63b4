/** Reads an event's payload: checked numbers, texts and lists, and a whole seat. */
// @ts-check

/** @import { Card, Cost, Decision, Fields, Hand, HandPart, Seat, Seats } from "./types.js" */

const LEGIBLE = /^[^\s\p{Cc}\p{Cf}\p{Cs}](([^\s\p{Cc}\p{Cf}\p{Cs}]| )*[^\s\p{Cc}\p{Cf}\p{Cs}])?$/u;
const REASON = /^[a-z][a-z0-9_]{0,39}$/;
const MOST_NAME = 128;
const MOST_DETAIL = 1000;
const MOST_REASONING = 8000;
/** A hand of more decisions has a fault. */
const MOST_DECISIONS = 10_000;

/**
 * What a seat has outside a hand.
 * @type {Readonly<HandPart>}
 */
export const NO_HAND = Object.freeze({
  bet: 0,
  committed: 0,
  isDealt: false,
  isFolded: false,
  post: null,
  last: null,
  says: "",
  cards: null,
  rank: "",
  best: null,
  won: 0,
  score: null,
});

/**
 * A hand before anything happened in it.
 * @type {Readonly<Hand>}
 */
export const NEW_HAND = Object.freeze({
  number: 0,
  id: null,
  buttonSeat: null,
  smallBlind: 0,
  bigBlind: 0,
  ante: 0,
  street: "preflop",
  board: [],
  pot: 0,
  pots: [],
  awards: [],
  shown: [],
  pauseMs: 0,
  currentBet: 0,
  due: [],
  actor: null,
  returned: null,
  phase: "betting",
  stacks: new Map(),
  log: [],
  decisions: [],
  game: null,
});

/**
 * Return the seat of a player as an event describes it.
 * @param {Fields} player
 * @returns {Seat}
 */
export function seatOf(player) {
  const id = String(player.playerId);
  return {
    id,
    name: String(player.displayName ?? id),
    number: wholeOr(player.seatNumber, null),
    stack: amount(player.stack),
    isOut: false,
    isGuest: player.playerType === "human",
    model: modelOf(player.profile),
    finish: null,
    ...NO_HAND,
  };
}

/**
 * Return a list as it is, and anything else as an empty one.
 * @param {unknown} value
 * @returns {unknown[]}
 */
export function list(value) {
  return Array.isArray(value) ? value : [];
}

/**
 * Return the objects of a list.
 * @param {unknown} value
 * @returns {Fields[]}
 */
export function records(value) {
  return list(value).filter(isRecord);
}

/**
 * Return whether a value is an object, a list included.
 * @param {unknown} value
 * @returns {value is Fields}
 */
export function isRecord(value) {
  return value !== null && typeof value === "object";
}

/**
 * Return the seats at the start of a hand, and the stacks of the players who are dealt in.
 * @param {Seats} before
 * @param {unknown} players
 */
export function dealtIn(before, players) {
  /** @type {Seats} */
  const seats = new Map();
  /** @type {Map<string, number>} */
  const stacks = new Map();
  for (const [id, seat] of before) {
    if (seat.finish === null) seats.set(id, { ...seat, ...NO_HAND });
  }
  for (const player of records(players)) {
    if (!isPlayerId(player.playerId)) continue;
    const dealt = seatOf(player);
    const known = seats.get(dealt.id) ?? dealt;
    const seat = {
      ...dealt,
      name: player.displayName === undefined ? known.name : dealt.name,
      number: dealt.number ?? known.number,
      stack: amountOr(player.stack, known.stack),
      isOut: known.isOut,
      isGuest: dealt.isGuest || known.isGuest,
      model: dealt.model || known.model,
      isDealt: true,
    };
    stacks.set(seat.id, seat.stack);
    seats.set(seat.id, seat);
  }
  return { seats, stacks };
}

/**
 * Return an object's fields as pairs; anything else has none.
 * @param {unknown} value
 * @returns {[string, unknown][]}
 */
export function fields(value) {
  return isRecord(value) && !Array.isArray(value) ? Object.entries(value) : [];
}

/**
 * Return a text or a number as text, and anything else as "".
 * @param {unknown} value
 */
export function text(value) {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/**
 * Return a text in one line, without invisible characters and cut; anything else is "".
 * @param {unknown} value
 * @param {number} most
 */
export function oneLine(value, most) {
  return text(value)
    .slice(0, 2 * most)
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, most);
}

/**
 * Return the name of the language model in what a player says of itself; "" without one.
 * @param {unknown} profile
 */
export function modelOf(profile) {
  return isRecord(profile) ? oneLine(profile.model, MOST_NAME) : "";
}

/**
 * Return why something answered in a player's place, as words; "" where nothing did.
 * @param {unknown} defaulted An object with the reason, or the reason.
 */
export function whyOf(defaulted) {
  const reason = text(isRecord(defaulted) ? defaulted.reason : defaulted);
  return REASON.test(reason) ? reason.replaceAll("_", " ") : "";
}

/**
 * Return what may be seen of a decision when its hand is over.
 * @param {Fields} decision
 * @returns {Decision}
 */
export function decisionOf({ playerId, reasoning, reason, defaulted, usage }) {
  return {
    id: text(playerId),
    // Line breaks stay: it may be paragraphs.
    reasoning: text(reasoning)
      .slice(0, MOST_REASONING)
      .replaceAll(/[^\n\P{C}]/gu, " ")
      .trim(),
    why: whyOf(defaulted),
    detail: oneLine((isRecord(defaulted) && defaulted.detail) || reason, MOST_DETAIL),
    cost: isRecord(usage) ? costOf(usage) : null,
  };
}

/**
 * @param {Fields} usage
 * @returns {Cost}
 */
function costOf({ model, latencyMs, inputTokens, outputTokens, costUsd }) {
  const tokens = [inputTokens, outputTokens].filter((value) => amountOr(value, null) !== null);
  return {
    model: oneLine(model, MOST_NAME),
    latencyMs: amountOr(latencyMs, null),
    tokens: tokens.length > 0 ? amount(inputTokens) + amount(outputTokens) : null,
    usd: amountOr(costUsd, null),
  };
}

/**
 * Return what became public of a hand's decisions with its end, each at its place among them. Of a
 * hand whose start was missed the places are not known.
 * @param {Hand} hand
 * @param {Fields} payload
 */
export function disclosedOf(hand, { disclosed }) {
  /** @type {(Decision | undefined)[]} */
  const decisions = [];
  for (const one of hand.stacks.size > 0 ? records(disclosed) : []) {
    const number = wholeOr(one.decision, 0);
    if (number > 0 && number <= MOST_DECISIONS) decisions[number - 1] = decisionOf(one);
  }
  return decisions.length > 0 ? decisions : hand.decisions;
}

/**
 * Return a finite number as it is, and anything else as 0.
 * @param {unknown} value
 */
export function signed(value) {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/**
 * Return an amount of chips as it is, and anything else as 0.
 * @param {unknown} value
 */
export function amount(value) {
  return Math.max(0, signed(value));
}

/**
 * Return an amount of chips as it is, and anything else as the default.
 * @template T
 * @param {unknown} value
 * @param {T} orElse
 * @returns {number | T}
 */
export function amountOr(value, orElse) {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : orElse;
}

/**
 * Return whether a value is a player's id: 1 to 128 visible characters and inner spaces.
 * @param {unknown} value
 */
function isPlayerId(value) {
  return typeof value === "string" && value.length <= 128 && LEGIBLE.test(value);
}

/**
 * Return the id of the player that a payload names; "" where it is none.
 * @param {Fields} payload
 */
export function playerIdOf({ playerId }) {
  return isPlayerId(playerId) ? String(playerId) : "";
}

/**
 * Return a whole number as it is, and anything else as the default.
 * @template T
 * @param {unknown} value
 * @param {T} orElse
 * @returns {number | T}
 */
export function wholeOr(value, orElse) {
  return typeof value === "number" && Number.isInteger(value) ? value : orElse;
}

/**
 * Return a list of cards.
 * @param {unknown} value
 * @returns {Card[]}
 */
export function cards(value) {
  return list(value).map((card) => {
    const { rank, suit } = isRecord(card) ? card : { rank: undefined, suit: undefined };
    return { rank: String(rank), suit: String(suit) };
  });
}

/**
 * Return how long a decision took, in milliseconds.
 * @param {Fields} payload
 */
export function latencyOf({ latencyMs }) {
  return typeof latencyMs === "number" ? latencyMs : null;
}

/**
 * Return a function that changes a player's seat in a map and returns the new seat. A player
 * without a seat gets one.
 * @param {Seats} seats
 */
export function seatChanger(seats) {
  /**
   * @param {unknown} playerId
   * @param {(seat: Seat) => Partial<Seat>} difference
   */
  return (playerId, difference) => {
    const seat = seats.get(String(playerId)) ?? seatOf({ playerId });
    const next = { ...seat, ...difference(seat) };
    seats.set(seat.id, next);
    return next;
  };
}
