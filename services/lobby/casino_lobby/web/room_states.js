/** What a room's view shows when it is late, closed, or at the address of nothing. */
// @ts-check

/** @import { Problem } from "./api.js" */
/** @import { LiveRoom } from "./live.js" */
/** @import { Replay } from "./replay.js" */
/** @import { roomLayout } from "./room_layout.js" */
/** @import { TableState } from "./types.js" */

import { mark, say } from "./dom.js";
import { missingHand, missingRoom } from "./missing.js";
import { factsLine, lagLine } from "./room_facts.js";
import { statusWord } from "./status_word.js";

/** @typedef {ReturnType<typeof roomLayout>} Parts */

/**
 * Return whether a room has ended.
 * @param {TableState} state
 */
export function isClosed({ state }) {
  return state === "closed" || state === "failed";
}

/**
 * Say how the room is, and its facts.
 * @param {Parts} parts
 * @param {LiveRoom} live
 */
export function showStatus({ pill, facts }, live) {
  const word = statusWord(live.state);
  say(pill, word);
  mark(pill, "data-kind", word);
  say(facts, factsLine(live));
}

/**
 * Say how far what is shown is behind the table.
 * @param {Parts} parts
 * @param {LiveRoom} live
 * @param {boolean} isReplay
 */
export function showLag({ behind, lag, jump }, { feed, pace }, isReplay) {
  const line = isReplay ? "" : lagLine({ feed, behind: pace.behind });
  say(lag, line);
  mark(behind, "hidden", line === "");
  mark(jump, "hidden", pace.behind === 0);
}

/**
 * Show in place of the table that the hand of a replay is not there.
 * @param {Parts} parts
 * @param {string} room
 * @param {Replay | null} replay
 */
export function showMissingHand({ nothing, table }, room, replay) {
  const { hand, fault } = replay ?? { hand: 0, fault: null };
  mark(nothing, "hidden", fault === null);
  mark(table.element, "hidden", fault !== null);
  const key = fault === null ? "" : String(hand);
  if (nothing.dataset.hand === key) return;
  nothing.dataset.hand = key;
  nothing.replaceChildren(fault === null ? "" : missingHand(room, hand, fault));
}

/**
 * Show why a room cannot be shown; a room that there is not has no table.
 * @param {Parts} parts
 * @param {Problem} problem
 */
export function showRefusal({ element, fault, ...parts }, problem) {
  say(fault, problem.message);
  if (problem.status !== 404) return;
  for (const part of [parts.grid, parts.facts, parts.pill, parts.results.element])
    mark(part, "hidden", true);
  for (const part of [parts.faults, parts.commands]) mark(part.element, "hidden", true);
  if (!element.querySelector(":scope > .missing")) fault.after(missingRoom());
}

/**
 * Put the results of a closed room first: they are what it has to show.
 * @param {Parts} parts
 */
export function putResultsFirst({ results, grid }) {
  if (results.element.nextSibling !== grid) grid.before(results.element);
}

/**
 * Mark what a room's view shows, for styles and tests.
 * @param {HTMLElement} element
 * @param {LiveRoom} live
 * @param {boolean} isReplay
 */
export function markView(element, { received, state, isBusy }, isReplay) {
  mark(element, "data-epoch", received.epoch);
  mark(element, "data-sequence", received.sequence);
  mark(element, "data-shown", state.sequence);
  mark(element, "data-mode", isReplay ? "replay" : "live");
  mark(element, "data-busy", isBusy && !isReplay);
}
