/** What a room is and does, as words: its status, its rules, how far behind the view is. */
// @ts-check

/** @import { Feed, RoomConfig, TableState } from "./types.js" */

import { gameWords } from "./game_state.js";
import { chips } from "./words.js";

/** The room's states that say more than the status of its table. */
const ROOM_STATES = ["closed", "failed", "closing", "paused", "opening"];
const WORDS = new Map([
  ["running", "playing"],
  ["error", "failed"],
]);
/** The state of a room whose table is lost while no other one is free. */
export const WAITS_FOR_TABLE = "waits-for-table";

/**
 * Return a number of hands as words: "1 hand", "2,000 hands".
 * @param {number} count
 */
export function handsWords(count) {
  return `${chips(count)} ${count === 1 ? "hand" : "hands"}`;
}

/**
 * Return what stands above the log of a hand.
 * @param {TableState} state
 * @param {boolean} isHighlight Whether it is shown in place of the live table.
 */
export function handTitle({ hand }, isHighlight) {
  if (!hand) return "This hand";
  return isHighlight ? `Highlight: hand ${chips(hand.number)}` : `Hand ${hand.number}`;
}

/**
 * Return the line of a room's facts.
 * @param {object} room
 * @param {TableState} room.state
 * @param {RoomConfig | null} room.config
 * @param {string | null} room.gameType
 * @param {boolean} room.isSeeded
 * @param {number} room.handCount The hands that were played, also those not yet shown.
 */
export function factsLine({ state: { hand }, config, gameType, isSeeded, handCount }) {
  const small = hand?.smallBlind || config?.smallBlind;
  const big = hand?.bigBlind || config?.bigBlind;
  const stakes =
    small === undefined || big === undefined ? null : `blinds ${chips(small)}/${chips(big)}`;
  const played = `${handsWords(handCount)} played`;
  return [gameWords(gameType) ?? stakes, played, isSeeded && "seeded"].filter(Boolean).join(" · ");
}

/**
 * Return how far the view is behind the table; "" if it shows what happens now.
 * @param {{ feed: Feed, behind: number }} live `behind` is the number of hands that wait.
 */
export function lagLine({ feed, behind }) {
  const late = feed === "commentator" ? "one hand late" : null;
  const waiting = behind > 0 ? `${handsWords(behind)} behind` : null;
  return [late, waiting].filter(Boolean).join(" · ");
}

/**
 * Return what a room does, as a word for people and for filters.
 * @param {{ status: string, state?: string | null }} room
 */
export function statusWord({ status, state }) {
  if (state === WAITS_FOR_TABLE) return "no table";
  if (state && ROOM_STATES.includes(state)) return state;
  return WORDS.get(status) ?? status;
}
