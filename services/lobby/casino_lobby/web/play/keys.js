/** The keys of the player's controls. */
// @ts-check

/** @import { Choice } from "./offers.js" */

import { hasAmount } from "./offers.js";

/**
 * @typedef {{ do: "choose", choice: Choice } | { do: "type", digit: string }} KeyCommand
 *   Take a choice, with the amount that is shown; or begin to type an amount.
 */

/** The kinds of each letter, the first that is offered. */
const LETTERS = new Map([
  ["f", ["fold"]],
  ["c", ["check", "call"]],
  ["r", ["raise", "bet"]],
]);

/**
 * Return what a key means for these choices, null if nothing. Digits type an amount where one is
 * to be chosen; without amounts they press the button of that number.
 * @param {string} key
 * @param {Choice[]} choices
 * @returns {KeyCommand | null}
 */
export function commandOf(key, choices) {
  const kinds = LETTERS.get(key.toLowerCase()) ?? [];
  for (const kind of kinds) {
    const choice = choices.find((one) => one.kind === kind);
    if (choice) return { do: "choose", choice };
  }
  if (!/^[0-9]$/.test(key)) return null;
  if (choices.some(hasAmount)) return { do: "type", digit: key };
  const choice = choices[Number(key) - 1];
  return choice ? { do: "choose", choice } : null;
}

/**
 * Return the key that takes a choice, as it is shown on its button; null if there is none.
 * @param {Choice} choice
 * @param {Choice[]} choices
 */
export function keyOf(choice, choices) {
  for (const letter of LETTERS.keys()) {
    const command = commandOf(letter, choices);
    if (command?.do === "choose" && command.choice === choice) return letter.toUpperCase();
  }
  const number = choices.indexOf(choice) + 1;
  return choices.some(hasAmount) || number < 1 || number > 9 ? null : String(number);
}
