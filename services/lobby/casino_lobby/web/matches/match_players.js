/** The players of a match: what they won, how they behaved, and how they play. */
// @ts-check

/** @import { Estimate, MatchPlayer, MatchResult } from "./types.js" */

import { h } from "../dom.js";
import { countsLine } from "../faults.js";
import { change, chips } from "../money.js";
import { factorWords, shareWords } from "../play_words.js";
import { playerLink } from "./address.js";
import { resultTable } from "./result_table.js";
import { estimatorWords, intervalWords, rateWords, UNIT, withInterval } from "./words.js";

/**
 * Return a player's name as a link.
 * @param {string} name
 */
export function playerName(name) {
  return h("a", { href: playerLink(name), class: "player", title: name }, name);
}

/**
 * Return the table of win rates.
 * @param {MatchResult} match
 */
export function playersTable({ players }) {
  const kinds = [...new Set(players.flatMap(({ estimates }) => estimates.map(kindOf)))];
  return resultTable(
    "Win rates by player",
    [
      "Player",
      "Hands",
      { name: "Net", title: "in chips" },
      ...kinds.map((kind) => {
        const [name, meaning] = estimatorWords(kind);
        return { name: `${name}, ${UNIT}`, title: meaning };
      }),
    ],
    players.map((player) => [
      playerName(player.name),
      chips(player.hands),
      change(player.net),
      ...kinds.map((kind) => rateOf(player, kind)),
    ]),
  );
}

/**
 * Return the table of what went wrong, and how long decisions took.
 * @param {MatchResult} match
 */
export function conductTable({ players }) {
  return resultTable(
    "Decisions by player",
    ["Player", "Decisions", "Not as answered at once", "p50", "p95", "Version", "Is"],
    players.map((player) => [
      playerName(player.name),
      chips(player.decisions),
      countsLine(player.outcomes) ?? "none",
      player.latency ? `${chips(player.latency.p50)} ms` : "–",
      player.latency ? `${chips(player.latency.p95)} ms` : "–",
      { kind: "left", content: h("span", { title: player.version ?? "" }, versionOf(player)) },
      { kind: "left", content: player.player },
    ]),
  );
}

/**
 * Return the table of statistics of play; null if nobody has any.
 * @param {MatchResult} match
 */
export function statisticsTable({ players }) {
  const all = players.filter(({ statistics }) => statistics);
  if (all.length === 0) return h("p", { class: "hint" }, "Nothing is counted.");
  return resultTable(
    "Statistics of play by player",
    [
      "Player",
      { name: "VPIP", title: "hands played: chips put in before the flop" },
      { name: "PFR", title: "hands raised before the flop" },
      { name: "3-bet", title: "first raises raised again" },
      { name: "C-bet", title: "flops bet after the last raise before" },
      { name: "AF", title: "bets and raises for each call after the flop" },
      { name: "WTSD", title: "flops that went to showdown" },
      { name: "W$SD", title: "showdowns won" },
    ],
    all.map(({ name, statistics }) => [
      playerName(name),
      ...(statistics
        ? [
            shareWords(statistics.vpip),
            shareWords(statistics.pfr),
            shareWords(statistics.threeBet),
            shareWords(statistics.cBet),
            factorWords(statistics.aggression),
            shareWords(statistics.wentToShowdown),
            shareWords(statistics.wonAtShowdown),
          ]
        : []),
    ]),
  );
}

/** @param {Estimate} estimate */
function kindOf({ estimator }) {
  return estimator;
}

/**
 * @param {MatchPlayer} player
 * @param {string} kind
 */
function rateOf({ estimates }, kind) {
  const estimate = estimates.find(({ estimator }) => estimator === kind);
  if (!estimate) return "–";
  const interval = estimate.bootstrap ?? estimate.normal;
  const title = `95 %: ${intervalWords(interval)}`;
  const words = interval ? withInterval(estimate.bbPer100, interval) : rateWords(estimate.bbPer100);
  return h("span", { title }, words);
}

/** @param {MatchPlayer} player */
function versionOf({ version }) {
  return version ? version.replace(/^sha256:/, "").slice(0, 8) : "–";
}
