/** Pairs as one of their two players sees them. */
// @ts-check

/** @import { Interval, MatchPair, SeriesPoint, Verdict } from "./types.js" */

/**
 * @typedef {object} Seen
 * @property {string} opponent
 * @property {number} rate How much better the player is, in bb/100.
 * @property {Interval | undefined} interval
 * @property {Verdict} verdict
 */

/** @type {Record<Verdict, Verdict>} */
const TURNED = { better: "worse", worse: "better", undecided: "undecided" };

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
