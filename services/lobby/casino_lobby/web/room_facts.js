/** What a room is and does, as words: its status, its rules, how far behind the view is. */
// @ts-check

/** @import { LiveRoom } from "./live.js" */
/** @import { Feed, RoomConfig, TableState, Waiting } from "./types.js" */

import { gameWords } from "./game_state.js";
import { chips } from "./words.js";

/** The room's states that say more than the status of its table. */
const ROOM_STATES = ["closed", "failed", "closing", "paused", "opening"];
const WORDS = new Map([
  ["running", "playing"],
  ["error", "failed"],
]);

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
 * Return how a room's cards are dealt, in few words.
 * @param {Pick<LiveRoom, "isSeeded" | "isFair" | "checks">} room
 */
export function dealLine({ isSeeded, isFair, checks }) {
  if (isSeeded) return "Seeded deal";
  if (!isFair) return "Deal without proof";
  const failed = checks?.failed;
  return failed
    ? `Hand ${chips(failed.number)} fails`
    : `Fair deal: ${chips(checks?.count ?? 0)} checked`;
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
 * Return what a room does, as a word for people: why it waits, else its phase.
 * @param {{ status: string, state?: string | null, waits?: Waiting[] }} room
 */
export function statusWord({ waits, ...room }) {
  return holdingUp(waits)?.reason.replaceAll("-", " ") ?? phaseWord(room);
}

/**
 * Return what a room does beside its waits, for filters and order.
 * @param {{ status: string, state?: string | null }} room
 */
export function phaseWord({ status, state }) {
  if (state && ROOM_STATES.includes(state)) return state;
  return WORDS.get(status) ?? status;
}

/**
 * Return the oldest wait for which no hand is played.
 * @param {Waiting[]} [waits]
 */
export const holdingUp = (waits) => waits?.find((wait) => !wait.playsOn);

/**
 * Return what a page waits for that hears nothing of the lobby since now.
 * @returns {Waiting}
 */
export const lobbyAway = () => ({
  reason: "lobby-away",
  since: new Date().toISOString(),
  what: "the lobby does not answer",
  fix: "start the lobby, or mend the network to it; what is missing is delivered then",
});

/**
 * Return what a room waits for, since when, and what ends that; "" for nothing.
 * @param {{ waits?: Waiting[] }} room
 */
export function waitLine({ waits }) {
  const wait = holdingUp(waits) ?? waits?.[0];
  if (!wait) return "";
  const since = new Date(wait.since);
  const time = Number.isNaN(since.getTime()) ? "" : `, since ${since.toLocaleTimeString("en-GB")}`;
  return `Waiting: ${wait.what}${time}. What helps: ${wait.fix}.`;
}
