/** Who wins, by how much, and how sure that is: a room's standings as a table. */
// @ts-check

/** @import { Standing, Standings } from "./types.js" */

import { api, Problem } from "./api.js";
import { h, mark, say } from "./dom.js";
import { countsLine } from "./faults.js";
import { HOLDEM } from "./game_state.js";
import { change, chips } from "./money.js";
import { handsWords } from "./room_facts.js";

const PAUSE_MS = 2_000;
const OPEN = "says nothing yet";

/**
 * Return a win rate, or half its interval, with no more digits than it can bear.
 * @param {number} rate
 */
function rounded(rate) {
  return Math.abs(rate) < 100 ? Math.round(rate * 10) / 10 : Math.round(rate);
}

/**
 * Return whether a win rate may as well be none: its interval spans 0, or there is none.
 * @param {Pick<Standing, "bbPer100" | "halfInterval95">} player
 */
export function isOpen({ bbPer100 = null, halfInterval95 = null }) {
  return halfInterval95 === null || bbPer100 === null || Math.abs(bbPer100) <= halfInterval95;
}

/**
 * Return a win rate with its interval: "+12.5 ± 4", or "+12.5, says nothing yet".
 * @param {Pick<Standing, "bbPer100" | "halfInterval95">} player
 */
export function rateWords({ bbPer100 = null, halfInterval95 = null }) {
  if (bbPer100 === null) return OPEN;
  const rate = change(rounded(bbPer100));
  return halfInterval95 === null
    ? `${rate}, ${OPEN}`
    : `${rate} ± ${chips(rounded(halfInterval95))}`;
}

/**
 * Return what the results come to in a sentence.
 * @param {Standings} standings
 * @param {string} unit The unit of the win rate.
 */
export function headline({ hands, sinceHand, players }, unit) {
  const [first] = players;
  if (!first || hands === 0) return "No hand is over yet.";
  const missed = sinceHand ? ` Hands before ${chips(sinceHand)} are not counted.` : "";
  const rate = isOpen(first) ? "luck alone could do that" : `${rateWords(first)} ${unit}`;
  return first.net > 0
    ? `After ${handsWords(hands)}, ${first.displayName} is ahead with ${change(first.net)}: ${rate}.${missed}`
    : `After ${handsWords(hands)}, nobody is ahead.${missed}`;
}

export class ResultsView {
  #room;
  #title = h("h2", { id: "results-title" }, "Results");
  #headline = h("p", { class: "hint" });
  #rate = h("th", { scope: "col", title: "with the 95 % interval" });
  #body = h("tbody");
  /** @type {Map<string, HTMLElement>} Rows by player id. */
  #rows = new Map();
  /** @type {Standings | null} */
  #standings = null;
  #key = "";
  #loadedKey = "";
  #isAbsent = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #onLoaded;

  /**
   * @param {string} room
   * @param {() => void} onLoaded Called when there are new standings.
   */
  constructor(room, onLoaded) {
    this.#room = room;
    this.#onLoaded = onLoaded;
    const head = ["Net", this.#rate, "Hands", "Bought", "Chips", "Failed decisions"];
    this.element = h(
      "section",
      { class: "panel results", "aria-labelledby": "results-title", hidden: true },
      this.#title,
      this.#headline,
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Results by player" },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, "Player"),
              head.map((cell) =>
                typeof cell === "string" ? h("th", { scope: "col" }, cell) : cell,
              ),
            ),
          ),
          this.#body,
        ),
      ),
    );
  }

  /** The standings that are shown, or null. */
  get standings() {
    return this.#standings;
  }

  /** Load nothing more. */
  stop() {
    this.#isAbsent = true;
    clearTimeout(this.#timer);
  }

  /**
   * Show the standings after a number of hands; they are loaded at most once in a while.
   * @param {object} context
   * @param {number} context.handCount
   * @param {boolean} context.isOver Whether the room is closed.
   * @param {string | null} context.gameType
   * @param {Map<string, number>} context.colors Players' places in the palette, by id.
   */
  show({ handCount, isOver, gameType, colors }) {
    const unit = (gameType ?? HOLDEM) === HOLDEM ? "bb/100" : "chips/100";
    say(this.#title, isOver ? "Final results" : "Results");
    say(this.#rate, unit);
    this.#key = `${handCount} ${isOver}`;
    this.#load();
    mark(this.element, "hidden", this.#standings === null);
    if (!this.#standings) return;
    say(this.#headline, headline(this.#standings, unit));
    this.#drawRows(this.#standings.players, colors, isOver);
  }

  async #load() {
    if (this.#isAbsent || this.#timer !== undefined || this.#key === this.#loadedKey) return;
    this.#loadedKey = this.#key;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#load();
    }, PAUSE_MS);
    try {
      this.#standings = await api.standings(this.#room);
      if (!this.#isAbsent) this.#onLoaded();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // A lobby of an earlier version has none; of any other failure the next hand asks again.
      if (error.status === 404) this.#isAbsent = true;
    }
  }

  /**
   * @param {Standing[]} players
   * @param {Map<string, number>} colors
   * @param {boolean} isOver In a closed room nobody has a seat, so nobody is marked.
   */
  #drawRows(players, colors, isOver) {
    players.forEach((player, index) => {
      const row = this.#row(player);
      mark(row, "data-color", colors.get(player.playerId) ?? 0);
      mark(row, "data-open", isOpen(player));
      const cells = [
        player.displayName +
          (player.isGuest ? " (guest)" : "") +
          (player.hasLeft && !isOver ? " (left)" : ""),
        change(player.net),
        rateWords(player),
        chips(player.hands),
        chips(player.bought),
        chips(player.stack),
        countsLine(player.faults ?? {}) ?? "none",
      ];
      cells.forEach((text, column) => {
        const cell = row.children[column]?.lastElementChild;
        if (cell) say(cell, text);
      });
      mark(
        row.children[1] ?? row,
        "data-sign",
        player.net > 0 ? "up" : player.net < 0 ? "down" : null,
      );
      if (this.#body.children[index] !== row)
        this.#body.insertBefore(row, this.#body.children[index] ?? null);
    });
    while (this.#body.children.length > players.length) this.#body.lastElementChild?.remove();
  }

  /** @param {Standing} player */
  #row({ playerId }) {
    const known = this.#rows.get(playerId);
    if (known) return known;
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    const row = h(
      "tr",
      {},
      h("th", { scope: "row" }, swatch, h("span", { class: "name" })),
      Array.from({ length: 6 }, () => h("td", {}, h("span"))),
    );
    this.#rows.set(playerId, row);
    return row;
  }
}
