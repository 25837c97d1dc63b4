/** The lobby's routes of a player's own hands; they take the player's key, and no other. */
// @ts-check

/** @import { Card, Fields, Standing } from "./types.js" */
/** @import { MyPlace } from "./me_address.js" */

import { Problem, url } from "./api.js";

/**
 * @typedef {object} OwnHand
 * @property {number} handNumber
 * @property {number} epoch
 * @property {string} message
 * @property {string} [position]
 * @property {number} [net]
 * @property {Card[]} [holeCards]
 * @property {Card[]} communityCards
 * @property {number} decisions
 * @property {number} faults
 * @property {number} [slowestMs]
 */
/** @typedef {{ standing?: Standing, hands: OwnHand[], next?: string, cardsMissing?: string }} OwnPage */
/**
 * @typedef {object} Answered One decision: question, answer, and what came of it.
 * @property {string} [bettingRound]
 * @property {string} [action]
 * @property {number} [amount]
 * @property {string} [outcome]
 * @property {number} [latencyMs]
 * @property {string} [reason]
 * @property {string} [reasoning]
 * @property {string} [refused] The refused answer as JSON, possibly cut off.
 * @property {Fields} [answer]
 * @property {Fields} [question]
 */
/** @typedef {{ hand: OwnHand, decisions: Answered[], privateState?: Fields, recordMissing?: string }} OwnDetail */

/** @typedef {"newest" | "losses" | "faults"} Order */

/**
 * Return a page of a bot's hands; throws Problem.
 * @param {MyPlace} place
 * @param {string} key
 * @param {Order} order
 * @param {string | null} after
 * @returns {Promise<OwnPage>}
 */
export function ownHands(place, key, order, after) {
  return read(place, key, `?order=${order}${after ? `&after=${encodeURIComponent(after)}` : ""}`);
}

/**
 * Return one of a bot's hands with its decisions; throws Problem.
 * @param {MyPlace} place
 * @param {string} key
 * @param {{ epoch: number, number: number }} hand
 * @returns {Promise<OwnDetail>}
 */
export function ownHand(place, key, { epoch, number }) {
  return read(place, key, `/${number}?epoch=${epoch}`);
}

/**
 * @param {MyPlace} place
 * @param {string} key
 * @param {string} rest
 */
async function read({ room, player }, key, rest) {
  const path = `v1/rooms/${encodeURIComponent(room)}/players/${encodeURIComponent(player)}/hands`;
  const headers = { accept: "application/json", authorization: `Bearer ${key}` };
  let response;
  try {
    response = await fetch(url(path + rest), { headers, cache: "no-store" });
  } catch {
    throw new Problem(0, { detail: "The lobby does not answer. Is it running?" });
  }
  if (!response.ok) throw await Problem.of(response);
  return response.json();
}
