/** What stands beside the featured table: the hand of the hour, the best players, the results. */
// @ts-check

/** @import { CareerLine, Highlight, LeagueSummary, MatchSummary } from "./matches/match_types.js" */

import { api, Problem } from "./api.js";
import { avatar } from "./avatar.js";
import { openCard } from "./cards.js";
import { h, hint, linkTo, mark } from "./dom.js";
import { cards, oneLine, wholeOr } from "./reading.js";
import { handLink, leagueLink, matchLink, playerLink, resultsLink } from "./router.js";
import { change, chips, rounded } from "./words.js";

const PAUSE_MS = 60_000;
const MOST_PLAYERS = 8;
const MOST_RESULTS = 4;
const MOST_MESSAGE = 160;

/**
 * Return a win rate with its 95 % interval: "+12.3 ± 4.1"; "says nothing yet" without one.
 * @param {Pick<CareerLine, "bbPer100" | "halfInterval95">} player
 */
export function rateLine({ bbPer100, halfInterval95 }) {
  if (halfInterval95 === null) return "says nothing yet";
  return `${change(rounded(bbPer100))} ± ${chips(rounded(halfInterval95))}`;
}

/** @param {CareerLine} player */
function playerLine(player) {
  const { id, name, rank, hands, decided } = player;
  return h(
    "li",
    { "data-decided": decided },
    h("span", { class: "rank" }, rank === null ? "–" : chips(rank)),
    avatar(name),
    h("a", { href: playerLink(id), title: name }, h("bdi", {}, name)),
    h("span", { class: "rate" }, rateLine(player)),
    h("span", { class: "hint" }, chips(hands)),
  );
}

/**
 * Return what a match came to in a line: what may be concluded, or how far it is.
 * @param {MatchSummary} match
 */
export function matchLine({ isComplete, hands, pairs, players }) {
  const [pair, ...more] = pairs;
  if (!isComplete) return `running · ${chips(hands)} hands`;
  if (pair && more.length === 0) return pair.sentence;
  return `${chips(players.length)} players · ${chips(hands)} hands`;
}

/**
 * Return the newest matches and leagues, those that run first, as lines.
 * @param {MatchSummary[]} matches The newest first.
 * @param {LeagueSummary[]} leagues
 */
function resultLines(matches, leagues) {
  const running = matches.filter(({ isComplete }) => !isComplete);
  const over = matches.filter(({ isComplete }) => isComplete);
  /** @type {[link: string, name: string, text: string][]} */
  const lines = [
    ...running.map((one) => lineOf(one)),
    ...leagues.slice(0, MOST_RESULTS / 2).map(leagueLine),
    ...over.map((one) => lineOf(one)),
  ];
  return lines
    .slice(0, MOST_RESULTS)
    .map(([href, name, text]) =>
      h("li", {}, h("a", { href, title: name }, h("bdi", {}, name)), hint(text)),
    );
}

/**
 * @param {MatchSummary} match
 * @returns {[string, string, string]}
 */
function lineOf(match) {
  return [matchLink(match.matchId), match.name, matchLine(match)];
}

/**
 * @param {LeagueSummary} league
 * @returns {[string, string, string]}
 */
function leagueLine({ leagueId, name, players, hands, leader }) {
  const first = leader ? `${leader} leads · ` : "";
  return [
    leagueLink(leagueId),
    name,
    `league · ${first}${chips(players)} players · ${chips(hands)} hands`,
  ];
}

/** @param {Highlight} highlight */
function bestHand({ roomId, hand }) {
  const open = cards(hand.communityCards);
  const number = wholeOr(hand.handNumber, 1);
  return [
    h("div", { class: "best-board" }, open.map(openCard)),
    linkTo(
      handLink(roomId, number, null, hand.epoch),
      oneLine(String(hand.message ?? "").replace(/^hand \d+: /i, ""), MOST_MESSAGE),
    ),
    hint(`${roomId} · hand ${chips(number)}`),
  ];
}

/** The panels; one that has nothing to show is hidden, and each keeps what it last had. */
export class HomePanels {
  #hand = h("div", { class: "best-hand" });
  #handBox = panel("Hand of the hour", this.#hand);
  #ranks = h("ol", { class: "ranking" });
  #ranksBox = panel("Best players", hint("bb/100 with its 95 % interval, hands"), this.#ranks);
  #results = h("ul", { class: "newest" });
  #resultsBox = h(
    "section",
    { class: "panel" },
    h("h2", {}, linkTo(resultsLink(), "Matches and leagues")),
    this.#results,
  );
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  elements = [this.#handBox, this.#ranksBox, this.#resultsBox];

  /** Load now, and again each minute. */
  start() {
    this.#load();
    this.#timer = setTimeout(() => this.start(), PAUSE_MS);
  }

  stop() {
    clearTimeout(this.#timer);
  }

  async #load() {
    if (document.hidden) return;
    await Promise.all([
      fill(this.#handBox, this.#hand, async () => {
        const { highlights } = await api.highlights(1);
        return highlights.flatMap(bestHand);
      }),
      fill(this.#ranksBox, this.#ranks, async () => {
        const { players } = await api.players({ limit: MOST_PLAYERS });
        return players.map(playerLine);
      }),
      fill(null, this.#results, async () => {
        const [{ matches }, { leagues }] = await Promise.all([api.matches(), api.leagues()]);
        return resultLines(matches, leagues);
      }),
    ]);
  }
}

/**
 * @param {string} title
 * @param {...HTMLElement} parts
 */
function panel(title, ...parts) {
  return h("section", { class: "panel", hidden: true }, h("h2", {}, title), ...parts);
}

/**
 * Put what was loaded into its list, and hide an empty box.
 * @param {HTMLElement | null} box Null: it has more than the list.
 * @param {HTMLElement} list
 * @param {() => Promise<HTMLElement[]>} load
 */
async function fill(box, list, load) {
  try {
    const parts = await load();
    list.replaceChildren(...parts);
    if (box) mark(box, "hidden", parts.length === 0);
  } catch (error) {
    if (!(error instanceof Problem)) throw error; // it stays as it was
  }
}
