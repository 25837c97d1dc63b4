/** What a player may choose: the offers of a request, gathered into the buttons that show them. */
// @ts-check

/** @import { Fields } from "../types.js" */

import { wordsOf } from "../game_state.js";
import { records, text, wholeOr } from "../reading.js";

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

const KIND = new Set(["type", "action", "action_type"]);
const LIMITS = new Set(["min", "max", "minAmount", "maxAmount"]);
/** Offers of one kind without an amount are buttons of their own, up to this many. */
const MOST_BUTTONS = 6;

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
