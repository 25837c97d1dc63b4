/** A room as a small live board: enough to see whether it is worth a look. */

import { CardRow } from "./cards.js";
import { h, mark, say, style } from "./dom.js";
import { factsOf, gameWords } from "./game_state.js";
import { short } from "./money.js";
import { seatsAround } from "./oval.js";
import { roomLink } from "./router.js";
import { actionWords } from "./seats.js";

const ASPECT = 1.9;
const MOST_SEATS = 10;
const MOST_CARDS = 5;

/** Return what a room does, as one word for people and for filters. */
export function doing({ status, state }) {
  if (["closed", "failed", "closing", "paused", "opening"].includes(state)) return state;
  return { running: "playing", error: "failed" }[status] ?? status;
}

export class MiniBoard {
  #doing = h("span", { class: "pill" });
  #facts = h("span", { class: "facts" });
  #board = new CardRow(h("div", { class: "board" }));
  #pot = h("span", { class: "pot" });
  #list = h("ol", { class: "seats" });
  #seats = [];
  #room;

  constructor(roomId) {
    this.#room = roomId;
    const link = h("a", { href: roomLink(roomId) }, roomId);
    this.element = h(
      "li",
      { class: "mini" },
      h("div", { class: "mini-head" }, h("h2", {}, link), this.#doing),
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

  /** Show a room's summary, and its table where that is known. */
  show(summary, state, config) {
    const word = doing(summary);
    say(this.#doing, word);
    mark(this.#doing, "data-kind", word);
    const players = state ? state.seats.size : summary.playerCount;
    const game = gameWords(summary.gameType);
    const stakes = game
      ? ` · ${game}`
      : config
        ? ` · ${short(config.smallBlind)}/${short(config.bigBlind)}`
        : "";
    say(
      this.#facts,
      `${players} ${players === 1 ? "player" : "players"}${stakes} · ${summary.handCount} ${summary.handCount === 1 ? "hand" : "hands"}`,
    );
    if (!state) return;
    const highest = Math.max(
      1,
      ...[...state.seats.values()].map((seat) => (seat.number ?? -1) + 1),
    );
    this.#place(Math.min(MOST_SEATS, Math.max(config?.maxSeats ?? 6, highest)));
    const { hand } = state;
    this.#board.show(hand?.game ? openCards(state) : (hand?.board ?? []));
    say(this.#pot, hand?.game ? lastOf(hand) : hand && hand.pot > 0 ? short(hand.pot) : "");
    const byNumber = new Map([...state.seats.values()].map((seat) => [seat.number, seat]));
    this.#seats.forEach((view, number) => view.show(byNumber.get(number), hand));
  }

  #place(count) {
    if (count === this.#seats.length) return;
    this.#seats = seatsAround(count, ASPECT).map((place) => new MiniSeat(place));
    this.#list.replaceChildren(...this.#seats.map((seat) => seat.element));
  }
}

/** Return the cards in the middle of another game's table. */
function openCards({ hand, seats }) {
  if (hand.phase === "cancelled") return [];
  const parts = factsOf(hand.game, seats).flatMap((fact) => fact.parts);
  return parts.filter((part) => typeof part === "object").slice(0, MOST_CARDS);
}

/** Return what was done last at another game's table. */
function lastOf({ log }) {
  const last = log.findLast(({ kind }) => kind === "action");
  return last ? `${last.name}: ${actionWords(last)}` : "";
}

class MiniSeat {
  #name = h("span", { class: "name" });
  #stack = h("span", { class: "stack" });

  constructor({ x, y }) {
    this.element = h("li", { class: "seat" }, this.#name, this.#stack);
    style(this.element, { "--x": x, "--y": y });
  }

  show(seat, hand) {
    say(this.#name, seat?.name ?? "");
    say(this.#stack, seat ? short(seat.stack) : "");
    const said = [
      !seat && "empty",
      seat?.isFolded && "folded",
      seat && hand?.actor === seat.id && "acting",
      seat && hand?.phase === "over" && seat.won > 0 && "winner",
    ];
    this.element.className = `seat ${said.filter(Boolean).join(" ")}`;
  }
}
