/** Rules to begin with when a room is opened. */
// @ts-check

/** @typedef {Record<string, string | number>} Rules Values of a room's config by name. */

/** The lobby's own rules, which every preset changes a part of. */
export const OWN = "own";

const HUNDRED_BLINDS = { startingStack: 200, smallBlind: 1, bigBlind: 2, ante: 0 };

/** @type {{ key: string, name: string, rules: Rules }[]} */
const PRESETS = [
  {
    key: "heads-up",
    name: "Heads-up: two players, 100 big blinds",
    rules: { ...HUNDRED_BLINDS, minBuyIn: 200, maxBuyIn: 200, maxSeats: 2, rebuy: "auto" },
  },
  {
    key: "six",
    name: "Six seats, 100 big blinds",
    rules: { ...HUNDRED_BLINDS, minBuyIn: 40, maxBuyIn: 200, maxSeats: 6, rebuy: "auto" },
  },
  {
    key: "tournament",
    name: "Tournament: who is broke is out, the last one wins",
    rules: {
      startingStack: 1_500,
      smallBlind: 10,
      bigBlind: 20,
      ante: 0,
      minBuyIn: 1_500,
      maxBuyIn: 1_500,
      maxSeats: 6,
      maxHands: 10_000,
      rebuy: "none",
    },
  },
];

/** @type {[value: string, text: string][]} */
export const PRESET_OPTIONS = [
  [OWN, "The lobby’s own rules"],
  ...PRESETS.map(({ key, name }) => /** @type {[string, string]} */ ([key, name])),
];

/**
 * Return the rules of a preset.
 * @param {string} key
 * @param {Rules} own The lobby's own rules.
 * @returns {Rules}
 */
export function rulesOf(key, own) {
  return { ...own, ...PRESETS.find((preset) => preset.key === key)?.rules };
}
