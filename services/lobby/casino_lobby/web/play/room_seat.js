/** What a room's view shows of the person who may sit there: buttons on free seats, or the bar. */
// @ts-check

/** @import { Title } from "../chrome.js" */
/** @import { Insight, RoomConfig, SeatOffer, TableState } from "../types.js" */

import { A2GError } from "../a2g/client.js";
import { h, say } from "../dom.js";
import { isForView } from "../room_keys.js";
import { MySeat } from "./my_seat.js";
import { SeatBar } from "./seat_bar.js";
import { openSitDown } from "./sit_down.js";

/**
 * @typedef {object} TableSeat What the table shows of it.
 * @property {number} turn The seat that is at the bottom.
 * @property {SeatOffer | null} sit Takes a free seat; null: nobody can.
 * @property {Insight | null} insight The own cards.
 */

export class RoomSeat {
  #title;
  #onChange;
  #config;
  #seatBot;
  #seat;
  #bar;
  #wasSeen = false;
  /** @type {{ key: string, insight: Insight | null }} */
  #insight = { key: "", insight: null };
  #note = h("p", { class: "hint seat-note", role: "status" });
  /** @type {(event: KeyboardEvent) => void} */
  #onKey = (event) => this.#press(event);
  #onOnline = () => this.#seat.wake();
  /** @type {SeatOffer} */
  #sit = {
    text: "Sit here",
    take: (number) =>
      openSitDown(this.#seat, number, { config: this.#config(), seatBot: this.#seatBot }),
  };

  /**
   * @param {string} room
   * @param {string} gateway The gateway's base URL.
   * @param {object} options
   * @param {Title} options.title
   * @param {() => void} options.onChange Called when there is something to draw.
   * @param {() => RoomConfig | null} options.config Returns the room's rules, once they are known.
   * @param {(number: number) => void} options.seatBot Seats a bot instead of the person.
   */
  constructor(room, gateway, { title, onChange, config, seatBot }) {
    this.#title = title;
    this.#onChange = onChange;
    this.#config = config;
    this.#seatBot = seatBot;
    this.#seat = new MySeat(gateway, room, { storage: sessionStorage }, () => this.#onChange());
    this.#bar = new SeatBar(this.#seat, () => this.#leave());
    this.element = h("div", { class: "my-place" }, this.#note, this.#bar.element);
    addEventListener("keydown", this.#onKey);
    addEventListener("online", this.#onOnline);
    this.#seat.resume();
  }

  /** Whether the person sits in this room. */
  get isSeated() {
    return this.#seat.seated !== null;
  }

  /** Close the connection; the seat is kept for a while. */
  stop() {
    removeEventListener("keydown", this.#onKey);
    removeEventListener("online", this.#onOnline);
    this.#seat.stop();
    this.#bar.stop();
    this.#title.isTurn = false;
  }

  /**
   * Return what the table shows.
   * @param {TableState} state
   * @returns {TableSeat}
   */
  table(state) {
    const { seated } = this.#seat;
    const isOpen = state.state !== "closed" && state.state !== "failed";
    return {
      turn: seated?.seatNumber ?? 0,
      sit: !seated && isOpen ? this.#sit : null,
      insight: this.#ownCards(state),
    };
  }

  /**
   * Show the seat beside a state of the table.
   * @param {TableState} state
   */
  show(state) {
    const seat = this.#seat;
    if (seat.seated) {
      const isThere = state.seats.has(seat.seated.playerId);
      if (this.#wasSeen && !isThere) seat.end("You are no longer at this table.");
      this.#wasSeen ||= isThere;
    }
    if (!seat.seated) this.#wasSeen = false;
    this.#bar.show();
    say(this.#note, seat.seated ? "" : seat.note);
    this.#title.isTurn = this.#bar.isAsked;
  }

  async #leave() {
    try {
      await this.#seat.leave();
    } catch (error) {
      if (!(error instanceof A2GError)) throw error;
      this.#seat.fault = error.message;
      this.#onChange();
    }
  }

  /**
   * Return the own cards, if they are of the hand that is shown.
   * @param {TableState} state
   */
  #ownCards({ hand }) {
    const seat = this.#seat;
    const { playerId } = seat.seated ?? {};
    if (!playerId || !hand || seat.own.cards.length === 0) return null;
    if (seat.own.hand !== null && seat.own.hand !== hand.number) return null;
    const key = `${hand.id} ${JSON.stringify(seat.own.cards)}`;
    if (key !== this.#insight.key) {
      const cards = new Map([[playerId, seat.own.cards]]);
      const insight = { handId: hand.id ?? "", cards, odds: new Map(), decisions: [] };
      this.#insight = { key, insight };
    }
    return this.#insight.insight;
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.repeat || !isForView(event)) return;
    if (this.#bar.press(event.key)) event.preventDefault();
  }
}
