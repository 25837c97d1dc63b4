/** The views of a player, and of two players: all their matches, and the leagues they are in. */
// @ts-check

/** @import { League, MatchSummary } from "./types.js" */

import { h } from "../dom.js";
import { chips } from "../money.js";
import { leagueLink, matchLink, playerLink, versusLink } from "./address.js";
import { pairPanel } from "./match.js";
import { pairSeenBy, seenBy } from "./point_of_view.js";
import { resultTable } from "./result_table.js";
import { league, leagues, match, matches } from "./results_api.js";
import { rankWords, rateWords, timeWords, UNIT, verdictWords, withInterval } from "./words.js";

const MOST_PAGES = 10;
const MOST_LEAGUES = 10;
const MOST_CHARTS = 5;

/**
 * Return the parts of the view of a player.
 * @param {string} name
 */
export async function playerView(name) {
  const [played, listed] = await Promise.all([
    everyMatch({ player: name }),
    leagues({ player: name, limit: MOST_LEAGUES }),
  ]);
  const tables = await Promise.all(
    listed.leagues.map(async ({ leagueId }) => ({ leagueId, league: await league(leagueId) })),
  );
  return [
    tables.length > 0
      ? h("section", { class: "panel" }, h("h2", {}, "Leagues"), places(name, tables))
      : null,
    h("section", { class: "panel" }, h("h2", {}, "Matches"), matchRows(name, played)),
  ];
}

/**
 * Return the parts of the view of two players.
 * @param {string} name
 * @param {string} other
 */
export async function versusView(name, other) {
  const played = await everyMatch({ player: name, opponent: other });
  const newest = await Promise.all(
    played
      .slice(0, MOST_CHARTS)
      .map(async (entry) => ({ entry, result: await match(entry.matchId) })),
  );
  return [
    h(
      "p",
      {},
      h("a", { href: playerLink(name) }, name),
      " · ",
      h("a", { href: playerLink(other) }, other),
    ),
    h("section", { class: "panel" }, h("h2", {}, "Matches"), matchRows(name, played, other)),
    ...newest.flatMap(({ entry, result }, index) => {
      const pair = pairSeenBy(result.pairs, name, other);
      if (!pair) return [];
      const title = h("a", { href: matchLink(entry.matchId) }, `Match ${entry.name}`);
      return [h("p", { class: "hint" }, title), pairPanel(pair, index === 0)];
    }),
  ];
}

/**
 * Return the matches of a query, the newest first; of very many the newest ones.
 * @param {Record<string, string>} query
 */
async function everyMatch(query) {
  /** @type {MatchSummary[]} */
  const found = [];
  let page = await matches({ ...query, limit: 100 });
  for (let number = 1; ; number += 1) {
    found.push(...page.matches);
    if (page.next === undefined || number === MOST_PAGES) return found;
    page = await matches({ ...query, limit: 100, after: page.next });
  }
}

/**
 * @param {string} name
 * @param {{ leagueId: string, league: League }[]} tables
 */
function places(name, tables) {
  return resultTable(
    `Leagues of ${name}`,
    ["League", "Rank", "Players", UNIT, "State"],
    tables.flatMap(({ leagueId, league: { name: title, players } }) => {
      const entry = players.find((player) => player.name === name);
      if (!entry) return [];
      return [
        [
          h("a", { href: leagueLink(leagueId) }, title),
          rankWords(entry),
          chips(players.length),
          rateWords(entry.bbPer100),
          entry.isProvisional ? "provisional" : "rated",
        ],
      ];
    }),
  );
}

/**
 * Return a row for each opponent in each match, or for one opponent alone.
 * @param {string} name
 * @param {MatchSummary[]} played
 * @param {string} [only]
 */
function matchRows(name, played, only) {
  const rows = played.flatMap((entry) =>
    entry.pairs.flatMap((pair) => {
      const seen = seenBy(pair, name);
      if (!seen || (only !== undefined && seen.opponent !== only)) return [];
      return [
        [
          h("a", { href: matchLink(entry.matchId) }, entry.name),
          {
            kind: "left",
            content: h("a", { href: versusLink(name, seen.opponent) }, seen.opponent),
          },
          withInterval(seen.rate, seen.interval),
          { kind: seen.verdict, content: verdictWords(seen.verdict) },
          chips(entry.hands),
          timeWords(entry.finishedAt ?? entry.publishedAt),
        ],
      ];
    }),
  );
  if (rows.length === 0) return h("p", { class: "hint" }, "No match is published.");
  const columns = ["Match", "Against", `${UNIT}, 95 %`, "Verdict", "Hands", "Time"];
  return resultTable(`Matches of ${name}`, columns, rows);
}
