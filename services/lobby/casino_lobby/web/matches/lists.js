/** Lists of matches and leagues. */
// @ts-check

/** @import { LeagueSummary, MatchSummary } from "./types.js" */

import { h } from "../dom.js";
import { chips } from "../money.js";
import { leagueLink, matchLink } from "./address.js";
import { playerName } from "./match_players.js";
import { resultTable } from "./result_table.js";
import { leagues, matches } from "./results_api.js";
import { sizeWords, timeWords, UNIT, verdictWords, withInterval } from "./words.js";

/** Return the parts of the view of everything that is published. */
export async function listsView() {
  const [first, all] = await Promise.all([matches(), leagues()]);
  return [
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Leagues"),
      all.leagues.length > 0
        ? leaguesTable(all.leagues)
        : h("p", { class: "hint" }, "None yet: ", h("code", {}, "casino league DIR --publish …")),
    ),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Matches"),
      first.matches.length > 0
        ? growing(first)
        : h("p", { class: "hint" }, "None yet: ", h("code", {}, "casino match … --publish …")),
    ),
  ];
}

/**
 * Return the list of matches with a button for more.
 * @param {{ matches: MatchSummary[], next?: number }} first
 */
function growing(first) {
  const pages = h("div", { class: "pages" }, matchesTable(first.matches));
  let { next } = first;
  const more = h(
    "button",
    {
      type: "button",
      class: "quiet",
      hidden: next === undefined,
      onclick: async () => {
        more.disabled = true;
        const page = await matches(next === undefined ? {} : { after: next });
        pages.append(matchesTable(page.matches));
        next = page.next;
        more.hidden = next === undefined;
        more.disabled = false;
      },
    },
    "Show more matches",
  );
  return h("div", {}, pages, more);
}

/** @param {MatchSummary[]} entries */
export function matchesTable(entries) {
  return resultTable(
    "Matches",
    [
      "Match",
      "Players",
      { name: UNIT, title: "of the first player, 95 %" },
      "Verdict",
      "Size",
      "Time",
    ],
    entries.map((match) => {
      const [pair] = match.pairs;
      return [
        h("a", { href: matchLink(match.matchId) }, match.name),
        { kind: "left", content: h("span", {}, match.players.flatMap(named)) },
        pair ? withInterval(pair.bbPer100, pair.interval) : "–",
        pair && match.pairs.length === 1
          ? { kind: pair.verdict, content: verdictWords(pair.verdict) }
          : `${match.pairs.length} pairs`,
        sizeWords(match),
        timeWords(match.finishedAt ?? match.publishedAt),
      ];
    }),
  );
}

/** @param {LeagueSummary[]} entries */
function leaguesTable(entries) {
  return resultTable(
    "Leagues",
    ["League", "Players", "Hands", "First"],
    entries.map(({ leagueId, name, players, hands, leader }) => [
      h("a", { href: leagueLink(leagueId) }, name),
      chips(players),
      chips(hands),
      { kind: "left", content: leader === undefined ? "undecided" : playerName(leader) },
    ]),
  );
}

/**
 * @param {string} name
 * @param {number} index
 */
function named(name, index) {
  return index === 0 ? [playerName(name)] : [", ", playerName(name)];
}
