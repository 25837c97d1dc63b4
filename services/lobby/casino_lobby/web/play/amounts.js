/** Amounts to bet: what the pot makes of a share of it, and what a call costs. */
// @ts-check

/** @import { Offer } from "./offers.js" */

import { amount, isRecord, records } from "../reading.js";

/** @typedef {{ words: string, amount: number }} Preset */
/** @typedef {{ pot: number, bet: number, toCall: number, stack: number }} Price */

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
