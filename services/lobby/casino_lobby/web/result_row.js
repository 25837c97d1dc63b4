/** A player in the results: a row of the table, and a row below it with statistics. */
// @ts-check

/** @import { Standing } from "./types.js" */

import { h, mark, say } from "./dom.js";
import { statisticsOf } from "./play_words.js";

const COLUMNS = 6;

export class ResultRow {
  #name;
  #cells = Array.from({ length: COLUMNS }, () => h("td"));
  #statistics = h("dl", { class: "statistics" });
  #key = "";

  /** @param {() => void} choose Called when the player's name is clicked. */
  constructor(choose) {
    this.#name = h("button", { type: "button", class: "name", onclick: choose });
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    this.element = h("tr", {}, h("th", { scope: "row" }, swatch, this.#name), this.#cells);
    this.more = h(
      "tr",
      { class: "more", hidden: true },
      h("td", { colspan: COLUMNS + 1 }, this.#statistics),
    );
  }

  /**
   * Show the player; its statistics if it is chosen.
   * @param {Standing} player
   * @param {object} look
   * @param {string} look.name
   * @param {string[]} look.cells
   * @param {number} look.color
   * @param {boolean} look.isOpen Whether luck alone could have done it.
   * @param {boolean} look.isChosen
   */
  show(player, { name, cells, color, isOpen, isChosen }) {
    mark(this.element, "data-color", color);
    mark(this.element, "data-open", isOpen);
    say(this.#name, name);
    mark(this.#name, "title", name);
    mark(this.#name, "aria-expanded", isChosen ? "true" : "false");
    cells.forEach((text, column) => {
      const cell = this.#cells[column];
      if (cell) say(cell, text);
    });
    const sign = player.net > 0 ? "up" : player.net < 0 ? "down" : null;
    if (this.#cells[0]) mark(this.#cells[0], "data-sign", sign);
    mark(this.more, "hidden", !isChosen);
    if (isChosen) this.#showStatistics(player);
  }

  /** @param {Standing} player */
  #showStatistics(player) {
    const lines = statisticsOf(player);
    const key = JSON.stringify(lines);
    if (key === this.#key) return;
    this.#key = key;
    this.#statistics.replaceChildren(
      ...lines.map(([term, meaning, value]) =>
        h(
          "div",
          { title: meaning },
          h("dt", {}, term, h("span", { class: "unseen" }, `: ${meaning}`)),
          h("dd", {}, value),
        ),
      ),
    );
    if (lines.length === 0)
      this.#statistics.append(h("div", {}, h("dt", {}, "Nothing is counted yet")));
  }

  /** Remove both rows. */
  remove() {
    this.element.remove();
    this.more.remove();
  }
}
