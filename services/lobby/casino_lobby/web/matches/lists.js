/** Lists of matches and leagues: all, those of a player or of two, and one league's ranks. */
// @ts-check

/** @import { HeadToHead, League, LeagueEntry, LeagueSummary, MatchSummary } from "./match_types.js" */

import { api } from "../api.js";
import { button, h, hint, linkTo, panel } from "../dom.js";
import { leagueLink, matchLink, playerLink, versusLink } from "../router.js";
import { chips } from "../words.js";
import { careerParts, findCareer, namesakesPanel } from "./career.js";
import { pairPanel } from "./match.js";
import {
  intervalWords,
  pairSeenBy,
  rankWords,
  rateWords,
  seenBy,
  sizeWords,
  timeWords,
  UNIT,
  verdictWords,
  withInterval,
} from "./match_words.js";
import { playerName, resultTable } from "./result_tables.js";

const MOST_PAGES = 10;
const MOST_LEAGUES = 10;
const MOST_CHARTS = 5;

/** Return the parts of the view of everything that is published. */
export async function listsView() {
  const [first, all] = await Promise.all([api.matches(), api.leagues()]);
  return [
    panel(
      "Leagues",
      all.leagues.length > 0
        ? leaguesTable(all.leagues)
        : hint("None yet: ", h("code", {}, "casino league DIR --publish …")),
    ),
    panel(
      "Matches",
      first.matches.length > 0
        ? growing(first)
        : hint("None yet: ", h("code", {}, "casino match … --publish …")),
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
  const more = button(
    "Show more matches",
    async () => {
      more.disabled = true;
      const page = await api.matches(next === undefined ? {} : { after: next });
      pages.append(matchesTable(page.matches));
      next = page.next;
      more.hidden = next === undefined;
      more.disabled = false;
    },
    { class: "quiet", hidden: next === undefined },
  );
  return h("div", {}, pages, more);
}

/** @param {MatchSummary[]} entries */
function matchesTable(entries) {
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
        linkTo(matchLink(match.matchId), match.name),
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
      linkTo(leagueLink(leagueId), name),
      chips(players),
      chips(hands),
      { kind: "left", content: leader === undefined ? "not decided" : playerName(leader) },
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

/**
 * Return the view of a player: what it did in the casino's rooms, then in leagues and matches.
 * @param {string} key Its id in the casino, or a name.
 */
export async function playerView(key) {
  const { career, namesakes } = await findCareer(key);
  const name = career?.name ?? key;
  const published = await publishedParts(name);
  const parts = career ? careerParts(career) : [];
  if (namesakes.length > 0) parts.push(namesakesPanel(name, namesakes));
  return { title: name, parts: [...parts, ...published] };
}

/**
 * Return the leagues and matches of a player; those are known by name alone.
 * @param {string} name
 */
async function publishedParts(name) {
  const [played, listed] = await Promise.all([
    everyMatch({ player: name }),
    api.leagues({ player: name, limit: MOST_LEAGUES }),
  ]);
  const tables = await Promise.all(
    listed.leagues.map(async ({ leagueId }) => ({ leagueId, league: await api.league(leagueId) })),
  );
  return [
    tables.length > 0 ? panel("Leagues", places(name, tables)) : null,
    panel("Matches", matchRows(name, played)),
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
      .map(async (entry) => ({ entry, result: await api.match(entry.matchId) })),
  );
  return [
    h("p", {}, linkTo(playerLink(name), name), " · ", linkTo(playerLink(other), other)),
    panel("Matches", matchRows(name, played, other)),
    ...newest.flatMap(({ entry, result }, index) => {
      const pair = pairSeenBy(result.pairs, name, other);
      if (!pair) return [];
      const title = linkTo(matchLink(entry.matchId), `Match ${entry.name}`);
      return [hint(title), pairPanel(pair, index === 0)];
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
  let page = await api.matches({ ...query, limit: 100 });
  for (let number = 1; ; number += 1) {
    found.push(...page.matches);
    if (page.next === undefined || number === MOST_PAGES) return found;
    page = await api.matches({ ...query, limit: 100, after: page.next });
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
          linkTo(leagueLink(leagueId), title),
          rankWords(entry),
          chips(players.length),
          rateWords(entry.bbPer100, entry.interval),
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
          linkTo(matchLink(entry.matchId), entry.name),
          {
            kind: "left",
            content: linkTo(versusLink(name, seen.opponent), seen.opponent),
          },
          withInterval(seen.rate, seen.interval),
          { kind: seen.verdict, content: verdictWords(seen.verdict) },
          chips(entry.hands),
          timeWords(entry.finishedAt ?? entry.publishedAt),
        ],
      ];
    }),
  );
  if (rows.length === 0) return hint("No match is published.");
  const columns = ["Match", "Against", `${UNIT}, 95 %`, "Verdict", "Hands", "Time"];
  return resultTable(`Matches of ${name}`, columns, rows);
}

/**
 * Return the parts of the view.
 * @param {League} league
 */
export function leagueView(league) {
  return [
    hint(timeWords(league.updatedAt)),
    panel(
      "Ranks",
      ranks(league),
      hint(
        `A rank such as 1–3 is a band: the hands do not say which of these ranks it is.` +
          ` Provisional: fewer than ${chips(league.provisionalBelow)} hands, or not yet played` +
          ` against everybody.`,
      ),
    ),
    panel(
      "Head to head",
      hint(`${UNIT} by which the player of the row is better.`),
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
      rateWords(entry.bbPer100, entry.interval),
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
  return {
    kind: seen.verdict,
    content: h("a", { href, title }, rateWords(seen.rate, seen.interval)),
  };
}

/** @param {string} name */
function short(name) {
  return name.length <= 12 ? name : `${name.slice(0, 11)}…`;
}
