/** The featured table: a large live board, and what happens there in words. */
// @ts-check

/** @import { Entry } from "./lobby_entry.js" */
/** @import { Hand, Seat, TableState } from "./types.js" */

import { h, hint, mark, say } from "./dom.js";
import { lastActionOf, MiniBoard } from "./lobby_entry.js";
import { statusWord, waitLine } from "./room_facts.js";
import { chips } from "./words.js";

/** @type {Map<string, string>} */
const NOT_PLAYING = new Map([
  ["idle", "The session is over. Start another one in the room."],
  ["waiting", "It waits for players: take a seat."],
  ["paused", "It pauses, and goes on soon."],
  ["opening", "The table is being set up."],
]);

/**
 * Return what happens at a table: who is to act for how much, and the last action, or who has won.
 * @param {Pick<TableState, "hand" | "seats">} state
 * @returns {[now: string, last: string]}
 */
export function tellNow({ hand, seats }) {
  if (!hand) return ["The next hand begins soon.", ""];
  if (hand.phase === "cancelled") return [`Hand ${chips(hand.number)} was cancelled.`, ""];
  if (hand.phase === "over") return [winnersOf(hand, seats), lastActionOf(hand)];
  const name = hand.actor === null ? undefined : seats.get(hand.actor)?.name;
  const allIn = [...seats.values()].filter(isAllIn).length;
  const parts = [
    name ? `${name} is to act` : `Hand ${chips(hand.number)}`,
    !hand.game && hand.street && hand.street !== "preflop" && hand.street,
    !hand.game && hand.pot > 0 && `pot ${chips(hand.pot)}`,
    !hand.game && allIn > 0 && `${allIn} all-in`,
  ];
  return [parts.filter(Boolean).join(" · "), lastActionOf(hand)];
}

/** @param {Seat} seat */
function isAllIn(seat) {
  return seat.isDealt && !seat.isFolded && seat.stack === 0 && seat.committed > 0;
}

/**
 * @param {Hand} hand
 * @param {TableState["seats"]} seats
 */
function winnersOf(hand, seats) {
  const winners = [...seats.values()].filter(({ won, score }) => won > 0 || (score ?? 0) > 0);
  if (winners.length === 0) return `Hand ${chips(hand.number)} is over: no player has won`;
  const told = winners.map(({ name, won, score, rank }) =>
    [`${name} wins ${chips(won > 0 ? won : (score ?? 0))}`, rank && `with ${rank}`]
      .filter(Boolean)
      .join(" "),
  );
  return told.join("; ");
}

/** The box of the featured table; it keeps its height whatever it shows. */
export class FeaturedTable {
  #now = h("p", { class: "now" });
  #last = hint();
  #told = h("div", { class: "told" }, this.#now, this.#last);
  #stage = h("div", { class: "featured-stage" });
  /** @type {MiniBoard | null} */
  #board = null;
  #room = "";
  element = h(
    "section",
    { class: "featured", "aria-label": "Featured table" },
    this.#stage,
    this.#told,
  );

  /**
   * Show a room's table.
   * @param {Entry} entry
   */
  show({ id, summary, state, isLoaded }) {
    if (this.#room !== id || !this.#board) {
      this.#room = id;
      this.#board = new MiniBoard(id, "div");
      this.#stage.replaceChildren(this.#board.element);
    }
    mark(this.#told, "hidden", false);
    this.#board.show(summary, isLoaded ? state : null);
    const word = statusWord(summary);
    const [now, last] =
      word === "playing" && isLoaded
        ? tellNow(state)
        : [NOT_PLAYING.get(word) ?? waitLine(summary), ""];
    for (const [part, text] of /** @type {[HTMLElement, string][]} */ ([
      [this.#now, now],
      [this.#last, last],
    ])) {
      say(part, text);
      mark(part, "title", text || null);
    }
    mark(this.element, "data-room", id);
  }

  /**
   * Show something else in place of a table.
   * @param {HTMLElement} element
   */
  showInstead(element) {
    if (this.#stage.firstChild === element) return;
    [this.#room, this.#board] = ["", null];
    this.#stage.replaceChildren(element);
    mark(this.#told, "hidden", true);
    mark(this.element, "data-room", null);
  }
}
