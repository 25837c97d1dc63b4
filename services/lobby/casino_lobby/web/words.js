/** Numbers, actions and statistics as people read them: chips, shares, how a player plays. */
// @ts-check

/** @import { Action, Standing, Tally } from "./types.js" */

const PLAIN = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const SIGNED = new Intl.NumberFormat("en", { maximumFractionDigits: 6, signDisplay: "exceptZero" });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const NONE = "–";
const ACTIONS = new Map([
  ["fold", "folds"],
  ["check", "checks"],
  ["call", "calls"],
  ["bet", "bets"],
  ["raise", "raises to"],
  ["all-in", "all-in"],
]);
const FAULTS = new Map([
  ["timeout", "too late"],
  ["illegal", "illegal answer"],
  ["malformed", "unreadable answer"],
  ["unreachable", "unreachable"],
  ["disconnected", "no answer"],
  ["sitting_out", "sits out"],
  ["away", "nobody there"],
]);

/**
 * Return an amount of chips in full: 1,234.5.
 * @param {number} amount
 */
export function chips(amount) {
  return PLAIN.format(amount);
}

/**
 * Return a change of a stack with its sign: +12.
 * @param {number} amount
 */
export function change(amount) {
  return SIGNED.format(amount);
}

/**
 * Return an amount of chips in short, for axes and small boards: 12.3K.
 * @param {number} amount
 */
export function short(amount) {
  return Math.abs(amount) < 10_000 ? PLAIN.format(amount) : SHORT.format(amount);
}

/**
 * Return a win rate, or half its interval, with no more digits than it can bear.
 * @param {number} rate
 */
export function rounded(rate) {
  return Math.abs(rate) < 100 ? Math.round(rate * 10) / 10 : Math.round(rate);
}

/**
 * Return a share of 1 in percent: 25 %.
 * @param {number} share
 */
export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/**
 * Return a share with the number of its opportunities: "26 % of 120".
 * @param {Tally} tally
 */
export function shareWords({ count, of }) {
  return of > 0 ? `${percent(count / of)} of ${chips(of)}` : NONE;
}

/**
 * Return bets and raises for each call: "1.5", or "3 to 0" where nothing was called.
 * @param {Tally} tally
 */
export function factorWords({ count, of }) {
  if (of > 0) return chips(Math.round((count / of) * 10) / 10);
  return count > 0 ? `${chips(count)} to 0` : NONE;
}

/**
 * Return what the statistics of a player say: a short term, what it means, and the value.
 * @param {Pick<Standing, "statistics" | "latency">} player
 * @returns {[term: string, meaning: string, value: string][]}
 */
export function statisticsOf({ statistics, latency }) {
  /** @type {[string, string, string][]} */
  const lines = [];
  if (statistics) {
    lines.push(
      ["VPIP", "hands played: chips put in before the flop", shareWords(statistics.vpip)],
      ["PFR", "hands raised before the flop", shareWords(statistics.pfr)],
      ["3B", "first raises raised again", shareWords(statistics.threeBet)],
      ["CB", "flops bet after the last raise before", shareWords(statistics.cBet)],
      ["AF", "bets and raises for each call after the flop", factorWords(statistics.aggression)],
      ["WTSD", "flops that went to showdown", shareWords(statistics.wentToShowdown)],
      ["W$SD", "showdowns won", shareWords(statistics.wonAtShowdown)],
    );
  }
  if (latency) {
    const of = `of ${chips(latency.decisions)} decisions`;
    lines.push(
      ["p50", `time that half ${of} took at most`, `${chips(latency.p50)} ms`],
      ["p95", `time that 95 % ${of} took at most`, `${chips(latency.p95)} ms`],
    );
  }
  return lines;
}

/**
 * Return an action as words, such as "raises to 40"; games other than Hold'em have their own.
 * @param {Pick<Action, "action" | "amount" | "words">} action
 */
export function actionWords({ action, amount, words }) {
  if (words !== undefined) return words;
  const verb = ACTIONS.get(action) ?? action;
  return amount === null ? verb : `${verb} ${chips(amount)}`;
}

/**
 * Return how a decision failed, as words; null if it did not fail.
 * @param {string} outcome
 */
export function faultWords(outcome) {
  return FAULTS.get(outcome) ?? null;
}
