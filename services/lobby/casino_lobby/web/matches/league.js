/** The view of a league: ranks as bands, and how every two players have played. */
// @ts-check

/** @import { HeadToHead, League, LeagueEntry } from "./types.js" */

import { h } from "../dom.js";
import { chips } from "../money.js";
import { matchLink, versusLink } from "./address.js";
import { playerName } from "./match_players.js";
import { seenBy } from "./point_of_view.js";
import { resultTable } from "./result_table.js";
import { intervalWords, rankWords, rateWords, timeWords, UNIT, verdictWords } from "./words.js";

/**
 * Return the parts of the view.
 * @param {League} league
 */
export function leagueView(league) {
  return [
    h("p", { class: "hint" }, timeWords(league.updatedAt)),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Ranks"),
      ranks(league),
      h(
        "p",
        { class: "hint" },
        `A rank such as 1–3 is a band: the hands do not say which of these ranks it is.` +
          ` Provisional: fewer than ${chips(league.provisionalBelow)} hands, or not yet played` +
          ` against everybody.`,
      ),
    ),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Head to head"),
      h("p", { class: "hint" }, `${UNIT} by which the player of the row is better.`),
      matrix(league),
    ),
  ];
}

/** @param {League} league */
function ranks({ players }) {
  return resultTable(
    "Ranks",
    ["Player", "Rank", UNIT, "95 %", "Hands", "State"],
    players.map((entry) => [
      playerName(entry.name),
      rankWords(entry),
      rateWords(entry.bbPer100),
      intervalWords(entry.interval),
      chips(entry.hands),
      entry.isProvisional ? "provisional" : "rated",
    ]),
  );
}

/** @param {League} league */
function matrix({ players, matrix: pairs }) {
  return resultTable(
    "Head to head",
    ["Player", ...players.map(({ name }) => ({ name: short(name), title: name }))],
    players.map((row) => [
      playerName(row.name),
      ...players.map((column) => cell(row, column, pairs)),
    ]),
  );
}

/**
 * Return the cell of two players, as that of the row sees it.
 * @param {LeagueEntry} row
 * @param {LeagueEntry} column
 * @param {HeadToHead[]} pairs
 */
function cell(row, column, pairs) {
  if (row === column) return "";
  const pair = pairs.find(
    ({ first, second }) =>
      (first === row.name && second === column.name) ||
      (first === column.name && second === row.name),
  );
  const seen = pair && seenBy(pair, row.name);
  if (!pair || !seen) return "–";
  const href = pair.match ? matchLink(pair.match) : versusLink(row.name, column.name);
  const title = `${verdictWords(seen.verdict)} than ${column.name}: ${intervalWords(seen.interval)}, ${chips(pair.hands)} hands`;
  return { kind: seen.verdict, content: h("a", { href, title }, rateWords(seen.rate)) };
}

/** @param {string} name */
function short(name) {
  return name.length <= 12 ? name : `${name.slice(0, 11)}…`;
}
