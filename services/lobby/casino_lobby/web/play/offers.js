/** What a player may choose: offers as buttons, amounts, keys, and choices made before the turn. */
// @ts-check

/** @import { Fields } from "../types.js" */

import { wordsOf } from "../game_state.js";
import { amount, isRecord, records, text, wholeOr } from "../reading.js";

/**
 * @typedef {object} Offer One way to take a choice.
 * @property {Fields} fields What is sent with it, besides the amount.
 * @property {number | null} min The smallest amount; null without an amount.
 * @property {number | null} max
 * @property {string} words What tells it from the other offers of its choice.
 */

/**
 * @typedef {object} Choice A button, with the offers to select from if there are several.
 * @property {string} kind Such as "raise", in lower case with "-".
 * @property {string} words
 * @property {Offer[]} offers At least one.
 */

/** @typedef {{ words: string, amount: number }} Preset */
/** @typedef {{ pot: number, bet: number, toCall: number, stack: number }} Price */

/**
 * @typedef {{ do: "choose", choice: Choice } | { do: "type", digit: string }} KeyCommand
 *   Take a choice, with the amount that is shown; or begin to type an amount.
 */

/** @typedef {"check-fold" | "call-any"} PreAction */

const KIND = new Set(["type", "action", "action_type"]);
const LIMITS = new Set(["min", "max", "minAmount", "maxAmount"]);
/** Offers of one kind without an amount are buttons of their own, up to this many. */
const MOST_BUTTONS = 6;

/** The kinds of each letter, the first that is offered. */
const LETTERS = new Map([
  ["f", ["fold"]],
  ["c", ["check", "call"]],
  ["r", ["raise", "bet"]],
]);

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
 * Return the choices of a request's available actions. They come from third parties: an item that
 * names no action is left out.
 * @param {unknown} available
 * @returns {Choice[]}
 */
export function choicesOf(available) {
  /** @type {Map<string, Choice>} */
  const choices = new Map();
  for (const item of records(available)) {
    const name = text(item.type ?? item.action_type);
    if (!name) continue;
    const kind = wordsOf(name).replaceAll(" ", "-");
    const choice = choices.get(kind) ?? { kind, words: wordsOf(name), offers: [] };
    choice.offers.push(offerOf(name, item));
    choices.set(kind, choice);
  }
  const all = [...choices.values()].flatMap(asButtons);
  const hasRange = all.some(hasAmount);
  // With a range to choose from, all chips are its end and no button of their own.
  return hasRange ? all.filter(({ kind }) => kind !== "all-in") : all;
}

/**
 * Return whether a choice needs an amount.
 * @param {Choice} choice
 */
export function hasAmount({ offers }) {
  return offers.some(({ min }) => min !== null);
}

/**
 * Return the payload that takes an offer, as the Action Schema of its game says.
 * @param {Offer} offer
 * @param {number | null} [amount]
 * @returns {Fields}
 */
export function actionOf({ fields, min }, amount = null) {
  return min === null ? { ...fields } : { ...fields, amount: amount ?? min };
}

/**
 * @param {string} name
 * @param {Fields} item
 * @returns {Offer}
 */
function offerOf(name, item) {
  const [low, high] = [item.minAmount ?? item.min, item.maxAmount ?? item.max];
  const [min, max] = [wholeOr(low, null), wholeOr(high, null)];
  const literals = Object.entries(item).filter(([key]) => !KIND.has(key) && !LIMITS.has(key));
  const isRange = min !== null && max !== null && min <= max;
  return {
    fields: { action: name, ...Object.fromEntries(literals) },
    min: isRange ? min : null,
    max: isRange ? max : null,
    words: literals.map(([, value]) => text(value) || JSON.stringify(value)).join(" "),
  };
}

/**
 * @param {Choice} choice
 * @returns {Choice[]}
 */
function asButtons(choice) {
  const { kind, words, offers } = choice;
  if (offers.length > MOST_BUTTONS || hasAmount(choice) || offers.length < 2) return [choice];
  return offers.map((offer) => ({ kind, words: `${words} ${offer.words}`, offers: [offer] }));
}

/**
 * Return what the pot, the bet to match and a call are for a player; null where the public state
 * is not that of a game with a pot and bets to match, such as Hold'em.
 * @param {unknown} state The public state.
 * @param {string} playerId
 * @returns {Price | null}
 */
export function priceOf(state, playerId) {
  if (!isRecord(state) || typeof state.current_bet !== "number" || typeof state.pot !== "number")
    return null;
  const own = records(state.players).find((player) => player.player_id === playerId);
  if (!own) return null;
  const [bet, stack] = [amount(state.current_bet), amount(own.stack)];
  return {
    pot: amount(state.pot),
    bet,
    stack,
    toCall: Math.min(stack, Math.max(0, bet - amount(own.bet))),
  };
}

/**
 * Return amounts to choose with one press. With a price they are shares of the pot after a call,
 * on top of the bet that is to be matched; else shares of the range.
 * @param {Offer} offer
 * @param {Price | null} price
 * @returns {Preset[]}
 */
export function presetsOf({ min, max }, price) {
  if (min === null || max === null) return [];
  const [low, high] = [min, max];
  /** @type {(words: string, value: number) => Preset} */
  const preset = (words, value) => ({ words, amount: within(value, low, high) });
  if (!price) return [preset("Min", low), preset("½", low + (high - low) / 2), preset("Max", high)];
  const pot = price.pot + price.toCall;
  return [
    preset("½ pot", price.bet + pot / 2),
    preset("Pot", price.bet + pot),
    preset("All-in", high),
  ];
}

/**
 * Return the whole number in a range that is nearest to a value.
 * @param {number} value
 * @param {number} min
 * @param {number} max
 */
export function within(value, min, max) {
  return Math.min(max, Math.max(min, Math.round(value)));
}

/**
 * Return the amount that was typed; null if it is no whole number in the offer's range.
 * @param {string} typed
 * @param {Offer} offer
 */
export function typedAmount(typed, { min, max }) {
  const digits = typed.trim().replaceAll(/[, ]/g, "");
  if (!/^\d{1,15}$/.test(digits) || min === null || max === null) return null;
  const value = Number(digits);
  return value >= min && value <= max ? value : null;
}

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
