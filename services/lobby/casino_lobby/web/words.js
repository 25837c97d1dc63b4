/** Numbers, actions and statistics as people read them: chips, shares, how a player plays. */
// @ts-check

/** @import { Action, Cost, Costs, Decision, NoteEntry, Seats, Standing, Tally } from "./types.js" */

const PLAIN = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const SIGNED = new Intl.NumberFormat("en", { maximumFractionDigits: 6, signDisplay: "exceptZero" });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const DOLLARS = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
});

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
const NOT_ITS_OWN = "not decided by the player";

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
 * Return an amount of chips as a seat has room for: in full below a million, else 123.5B.
 * @param {number} amount
 */
export function brief(amount) {
  return Math.abs(amount) < 1_000_000 ? PLAIN.format(amount) : SHORT.format(amount);
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
 * @param {Pick<Standing, "statistics" | "latency" | "costs">} player
 * @returns {[term: string, meaning: string, value: string][]}
 */
export function statisticsOf({ statistics, latency, costs }) {
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
  return costs ? [...lines, ...paidLines(costs)] : lines;
}

/**
 * @param {Costs} costs
 * @returns {[term: string, meaning: string, value: string][]}
 */
function paidLines(costs) {
  const { models, decisions, latencyMs, inputTokens, outputTokens, costUsd, unpriced } = costs;
  /** @type {(count: number) => string | null} */
  const tokens = (count) => (count ? SHORT.format(count) : null);
  /** @type {[term: string, meaning: string, value: string | null][]} */
  const lines = [
    ["Models", "language models that were asked", models.join(", ") || null],
    ["Model’s time", "mean of a decision", latencyMs ? duration(latencyMs / decisions) : null],
    ["Tokens in", `of the prompts of ${chips(decisions)} decisions`, tokens(inputTokens)],
    ["Tokens out", "of the answers, thoughts too", tokens(outputTokens)],
    ["Paid", unpriced ? `without ${chips(unpriced)} decisions` : "in all", dollars(costUsd)],
  ];
  return lines.flatMap(([term, meaning, value]) =>
    value === null ? [] : [[term, meaning, value]],
  );
}

/**
 * Return an action as words, such as "raises to 40"; games other than Hold'em have their own.
 * @param {Pick<Action, "action" | "amount" | "words">} action
 * @param {(amount: number) => string} [write]
 */
export function actionWords({ action, amount, words }, write = chips) {
  if (words !== undefined) return words;
  const verb = ACTIONS.get(action) ?? action;
  return amount === null ? verb : `${verb} ${write(amount)}`;
}

/**
 * Return how a decision failed, as words; null if it did not fail.
 * @param {string} outcome
 * @param {string} [why] Why something answered in the player's place.
 */
export function faultWords(outcome, why = "") {
  if (FAULTS.has(outcome) || (outcome !== "defaulted" && !why)) return FAULTS.get(outcome) ?? null;
  return why ? `${NOT_ITS_OWN}: ${why}` : NOT_ITS_OWN;
}

/**
 * Return a time in short: "640 ms", "1.2 s".
 * @param {number} ms
 */
export function duration(ms) {
  if (!Number.isFinite(ms)) return "";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Return an amount of US dollars to three digits; null for none.
 * @param {number | null | undefined} usd
 */
export function dollars(usd) {
  return usd ? DOLLARS.format(usd) : null;
}

/**
 * Return what decisions cost, as far as it is known: "small-model · 1,234 tokens · $0.0021 · 1.2 s".
 * @param {Cost} cost
 */
export function costWords({ model, tokens, usd, latencyMs }) {
  return [
    model,
    tokens ? `${chips(tokens)} tokens` : "",
    dollars(usd),
    latencyMs === null ? "" : duration(latencyMs),
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * Return what a hand's decisions cost each player, as notes of its log.
 * @param {(Decision | undefined)[]} decisions
 * @param {Seats} seats
 */
export function costNotes(decisions, seats) {
  /** @type {Map<string, Cost[]>} */
  const costs = new Map();
  for (const one of decisions)
    if (one?.cost && seats.has(one.id)) costs.set(one.id, [...(costs.get(one.id) ?? []), one.cost]);
  return [...costs].map(([id, of]) => {
    const count = of.length === 1 ? "decision" : `${of.length} decisions`;
    const seat = seats.get(id);
    const words = costWords(sumOf(of, seat?.model ?? ""));
    /** @type {NoteEntry} */
    const note = { kind: "note", text: `Cost of ${seat?.name ?? id}’s ${count}: ${words}` };
    return note;
  });
}

/**
 * Return what several decisions cost; dollars only if each has a price.
 * @param {Cost[]} costs
 * @param {string} model The player's, where no decision names one.
 * @returns {Cost}
 */
function sumOf(costs, model) {
  /** @type {(part: "latencyMs" | "tokens" | "usd") => number | null} */
  const total = (part) => {
    const known = costs.map((cost) => cost[part]).filter((value) => value !== null);
    const isKnown = known.length > 0 && (part !== "usd" || known.length === costs.length);
    return isKnown ? known.reduce((sum, value) => sum + value, 0) : null;
  };
  const models = [...new Set(costs.map((cost) => cost.model).filter(Boolean))].slice(0, 4);
  return {
    model: models.join(", ") || model,
    latencyMs: total("latencyMs"),
    tokens: total("tokens"),
    usd: total("usd"),
  };
}
