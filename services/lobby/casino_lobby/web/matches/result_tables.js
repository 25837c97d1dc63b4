/** Tables of results, which scroll where they do not fit: the players of a match, and positions. */
// @ts-check

/** @import { Child } from "../types.js" */
/** @import { Estimate, MatchPlayer, MatchResult } from "./match_types.js" */

import { h, hint, scrollingTable } from "../dom.js";
import { countsLine } from "../faults.js";
import { costLines } from "../results.js";
import { playerLink } from "../router.js";
import { change, chips, factorWords, shareWords } from "../words.js";
import { estimatorWords, intervalWords, rateWords, UNIT, withInterval } from "./match_words.js";

/** @typedef {string | { name: string, title: string }} Column The title explains a short name. */
/** @typedef {Child | { content: Child, kind: string }} Cell A kind is a look: "better", "left", … */

const STREETS = ["preflop", "flop", "turn", "river"];

/**
 * Return a table whose first column has the names of its rows.
 * @param {string} label
 * @param {Column[]} columns
 * @param {Cell[][]} rows
 */
export function resultTable(label, columns, rows) {
  return scrollingTable(
    label,
    columns.map((column, at) => head(column, kindOf(rows[0]?.[at]))),
    h(
      "tbody",
      {},
      rows.map(([first, ...cells]) =>
        h("tr", {}, titled(h("th", { scope: "row" }, contentOf(first))), cells.map(cellOf)),
      ),
    ),
  );
}

/**
 * Return the head of a column; it is where its cells are.
 * @param {Column} column
 * @param {string | null} kind Of its first cell.
 */
function head(column, kind) {
  const where = { scope: "col", "data-kind": kind === "left" ? kind : null };
  return typeof column === "string"
    ? h("th", where, column)
    : h("th", { ...where, title: column.title }, column.name);
}

/** @param {Cell} cell */
function cellOf(cell) {
  const kind = kindOf(cell);
  const element = h("td", { "data-kind": kind }, contentOf(cell));
  return kind === "left" ? titled(element) : element;
}

/**
 * Return an element whose text may be cut off, with the whole text where the pointer rests.
 * @param {HTMLElement} element
 */
function titled(element) {
  element.title = element.textContent ?? "";
  return element;
}

/** @param {Cell | undefined} cell */
function contentOf(cell) {
  return cell instanceof Object && "content" in cell ? cell.content : cell;
}

/** @param {Cell | undefined} cell */
function kindOf(cell) {
  return cell instanceof Object && "kind" in cell ? cell.kind : null;
}

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
  const kinds = [...new Set(players.flatMap(({ estimates }) => estimates.map(estimateKind)))];
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
  const cost = players.some(({ costs }) => costs) ? ["Cost"] : [];
  return resultTable(
    "Decisions by player",
    ["Player", "Decisions", "Not as answered at once", "p50", "p95", ...cost, "Version", "Is"],
    players.map((player) => [
      playerName(player.name),
      chips(player.decisions),
      countsLine(player.outcomes, player.defaulted) ?? "none",
      player.latency ? `${chips(player.latency.p50)} ms` : "–",
      player.latency ? `${chips(player.latency.p95)} ms` : "–",
      ...cost.map(() => costLines(player, UNIT).join("; ")),
      { kind: "left", content: h("span", { title: player.version ?? "" }, versionOf(player)) },
      { kind: "left", content: [player.player, ...(player.models ?? [])].join(" · ") },
    ]),
  );
}

/**
 * Return the table of statistics of play; null if nobody has any.
 * @param {MatchResult} match
 */
export function statisticsTable({ players }) {
  const all = players.filter(({ statistics }) => statistics);
  if (all.length === 0) return hint("Nothing is counted.");
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
function estimateKind({ estimator }) {
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
  return h("span", { title }, withInterval(estimate.bbPer100, interval));
}

/** @param {MatchPlayer} player */
function versionOf({ version }) {
  return version ? version.replace(/^sha256:/, "").slice(0, 8) : "–";
}

/**
 * Return the table of positions: a row for each position of each player.
 * @param {MatchResult} match
 */
export function positionsTable({ players, bigBlind }) {
  const rows = players.flatMap(({ name, estimates, positions = [] }) =>
    positions.map(({ position, hands, net, statistics }) => [
      h("span", {}, playerName(name), ` ${position}`),
      chips(hands),
      change(net),
      rateWords((net / bigBlind / hands) * 100, estimates[0]?.normal),
      statistics ? shareWords(statistics.vpip) : "–",
      statistics ? shareWords(statistics.pfr) : "–",
    ]),
  );
  if (rows.length === 0) return hint("No position is counted.");
  const columns = ["Position", "Hands", "Net", `As played, ${UNIT}`, "VPIP", "PFR"];
  return resultTable("Results by position", columns, rows);
}

/**
 * Return the table of streets: a row for each player.
 * @param {MatchResult} match
 */
export function streetsTable({ players }) {
  const counted = players.filter(({ streets = [] }) => streets.length > 0);
  if (counted.length === 0) return null;
  return resultTable(
    "Net by the street on which the betting ended",
    [
      "Net of hands that ended",
      ...STREETS.map((street) => (street === "preflop" ? street : `on the ${street}`)),
    ],
    counted.map(({ name, streets = [] }) => [
      playerName(name),
      ...STREETS.map((wanted) => {
        const found = streets.find(({ street }) => street === wanted);
        return found ? change(found.net) : "–";
      }),
    ]),
  );
}
