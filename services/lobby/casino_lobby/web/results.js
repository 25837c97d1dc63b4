/** Who wins, by how much, and how sure that is: a room's standings as a table. */
// @ts-check

/** @import { ChartView } from "./chart.js" */
/** @import { PlayerNames } from "./player_names.js" */
/** @import { DefaultCount, NetSeries, Standing, Standings } from "./types.js" */

import { api, Problem } from "./api.js";
import { h, hint, mark, say, scrollingTable } from "./dom.js";
import { countsLine } from "./faults.js";
import { HOLDEM } from "./game_state.js";
import { whyOf } from "./reading.js";
import { handsWords } from "./room_facts.js";
import { isEmbedded, playerLink } from "./router.js";
import { change, chips, dollars, faultWords, rounded, short, statisticsOf } from "./words.js";

const PAUSE_MS = 2_000;
const OPEN = "says nothing yet";
/** Besides the player. */
const COLUMNS = 6;
/** That of the rate, which also has what it cost. */
const RATE = 1;

/**
 * Return whether a win rate may as well be none: its interval spans 0, or there is none.
 * @param {Pick<Standing, "bbPer100" | "halfInterval95">} player
 */
export function isOpen({ bbPer100 = null, halfInterval95 = null }) {
  return halfInterval95 === null || bbPer100 === null || Math.abs(bbPer100) <= halfInterval95;
}

/**
 * Return a win rate with its interval: "+12.5 ± 4", or that it says nothing yet.
 * @param {Pick<Standing, "bbPer100" | "halfInterval95">} player
 */
export function rateWords({ bbPer100 = null, halfInterval95 = null }) {
  if (bbPer100 === null || halfInterval95 === null) return OPEN;
  return `${change(rounded(bbPer100))} ± ${chips(rounded(halfInterval95))}`;
}

/**
 * Return in lines what 100 hands cost, and what was won for that, as far as it is known.
 * @param {Pick<Standing, "costs">} player
 * @param {string} unit The unit of the win rate.
 */
export function costLines({ costs }, unit) {
  if (!costs) return [];
  const { tokensPer100Hands, usdPer100Hands, wonPerUsd, wonPer1000Tokens } = costs;
  /** @type {(won: number | undefined, what: string) => string | null} */
  const won = (value, what) =>
    typeof value === "number" ? `${change(rounded(value))} ${what}` : null;
  const tokens = tokensPer100Hands ? `${short(tokensPer100Hands)} tokens` : null;
  const cost = [dollars(usdPer100Hands), tokens].filter(Boolean).join(" · ");
  const coin = unit.replace("/100", "");
  const rates = [won(wonPerUsd, `${coin}/$`), won(wonPer1000Tokens, `${coin}/1K tokens`)];
  return [cost && `100 hands: ${cost}`, rates.filter(Boolean).join(" · ")].filter(Boolean);
}

/**
 * Return what the results come to in a sentence.
 * @param {Standings} standings
 * @param {string} unit The unit of the win rate.
 */
export function headline({ hands, players }, unit) {
  const [first] = players;
  if (!first || hands === 0) return "No hand is over yet.";
  const rate = isOpen(first) ? "luck alone could do that" : `${rateWords(first)} ${unit}`;
  return first.net > 0
    ? `After ${handsWords(hands)}, ${first.displayName} is ahead with ${change(first.net)}: ${rate}.`
    : `After ${handsWords(hands)}, nobody is ahead.`;
}

/**
 * Return the terms of a list of statistics.
 * @param {[term: string, meaning: string, value: string][]} lines
 */
export function termsOf(lines) {
  return lines.map(([term, meaning, value]) =>
    h(
      "div",
      { title: meaning },
      h("dt", {}, term, h("span", { class: "unseen" }, `: ${meaning}`)),
      h("dd", {}, value),
    ),
  );
}

/**
 * Return the items of a list of what answered in a player's place.
 * @param {DefaultCount[]} defaulted
 */
