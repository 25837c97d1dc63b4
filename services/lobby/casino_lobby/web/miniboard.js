/** A room as a small live board, with as much as the lobby's list needs. */
// @ts-check

/** @import { Hand, RoomConfig, RoomSummary, Seat, TableState } from "./types.js" */

import { CardRow } from "./cards.js";
import { h, mark, say, style } from "./dom.js";
import { factsOf, gameWords } from "./game_state.js";
import { short } from "./money.js";
import { seatsAround } from "./oval.js";
import { handsWords } from "./room_facts.js";
import { roomLink } from "./router.js";
import { actionWords } from "./seats.js";
import { statusWord } from "./status_word.js";

const ASPECT = 1.9;
const MOST_SEATS = 10;
const MOST_CARDS = 5;

export class MiniBoard {
  #status = h("span", { class: "pill" });
  #top = h("span", { class: "top-mark", hidden: true }, "Top table");
  #facts = h("span", { class: "facts" });
  #board = new CardRow(h("div", { class: "board" }));
  #pot = h("span", { class: "pot" });
  #list = h("ol", { class: "seats" });
  /** @type {MiniSeat[]} */
  #seats = [];

  /** @param {string} roomId */
  constructor(roomId) {
    const link = h("a", { href: roomLink(roomId) }, roomId);
    this.element = h(
      "li",
      { class: "mini" },
      h("div", { class: "mini-head" }, h("h2", {}, link), this.#top, this.#status),
      h(
        "div",
        { class: "mini-table", "aria-hidden": "true" },
        h("div", { class: "felt" }),
        h("div", { class: "middle" }, this.#board.element, this.#pot),
        this.#list,
      ),
      this.#facts,
    );
  }

  /**
   * Say whether this is the table with the largest recent hand.
   * @param {boolean} isTop
   */
  markTop(isTop) {
    mark(this.#top, "hidden", !isTop);
    this.element.classList.toggle("top", isTop);
  }

  /**
   * Show a room's summary, and its table once it is loaded.
   * @param {RoomSummary} summary
   * @param {TableState | null} state
   * @param {RoomConfig | null} config
   */
  show(summary, state, config) {
    const word = statusWord(summary);
    say(this.#status, word);
    mark(this.#status, "data-kind", word);
    const players = state ? state.seats.size : summary.playerCount;
    const game = gameWords(summary.gameType);
    const stakes = game
      ? ` · ${game}`
      : config
        ? ` · ${short(config.smallBlind)}/${short(config.bigBlind)}`
        : "";
    say(
      this.#facts,
      `${players} ${players === 1 ? "player" : "players"}${stakes} · ${handsWords(summary.handCount)}`,
    );
    if (!state) return;
    const highest = Math.max(
      1,
      ...[...state.seats.values()].map((seat) => (seat.number ?? -1) + 1),
    );
    this.#place(Math.min(MOST_SEATS, Math.max(config?.maxSeats ?? 6, highest)));
    const { hand } = state;
    this.#board.show(hand?.game ? openCards(state) : (hand?.board ?? []));
    say(this.#pot, hand?.game ? lastActionOf(hand) : hand && hand.pot > 0 ? short(hand.pot) : "");
    const byNumber = new Map([...state.seats.values()].map((seat) => [seat.number, seat]));
    for (const [number, view] of this.#seats.entries()) view.show(byNumber.get(number), hand);
  }

  /**
   * Draw as many seats.
   * @param {number} count
   */
  #place(count) {
    if (count === this.#seats.length) return;
    this.#seats = seatsAround(count, ASPECT).map((place) => new MiniSeat(place));
    this.#list.replaceChildren(...this.#seats.map((seat) => seat.element));
  }
}

/**
 * Return the cards in the middle of the table of a game other than Hold'em.
 * @param {TableState} state
 */
function openCards({ hand, seats }) {
  if (!hand?.game || hand.phase === "cancelled") return [];
  const parts = factsOf(hand.game, seats).flatMap((fact) => fact.parts);
  return parts.filter((part) => typeof part === "object").slice(0, MOST_CARDS);
}

/**
 * Return the latest action of a hand as text.
 * @param {Hand} hand
 */
function lastActionOf({ log }) {
  const entry = log.findLast(({ kind }) => kind === "action");
  return entry?.kind === "action" ? `${entry.name}: ${actionWords(entry)}` : "";
}

class MiniSeat {
  #name = h("span", { class: "name" });
  #stack = h("span", { class: "stack" });

  /** @param {import("./oval.js").Place} place */
  constructor({ x, y }) {
    this.element = h("li", { class: "seat" }, this.#name, this.#stack);
    style(this.element, { "--x": x, "--y": y });
  }

  /**
   * @param {Seat | undefined} seat
   * @param {Hand | null} hand
   */
  show(seat, hand) {
    say(this.#name, seat?.name ?? "");
    say(this.#stack, seat ? short(seat.stack) : "");
    const classes = [
      !seat && "empty",
      seat?.isFolded && "folded",
      seat && hand?.actor === seat.id && "acting",
      seat && hand?.phase === "over" && seat.won > 0 && "winner",
    ];
    this.element.className = `seat ${classes.filter(Boolean).join(" ")}`;
  }
}
