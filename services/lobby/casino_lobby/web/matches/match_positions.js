/** Where the players of a match won and lost: by position, and by the street that ended a hand. */
// @ts-check

/** @import { MatchResult } from "./types.js" */

import { h } from "../dom.js";
import { change, chips } from "../money.js";
import { shareWords } from "../play_words.js";
import { playerName } from "./match_players.js";
import { resultTable } from "./result_table.js";
import { rateWords, UNIT } from "./words.js";

const STREETS = ["preflop", "flop", "turn", "river"];

/**
 * Return the table of positions: a row for each position of each player.
 * @param {MatchResult} match
 */
export function positionsTable({ players, bigBlind }) {
  const rows = players.flatMap(({ name, positions = [] }) =>
    positions.map(({ position, hands, net, statistics }) => [
      h("span", {}, playerName(name), ` ${position}`),
      chips(hands),
      change(net),
      hands > 0 ? rateWords((net / bigBlind / hands) * 100) : "–",
      statistics ? shareWords(statistics.vpip) : "–",
      statistics ? shareWords(statistics.pfr) : "–",
    ]),
  );
  if (rows.length === 0) return h("p", { class: "hint" }, "No position is counted.");
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
