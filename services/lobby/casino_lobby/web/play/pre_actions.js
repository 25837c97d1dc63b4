/** What a player has chosen before the turn: taken when the question comes, and then forgotten. */
// @ts-check

/** @import { Choice } from "./offers.js" */

/** @typedef {"check-fold" | "call-any"} PreAction */

/** @type {Record<PreAction, string[]>} The kinds that carry it out, the first that is offered. */
const KINDS = {
  "check-fold": ["check", "fold"],
  "call-any": ["call", "check", "all-in"],
};

/** @type {[PreAction, string][]} */
export const PRE_ACTIONS = [
  ["check-fold", "Check or fold"],
  ["call-any", "Call any"],
];

/**
 * Return the choice that carries out a pre-action, null if none of them does.
 * @param {PreAction} preAction
 * @param {Choice[]} choices
 */
export function choiceFor(preAction, choices) {
  for (const kind of KINDS[preAction]) {
    const choice = choices.find((one) => one.kind === kind);
    if (choice) return choice;
  }
  return null;
}

/**
 * Return whether a game's choices are of the kind that pre-actions are made of.
 * @param {Choice[]} choices
 */
export function isForGame(choices) {
  return choices.some(({ kind }) => kind === "check" || kind === "fold");
}
