/** The page's view of published results: loads what the address names, and shows it. */
// @ts-check

/** @import { ResultPlace } from "../router.js" */
/** @import { Child, Shared } from "../types.js" */
/** @import { MatchHand } from "./match_types.js" */

import { api, Problem } from "../api.js";
import { h, linkTo, mark, say, useStyles } from "../dom.js";
import { LogView } from "../log.js";
import { PlayerNames } from "../player_names.js";
import { Replay } from "../replay.js";
import { isForView } from "../room_keys.js";
import { matchLink, resultsLink } from "../router.js";
import { TableView } from "../table.js";
import { leagueView, listsView, playerView, versusView } from "./lists.js";
import { kindWords, matchView } from "./match.js";

/** @typedef {{ title: string, parts: Child[], stop?: () => void }} Shown */

export class ResultView {
  #place;
  #shared;
  #isStopped = false;
  /** @type {(() => void) | undefined} Ends what the parts do by themselves. */
  #stop;
  #title = h("h1", { tabindex: "-1" });
  #state = h("p", { class: "hint", role: "status" }, "Loading …");
  #fault = h("p", { class: "fault", role: "alert" });
  #parts = h("div", { class: "parts" });

  /**
   * @param {ResultPlace} place
   * @param {Shared} shared
   */
  constructor(place, shared) {
    this.#place = place;
    this.#shared = shared;
    const isList = place.view === "lists";
    say(this.#title, isList ? "Matches and leagues" : titleOf(place));
    this.element = h(
      "article",
      { class: "published" },
      isList ? null : h("p", {}, linkTo(resultsLink(), "Matches and leagues")),
      this.#title,
      this.#state,
      this.#fault,
      this.#parts,
    );
    useStyles(new URL("matches.css", import.meta.url));
    this.#load();
  }

  /** Show nothing more. */
  stop() {
    this.#isStopped = true;
    this.#stop?.();
  }

  /** A view shows one place: another one gets another view. */
  navigate() {}

  async #load() {
    try {
      const { title, parts, stop } = await load(this.#place);
      if (this.#isStopped) {
        stop?.();
        return;
      }
      this.#stop = stop;
      say(this.#title, title);
      this.#shared.title.text = `${title} · A2A Casino`;
      this.#parts.replaceChildren(...parts.filter((part) => part !== null && part !== undefined));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (!this.#isStopped) say(this.#fault, error.message);
    } finally {
      mark(this.#state, "hidden", true);
    }
  }
}

/**
 * @param {ResultPlace} place
 * @returns {Promise<Shown>}
 */
async function load(place) {
  const { view, id, other } = place;
  if (view === "lists") return { title: "Matches and leagues", parts: await listsView() };
  if (view === "player") return playerView(id);
  if (view === "versus") return { title: titleOf(place), parts: await versusView(id, other) };
  if (view === "league") {
    const found = await api.league(id);
    return { title: `League ${found.name}`, parts: leagueView(found) };
  }
  if (view === "hand") return handView(id, await api.matchHand(id, Number(other)));
  const found = await api.match(id);
  return { title: `Match ${found.name}`, parts: matchView(id, found) };
}

/** @param {ResultPlace} place */
function titleOf({ view, id, other }) {
  return view === "versus" ? `${id} against ${other}` : id;
}

/**
 * Return the view of a hand, and what ends it.
 * @param {string} id The match's.
 * @param {MatchHand} hand
 */
function handView(id, hand) {
  const [table, log, playerNames] = [new TableView(), new LogView(), new PlayerNames()];
  const title = `${kindWords(hand.kind)}: deck ${hand.deck}, seating ${hand.seating}`;
  const replay = new Replay(id, hand.handNumber, {
    links: [linkTo(matchLink(id), "Back to the match")],
    show: draw,
    moved: () => {},
    onEnd: () => {},
    source: {
      events: async () => hand,
      record: async () => hand.record,
      address: () => location.href,
    },
  });

  function draw() {
    const { state, insight } = replay;
    playerNames.seat(state.seats);
    table.show(state, { seatCount: 2, insight, colors: playerNames.colors });
    log.show(replay.seen.hand, insight);
    log.follow(state.hand?.log.length ?? 0, (line) => replay.goToLine(line));
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (isForView(event) && replay.press(event.key)) event.preventDefault();
  }
  addEventListener("keydown", press);
  replay.load(0, true);
  const stage = h(
    "section",
    { class: "stage", "aria-label": "Table" },
    table.element,
    h("div", { class: "bar" }, replay.element),
  );
  const beside = h("section", { class: "panel this-hand" }, h("h2", {}, "This hand"), log.element);
  return {
    title,
    parts: [h("div", { class: "hand-grid" }, stage, beside)],
    stop() {
      removeEventListener("keydown", press);
      replay.stop();
    },
  };
}
