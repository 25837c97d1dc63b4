/**
 * The oval table: seats around it, board, pots and any game's state in the middle, talk below.
 *
 * Only what changed is drawn.
 */
// @ts-check

/** @import { Fact } from "./game_state.js" */
/** @import { Card, Clock, GameState, Hand, Insight, Seat, SeatOffer, Seats, TableState } from "./types.js" */

import { uncalledOf } from "./betting.js";
import { CardRow, keyOf, openCard } from "./cards.js";
import { h, mark, say } from "./dom.js";
import { factsOf } from "./game_state.js";
import { oddsNow } from "./insight.js";
import { seatsAround } from "./places.js";
import { holdingUp, statusWord } from "./room_facts.js";
import { SeatView, sayChips } from "./seats.js";

const WIDE = 2.1;
const NARROW = 0.66;
const MOST_POTS = 3;
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
  #talk = new Talk();
  #list = h("ol", { class: "seats", "aria-label": "Seats" });
  /** @type {SeatView[]} */
  #seats = [];
  /** @type {number[] | null} */
  #shownPots = null;
  #turn = 0;
  /** @type {{ hand: Hand | null, cards: Card[] | null }} The winners' cards, by hand. */
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
    this.oval = h("div", { class: "table" }, h("div", { class: "felt" }), middle, this.#list);
    this.element = h("div", { class: "table-box" }, this.oval, this.#talk.element);
  }

  /**
   * Show a state.
   * @param {TableState} state
   * @param {object} context
   * @param {number} context.seatCount The number of places at the table.
   * @param {Clock | null} [context.clock] The actor's clock.
   * @param {Insight | null} [context.insight] What an operator may see of this hand.
   * @param {Map<string, number>} context.colors Players' places in the palette, by id.
   * @param {number} [context.turn] The number of the seat at the bottom.
   * @param {SeatOffer | null} [context.sit] Takes a free seat, if one can.
   */
  show(state, { seatCount, clock = null, insight = null, colors, turn = 0, sit = null }) {
    const { hand } = state;
    this.#place(
      Math.max(seatCount, ...[...state.seats.values()].map((seat) => (seat.number ?? -1) + 1)),
      turn,
    );
    const byNumber = new Map([...state.seats.values()].map((seat) => [seat.number, seat]));
    const odds = oddsNow(insight, state);
    for (const view of this.#seats) {
      const seat = byNumber.get(view.number) ?? null;
      const color = seat ? (colors.get(seat.id) ?? 0) : null;
      view.show(seat, {
        hand,
        clock: hand?.actor && hand.actor === seat?.id ? clock : null,
        insight,
        odds,
        color,
        sit,
      });
    }
    this.#board.show(hand?.board ?? [], this.#bestOf(state));
    this.#game.show(hand, state.seats);
    const [amount, words] = potOf(hand);
    if (amount > 0) sayChips(this.#pot, amount, words);
    else say(this.#pot, "");
    this.#showPots(hand);
    say(this.#note, noteOf(state));
    this.#talk.show(state, colors);
    mark(this.oval, "data-phase", hand?.phase ?? "none");
    mark(this.oval, "data-other", Boolean(hand?.game));
  }

  /** @param {Hand | null} hand */
  #showPots(hand) {
    const pots = hand?.pots ?? [];
    if (pots === this.#shownPots) return;
    this.#shownPots = pots;
    const uncalled = hand ? uncalledOf(hand) : 0;
    /** @param {number} index */
    const side = (index) => (pots.length > 2 ? `Side pot ${index}` : "Side pot");
    const others = pots.slice(MOST_POTS);
    const sum = others.reduce((total, pot) => total + pot, 0);
    this.#pots.replaceChildren(
      ...pots
        .slice(0, MOST_POTS)
        .map((pot, index) => potElement(index === 0 ? "Main pot" : side(index), pot)),
      ...(sum > 0 ? [potElement(`${others.length} more`, sum)] : []),
      ...(uncalled > 0 ? [potElement("Not called yet", uncalled)] : []),
    );
  }

  /**
   * Draw as many places.
   * @param {number} count
   * @param {number} turn The number of the seat at the bottom.
   */
  #place(count, turn) {
    if (count === this.#seats.length && turn === this.#turn) return;
    this.#turn = turn;
    const [wide, narrow] = [seatsAround(count, WIDE), seatsAround(count, NARROW)];
    this.#seats = wide.map((first, number) => {
      const index = (((number - turn) % count) + count) % count;
      const place = wide[index] ?? first;
      return new SeatView(number, place, narrow[index] ?? place);
    });
    this.#list.replaceChildren(...this.#seats.map((view) => view.element));
    mark(this.oval, "data-crowd", count > 8);
  }

  /**
   * Return the cards of the winners' best five; null until cards are shown.
   * @param {TableState} state
   */
  #bestOf(state) {
    if (state.hand !== this.#best.hand) {
      const isOver = state.hand?.phase === "over";
      const winners = isOver ? [...state.seats.values()].filter((seat) => seat.won > 0) : [];
      const best = winners.flatMap((seat) => seat.best ?? []);
      const cards = winners.some((seat) => seat.best)
        ? new Map(best.map((card) => [keyOf(card), card]))
        : null;
      this.#best = { hand: state.hand, cards: cards && [...cards.values()] };
    }
    return this.#best.cards;
  }
}

