/** Results of matches as words, and pairs as one of their two players sees them. */
// @ts-check

/** @import { Estimate, Interval, LeagueEntry, MatchPair, SeriesPoint, Verdict } from "./match_types.js" */

import { change, chips, rounded } from "../words.js";

/**
 * @typedef {object} Seen
 * @property {string} opponent
 * @property {number} rate How much better the player is, in bb/100.
 * @property {Interval | undefined} interval
 * @property {Verdict} verdict
 */

export const UNIT = "bb/100";
const OPEN = "no interval yet";
/** @type {Record<Verdict, string>} */
const VERDICTS = { better: "better", worse: "worse", undecided: "not decided" };
/** @type {Record<string, [name: string, meaning: string]>} */
const ESTIMATORS = {
  plain: ["As played", "with all the luck that equal decks leave"],
  "all-in": ["All-in value", "without the luck of the cards after an all-in"],
  adjusted: ["Adjusted", "without the luck of every card, as far as it can be estimated"],
};

/** @type {Record<Verdict, Verdict>} */
const TURNED = { better: "worse", worse: "better", undecided: "undecided" };

/**
 * Return a rate: "+12.5"; "–" without an interval, as it says nothing yet.
 * @param {number} rate
 * @param {Interval | undefined} interval
 */
export function rateWords(rate, interval) {
  return interval ? change(rounded(rate)) : "–";
}

/**
 * Return an interval: "8.1 to 16.9".
 * @param {Interval | undefined} interval
 */
export function intervalWords(interval) {
  if (!interval) return OPEN;
  return `${chips(rounded(interval.low))} to ${chips(rounded(interval.high))}`;
}

/**
 * Return a rate with its interval: "+12.5 (8.1 to 16.9)", or that there is none yet.
 * @param {number} rate
 * @param {Interval | undefined} interval
 */
export function withInterval(rate, interval) {
  return interval ? `${rateWords(rate, interval)} (${intervalWords(interval)})` : OPEN;
}

/**
 * Return the estimator's name and what it leaves out.
 * @param {string} estimator
 * @returns {[name: string, meaning: string]}
 */
export function estimatorWords(estimator) {
  return Object.hasOwn(ESTIMATORS, estimator)
    ? (ESTIMATORS[estimator] ?? [estimator, ""])
    : [estimator, ""];
}

/**
 * Return a verdict of a first player.
 * @param {Verdict} verdict
 */
export function verdictWords(verdict) {
  return VERDICTS[verdict] ?? VERDICTS.undecided;
}

/**
 * Return the ranks that the intervals allow: "1", or "2–4".
 * @param {Pick<LeagueEntry, "rank" | "worstRank">} entry
 */
export function rankWords({ rank, worstRank }) {
  return rank === worstRank ? `${rank}` : `${rank}–${worstRank}`;
}

/**
 * Return the estimate that decides, and its interval.
 * @param {Pick<MatchPair, "estimates" | "headline" | "simultaneous">} pair
 * @returns {{ rate: number, interval: Interval | undefined }}
 */
export function headlineOf({ estimates, headline, simultaneous }) {
  const found = estimates.find(({ estimator }) => estimator === headline);
  return {
    rate: found?.bbPer100 ?? 0,
    interval: simultaneous ?? found?.bootstrap ?? found?.normal,
  };
}

/**
 * Return how many times fewer hands an estimate needs: "13.8 times fewer".
 * @param {Estimate} estimate
 */
export function fewerWords({ varianceRatio }) {
  return varianceRatio === undefined ? "–" : `${chips(rounded(varianceRatio))} times`;
}

/**
 * Return how far a match is: "2,000 decks, 4,000 hands", or with "so far".
 * @param {{ decks: number, hands: number, isComplete: boolean }} match
 */
export function sizeWords({ decks, hands, isComplete }) {
  return `${chips(decks)} decks, ${chips(hands)} hands${isComplete ? "" : " so far"}`;
}

/**
 * Return the day and time of a result, or "" without any.
 * @param {string | undefined} time
 */
export function timeWords(time) {
  const at = time ? new Date(time) : null;
  if (at === null || Number.isNaN(at.getTime())) return "";
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * Return a pair as a player sees it; null if it is none of the two.
 * @param {{ first: string, second: string, bbPer100: number, interval?: Interval, verdict: Verdict }} pair
 * @param {string} name
 * @returns {Seen | null}
 */
export function seenBy({ first, second, bbPer100, interval, verdict }, name) {
  if (name === first) return { opponent: second, rate: bbPer100, interval, verdict };
  if (name !== second) return null;
  return {
    opponent: first,
    rate: 0 - bbPer100,
    interval: turned(interval),
    verdict: TURNED[verdict] ?? "undecided",
  };
}

/**
 * Return the pair of two players whose first is `name`; null if they have played no deck.
 * @param {MatchPair[]} pairs
 * @param {string} name
 * @param {string} other
 * @returns {MatchPair | null}
 */
export function pairSeenBy(pairs, name, other) {
  const pair = pairs.find(
    ({ first, second }) =>
      (first === name && second === other) || (first === other && second === name),
  );
  if (!pair || pair.first === name) return pair ?? null;
  const simultaneous = turned(pair.simultaneous);
  return {
    ...pair,
    first: name,
    second: other,
    estimates: pair.estimates.map(({ normal, bootstrap, ...estimate }) => ({
      ...estimate,
      bbPer100: 0 - estimate.bbPer100,
      ...optional("normal", turned(normal)),
      ...optional("bootstrap", turned(bootstrap)),
    })),
    ...optional("simultaneous", simultaneous),
    verdict: TURNED[pair.verdict] ?? "undecided",
    series: (pair.series ?? []).map(turnedPoint),
  };
}

/**
 * @param {Interval | undefined} interval
 * @returns {Interval | undefined}
 */
function turned(interval) {
  return interval && { low: 0 - interval.high, high: 0 - interval.low };
}

/**
 * @param {SeriesPoint} point
 * @returns {SeriesPoint}
 */
function turnedPoint({ decks, bbPer100, low, high }) {
  return { decks, bbPer100: 0 - bbPer100, low: 0 - high, high: 0 - low };
}

/**
 * @param {string} name
 * @param {Interval | undefined} interval
 * @returns {Record<string, Interval>}
 */
function optional(name, interval) {
  return interval ? { [name]: interval } : {};
}
