/** Numbers, times and names of commands as a person reads them. Pure. */
// @ts-check

/** @import { Chips, Command, Waiting } from "./types.js" */

const STATES = new Map([
  ["NOT_FINISHED", "not finished"],
  ["WIN", "won"],
  ["GAME_OVER", "game over"],
]);

/**
 * Return a score of 0 to 100.
 * @param {number} score
 */
export function percent(score) {
  return `${score.toFixed(1)} %`;
}

/**
 * Return a share of 0 to 1; a dash for none.
 * @param {number | null} share
 */
export function share(share) {
  return share === null ? "–" : percent(share * 100);
}

/**
 * Return a number with its sign and one decimal.
 * @param {number} value
 */
function signed(value) {
  const digits = Math.abs(value).toFixed(1);
  if (Number(digits) === 0) return digits;
  return (value < 0 ? "−" : "+") + digits;
}

/**
 * Return big blinds per 100 hands with their interval; chips per hand in a game without blinds.
 * @param {Chips} casino
 */
export function winnings({ chips_per_hand, bb_per_100, bb_per_100_interval_95: interval }) {
  if (chips_per_hand === null) return "no hand played";
  if (bb_per_100 === null) return `${signed(chips_per_hand)} chips per hand`;
  const mean = `${signed(bb_per_100)} bb/100`;
  const [low, high] = interval ?? [];
  if (low === undefined || high === undefined) return mean;
  return `${mean} (95 %: ${signed(low)} to ${signed(high)})`;
}

/**
 * Return a state of a run.
 * @param {string} state
 */
export function stateWords(state) {
  return STATES.get(state) ?? state;
}

/**
 * Return what a command was.
 * @param {Command} command
 */
export function commandName({ action_input: { id, data }, full_reset }) {
  if (id === 0) return full_reset ? "RESET of the game" : "RESET";
  if (id === 6) return `ACTION6 at column ${data.x}, row ${data.y}`;
  return `ACTION${id}`;
}

/**
 * Return a command's reasoning as text, empty without one.
 * @param {unknown} reasoning
 */
export function reasoningText(reasoning) {
  if (reasoning === null || reasoning === undefined) return "";
  if (typeof reasoning !== "string") return JSON.stringify(reasoning, null, 2);
  try {
    const value = JSON.parse(reasoning);
    return typeof value === "object" ? JSON.stringify(value, null, 2) : reasoning;
  } catch {
    return reasoning;
  }
}

/**
 * Return a time in the reader's zone.
 * @param {string} time
 */
export function timeText(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString();
}

/**
 * Return what something waits for, since when, and what ends that.
 * @param {Waiting} wait
 */
export function waitLine({ what, since, fix }) {
  return `Waiting: ${what}, since ${timeText(since)}. What helps: ${fix}.`;
}