/**
 * Return the line about chips in the middle: the pot, or what the bank of a banked game has won.
 * @param {Hand | null} hand
 * @returns {[amount: number, words: string]}
 */
function potOf(hand) {
  const house = hand?.game?.house;
  if (house) return [Math.abs(house), `The bank ${house > 0 ? "wins" : "loses"} `];
  return [hand?.pot ?? 0, hand?.phase === "over" ? "Won " : "Pot "];
}

/** @type {(words: string, amount: number) => HTMLElement} */
function potElement(words, amount) {
  const number = h("b");
  sayChips(number, amount);
  return h("span", {}, `${words}: `, number);
}

/**
 * Return the line about the state of the hand or the room.
 * @param {TableState} state
 */
function noteOf({ hand, status, state, seats, waits }) {
  if (waits && holdingUp(waits)) return `Waiting: ${statusWord({ status, waits })}`;
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

/**
 * Return the seat that spoke last in the running round, null if none did.
 * @param {TableState} state
 * @returns {Seat | null}
 */
export function speakerOf({ hand, seats }) {
  const entry = hand?.log.findLast((line) => line.kind === "action" && line.says !== "");
  const seat = entry?.kind === "action" ? seats.get(entry.id) : undefined;
  return seat?.says ? seat : null;
}

/** What a player said last, below the table: there it covers neither cards nor bets. */
class Talk {
  #name = h("b");
  #words = h("q");
  element = h("p", { class: "talk" }, this.#name, " ", this.#words);

  /**
   * Show who spoke last.
   * @param {TableState} state
   * @param {Map<string, number>} colors Players' places in the palette, by id.
   */
  show(state, colors) {
    const seat = speakerOf(state);
    mark(this.element, "data-quiet", seat === null);
    mark(this.element, "data-color", seat ? (colors.get(seat.id) ?? 0) : null);
    say(this.#name, seat?.name ?? "");
    say(this.#words, seat?.says ?? "");
    mark(this.element, "title", seat?.says);
  }
}

/** The public state of a game other than Hold'em, cards first. */
class GameMiddle {
  element = h("dl", { class: "game-state", hidden: true });
  /** @type {GameState | null} */
  #shown = null;

  /**
   * Show a hand's public state; without a hand, and in Hold'em, it is hidden.
   * @param {Hand | null} hand
   * @param {Seats} seats
   */
  show(hand, seats) {
    const game = hand?.game && hand.phase !== "cancelled" ? hand.game : null;
    mark(this.element, "hidden", game === null);
    if (game === this.#shown) return;
    this.#shown = game;
    this.element.replaceChildren(...(game ? factsOf(game, seats) : []).map(factElement));
  }
}

/** @param {Fact} fact */
function factElement({ label, parts, of }) {
  return h(
    "div",
    { "data-of": of, title: of === "told" ? String(parts[0]) : null },
    label ? h("dt", {}, label) : null,
    h(
      "dd",
      {},
      parts.map((part) => (typeof part === "string" ? h("span", {}, part) : openCard(part))),
    ),
  );
}
