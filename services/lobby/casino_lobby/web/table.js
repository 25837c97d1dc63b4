/** The oval table: seats around it, board and pots in the middle. It draws only what changed. */

import { CardRow, keyOf } from "./cards.js";
import { h, mark, say } from "./dom.js";
import { GameMiddle } from "./game_middle.js";
import { chips } from "./money.js";
import { seatsAround } from "./oval.js";
import { SeatView } from "./seats.js";

const WIDE = 2.1;
const NARROW = 0.66;
const STREETS = new Map([
  ["preflop", "Preflop"],
  ["flop", "Flop"],
  ["turn", "Turn"],
  ["river", "River"],
]);

export class TableView {
  #board = new CardRow(h("div", { class: "board" }));
  #game = new GameMiddle();
  #pot = h("p", { class: "pot" });
  #pots = h("p", { class: "pots" });
  #note = h("p", { class: "note" });
  #list = h("ol", { class: "seats", "aria-label": "Seats" });
  #seats = [];
  #shownPots = null;
  #best = { hand: null, cards: null };

  constructor() {
    const middle = h(
      "div",
      { class: "middle" },
      this.#pots,
      this.#board.element,
      this.#game.element,
      this.#pot,
      this.#note,
    );
    this.element = h("div", { class: "table" }, h("div", { class: "felt" }), middle, this.#list);
  }

  /**
   * Show a state.
   * `seatCount` is the room's; `clock` the actor's, or null; `insight` an operator's knowledge of
   * this hand, or null; `colors` a player's place in the palette, by id.
   */
  show(state, { seatCount, clock = null, insight = null, colors }) {
    const { hand } = state;
    this.#seat(
      Math.max(seatCount, ...[...state.seats.values()].map((seat) => (seat.number ?? -1) + 1)),
    );
    const byNumber = new Map([...state.seats.values()].map((seat) => [seat.number, seat]));
    for (const view of this.#seats) {
      const seat = byNumber.get(view.number) ?? null;
      const color = seat ? (colors.get(seat.id) ?? 0) : null;
      view.show(seat, {
        hand,
        clock: hand?.actor && hand.actor === seat?.id ? clock : null,
        insight,
        color,
      });
    }
    this.#board.show(hand?.board ?? [], this.#bestOf(state));
    this.#game.show(hand, state.seats);
    say(this.#pot, potOf(hand));
    this.#showPots(hand?.pots ?? []);
    say(this.#note, noteOf(state));
    mark(this.element, "data-phase", hand?.phase ?? "none");
    mark(this.element, "data-other", Boolean(hand?.game));
  }

  #showPots(pots) {
    if (pots === this.#shownPots) return;
    this.#shownPots = pots;
    const side = (index) => (pots.length > 2 ? `Side pot ${index}` : "Side pot");
    this.#pots.replaceChildren(
      ...pots.map((pot, index) =>
        h("span", {}, `${index === 0 ? "Main pot" : side(index)}: `, h("b", {}, chips(pot))),
      ),
    );
  }

  #seat(count) {
    if (count === this.#seats.length) return;
    const [wide, narrow] = [seatsAround(count, WIDE), seatsAround(count, NARROW)];
    this.#seats = wide.map((place, number) => new SeatView(number, place, narrow[number]));
    this.#list.replaceChildren(...this.#seats.map((view) => view.element));
    mark(this.element, "data-crowd", count > 8);
  }

  /** Return the cards of the winners' best five; null while nobody has shown. */
  #bestOf(state) {
    if (state.hand !== this.#best.hand) {
      const winners = [...state.seats.values()].filter((seat) => seat.won > 0 && seat.best);
      const isOver = state.hand?.phase === "over" && winners.length > 0;
      const cards = isOver
        ? new Map(winners.flatMap((seat) => seat.best).map((card) => [keyOf(card), card]))
        : null;
      this.#best = { hand: state.hand, cards: cards && [...cards.values()] };
    }
    return this.#best.cards;
  }
}

/** Return what lies in the middle as chips: the pot, or what the bank of another game has won. */
function potOf(hand) {
  const house = hand?.game?.house;
  if (house) return `The house ${house > 0 ? "wins" : "loses"} ${chips(Math.abs(house))}`;
  return hand && hand.pot > 0 ? `${hand.phase === "over" ? "Won" : "Pot"} ${chips(hand.pot)}` : "";
}

function noteOf({ hand, status, state, seats }) {
  if (hand?.phase === "cancelled") return "Hand cancelled";
  if (hand?.phase === "betting" && status === "running")
    return STREETS.get(hand.street) ?? hand.street;
  if (state === "closed" || state === "failed") return `Room ${state}`;
  if (hand?.phase === "over") return "";
  if (state === "paused") return "Paused: too few players answer";
  return seats.size < 2
    ? "Waiting for players"
    : status === "waiting"
      ? "Waiting for the start"
      : "";
}