export function defaultItems(defaulted) {
  return defaulted.map(({ reason, count, detail }) =>
    h(
      "li",
      {},
      h("span", { class: "line" }, `${faultWords("defaulted", whyOf(reason))} ${count}`),
      detail ? h("q", { class: "said" }, detail) : null,
    ),
  );
}

export class ResultsView {
  #room;
  #title = h("h2", { id: "results-title" }, "Results");
  #headline = hint();
  #rate = h("th", { scope: "col", title: "with the 95 % interval" });
  #body = h("tbody");
  /** @type {Map<string, ResultRow>} By player id. */
  #rows = new Map();
  /** @type {Standings | null} */
  #standings = null;
  /** @type {NetSeries | null} */
  #series = null;
  /** @type {string | null} The player whose statistics are open, and who is alone in the chart. */
  #chosen = null;
  #chart;
  #key = "";
  #loadedKey = "";
  /** The key of the series that is loaded, and what the chart was last drawn with. */
  #drawnKey = 0;
  #chartKey = "";
  #isAbsent = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #onLoaded;

  /**
   * @param {string} room
   * @param {() => void} onLoaded Called when there are new standings.
   * @param {ChartView} chart Draws the course of the nets.
   */
  constructor(room, onLoaded, chart) {
    this.#room = room;
    this.#onLoaded = onLoaded;
    this.#chart = chart;
    chart.onChoose = (player) => this.#choose(player);
    const head = ["Net", this.#rate, "Hands", "Bought", "Chips", "Failed decisions"];
    this.element = h(
      "section",
      { class: "panel results", "aria-labelledby": "results-title", hidden: true },
      this.#title,
      this.#headline,
      scrollingTable("Results by player", ["Player", ...head], this.#body),
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
   * @param {number} [context.bigBlind]
   * @param {PlayerNames} context.playerNames
   */
  show({ handCount, isOver, gameType, bigBlind = 1, playerNames }) {
    const isHoldem = (gameType ?? HOLDEM) === HOLDEM;
    const unit = isHoldem ? "bb/100" : "chips/100";
    say(this.#title, isOver ? "Final results" : "Results");
    say(this.#rate, unit);
    this.#key = `${handCount} ${isOver}`;
    this.#load();
    mark(this.element, "hidden", this.#standings === null);
    if (!this.#standings) return;
    const players = this.#standings.players.map((player) => ({
      ...player,
      displayName: playerNames.names.get(player.playerId) ?? player.displayName,
    }));
    say(this.#headline, headline({ ...this.#standings, players }, unit));
    this.#drawRows(players, { colors: playerNames.colors, isOver, unit });
    const chosen = players.find(({ playerId }) => playerId === this.#chosen) ?? null;
    const drawn = `${this.#drawnKey} ${this.#chosen} ${chosen?.hands}`;
    if (this.#series && drawn !== this.#chartKey) {
      this.#chartKey = drawn;
      this.#chart.follow(this.#series, chosen, isHoldem ? bigBlind : 1);
    }
  }

  /**
   * Open a player's statistics and let the chart show that player alone, or end that.
   * @param {string} player
   */
  #choose(player) {
    this.#chosen = this.#chosen === player ? null : player;
    this.#onLoaded();
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
      this.#series = await api.series(this.#room);
      this.#drawnKey += 1;
      if (!this.#isAbsent) this.#onLoaded();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // A lobby of an earlier version has none; of any other failure the next hand asks again.
      if (error.status === 404) this.#isAbsent = this.#standings === null;
    }
  }

  /**
   * @param {Standing[]} players
   * @param {object} context
   * @param {Map<string, number>} context.colors
   * @param {boolean} context.isOver In a closed room nobody has a seat, so nobody is marked.
   * @param {string} context.unit The unit of the win rate.
   */
  #drawRows(players, { colors, isOver, unit }) {
    const focused = document.activeElement;
    players.forEach((player, index) => {
      const row = this.#row(player.playerId);
      const name =
        player.displayName +
        (player.isGuest ? " (guest)" : "") +
        (player.hasLeft && !isOver ? " (left)" : "");
      const cells = [
        change(player.net),
        rateWords(player),
        chips(player.hands),
        chips(player.bought),
        chips(player.stack),
        countsLine(player.faults ?? {}, player.defaulted) ?? "none",
      ];
      const color = colors.get(player.playerId) ?? 0;
      const isChosen = player.playerId === this.#chosen;
      const costs = costLines(player, unit);
      row.show(player, { name, cells, costs, color, isOpen: isOpen(player), isChosen });
      const there = this.#body.children[2 * index];
      if (there !== row.element) {
        this.#body.insertBefore(row.element, there ?? null);
        row.element.after(row.more);
      }
    });
    const ids = new Set(players.map(({ playerId }) => playerId));
    for (const [id, row] of this.#rows) if (!ids.has(id)) row.remove();
    // A row that is moved loses the focus.
    if (focused instanceof HTMLElement && this.#body.contains(focused))
      focused.focus({ preventScroll: true });
  }

  /** @param {string} id */
  #row(id) {
    const row = this.#rows.get(id) ?? new ResultRow(() => this.#choose(id));
    this.#rows.set(id, row);
    return row;
  }
}

/** A player in the results: a row of the table, and a row below it with statistics. */
class ResultRow {
  #name;
  #cells = Array.from({ length: COLUMNS }, () => h("td"));
  #model = h("bdi", { class: "model" });
  #statistics = h("dl", { class: "statistics" });
  #defaults = h("ul", { class: "faults" });
  #everywhere = h("a", { hidden: true }, "In all rooms of the casino");
  #key = "";

  /** @param {() => void} choose Called when the player's name is clicked. */
  constructor(choose) {
    this.#name = h("button", { type: "button", class: "name", onclick: choose });
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    this.element = h(
      "tr",
      {},
      h("th", { scope: "row" }, swatch, this.#name, this.#model),
      this.#cells,
    );
    this.more = h(
      "tr",
      { class: "more", hidden: true },
      h("td", { colspan: COLUMNS + 1 }, this.#statistics, this.#defaults, this.#everywhere),
    );
  }

  /**
   * Show the player; its statistics if it is chosen.
   * @param {Standing} player
   * @param {object} look
   * @param {string} look.name
   * @param {string[]} look.cells
   * @param {string[]} look.costs
   * @param {number} look.color
   * @param {boolean} look.isOpen Whether luck alone could have done it.
   * @param {boolean} look.isChosen
   */
  show(player, { name, cells, costs, color, isOpen, isChosen }) {
    mark(this.element, "data-color", color);
    mark(this.element, "data-open", isOpen);
    say(this.#name, name);
    mark(this.#name, "title", name);
    mark(this.#name, "aria-expanded", isChosen ? "true" : "false");
    const model = player.profile?.model ?? "";
    say(this.#model, model);
    mark(this.#model, "title", model);
    cells.forEach((text, column) => {
      const cell = this.#cells[column];
      const more = column === RATE ? costs : [];
      if (!cell || cell.textContent === [text, ...more].join("")) return;
      cell.replaceChildren(text, ...more.map((line) => h("small", {}, line)));
    });
    const sign = player.net > 0 ? "up" : player.net < 0 ? "down" : null;
    if (this.#cells[0]) mark(this.#cells[0], "data-sign", sign);
    mark(this.more, "hidden", !isChosen);
    mark(this.#everywhere, "hidden", !player.career || isEmbedded);
    mark(this.#everywhere, "href", player.career ? playerLink(player.career) : null);
    if (isChosen) this.#showStatistics(player);
  }

  /** @param {Standing} player */
  #showStatistics(player) {
    const lines = statisticsOf(player);
    const { defaulted = [] } = player;
    const key = JSON.stringify([lines, defaulted]);
    if (key === this.#key) return;
    this.#key = key;
    this.#statistics.replaceChildren(...termsOf(lines));
    this.#defaults.replaceChildren(...defaultItems(defaulted));
    if (lines.length === 0)
      this.#statistics.append(h("div", {}, h("dt", {}, "Nothing is counted yet")));
  }

  /** Remove both rows. */
  remove() {
    this.element.remove();
    this.more.remove();
  }
}
