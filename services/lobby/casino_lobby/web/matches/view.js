/** The page's view of published results: loads what the address names, and shows it. */
// @ts-check

/** @import { Child, Shared } from "../types.js" */
/** @import { ResultPlace } from "./address.js" */

import { Problem } from "../api.js";
import { h, mark, say } from "../dom.js";
import { resultsLink } from "./address.js";
import { leagueView } from "./league.js";
import { listsView } from "./lists.js";
import { matchView } from "./match.js";
import { handView } from "./match_hand.js";
import { playerView, versusView } from "./player.js";
import { league, match, matchHand } from "./results_api.js";

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
      isList ? null : h("p", {}, h("a", { href: resultsLink() }, "Matches and leagues")),
      this.#title,
      this.#state,
      this.#fault,
      this.#parts,
    );
    useStyles();
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
  if (view === "player") return { title: titleOf(place), parts: await playerView(id) };
  if (view === "versus") return { title: titleOf(place), parts: await versusView(id, other) };
  if (view === "league") {
    const found = await league(id);
    return { title: `League ${found.name}`, parts: leagueView(found) };
  }
  if (view === "hand") return handView(id, await matchHand(id, Number(other)));
  const found = await match(id);
  return { title: `Match ${found.name}`, parts: matchView(id, found) };
}

/** @param {ResultPlace} place */
function titleOf({ view, id, other }) {
  return view === "versus" ? `${id} against ${other}` : id;
}

/** Load the style sheet of these views; the other views do without it. */
function useStyles() {
  const href = new URL("matches.css", import.meta.url).href;
  if (document.head.querySelector(`link[href="${href}"]`)) return;
  document.head.append(h("link", { rel: "stylesheet", href }));
}
