/** What a room's view shows of the person who may sit there: free seats, the dialog, the bar. */
// @ts-check

/** @import { Title } from "../chrome.js" */
/** @import { Hand, Insight, RoomConfig, SeatOffer, TableState } from "../types.js" */

import { A2GError } from "../a2g/client.js";
import { Problem } from "../api.js";
import { keep, kept } from "../chrome.js";
import { button, h, openDialog, say, useStyles } from "../dom.js";
import { Form } from "../forms.js";
import { isForView } from "../room_keys.js";
import { handLink } from "../router.js";
import { chips } from "../words.js";
import { MySeat } from "./my_seat.js";
import { SeatBar } from "./seat_bar.js";

/**
 * @typedef {object} TableSeat What the table shows of it.
 * @property {number} turn The seat that is at the bottom.
 * @property {SeatOffer | null} sit Takes a free seat; null: nobody can.
 * @property {Insight | null} insight The own cards.
 */
/** @typedef {{ words: string, href: string | null }} Result The end of a hand, and the hand's link. */

const KEPT_AS = "guest-name";
const LONGEST_NAME = 40;

export class RoomSeat {
  #title;
  #onChange;
  #config;
  #seatBot;
  #seat;
  #bar;
  #room;
  #wasSeen = false;
  /** @type {Result | null} How the latest hand ended, until the next question. */
  #result = null;
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
    useStyles(new URL("play.css", import.meta.url));
    this.#room = room;
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
   * @param {Hand | null} seen The hand as it is seen, which may end later.
   */
  show(state, seen) {
    const seat = this.#seat;
    if (seat.seated) {
      const isThere = state.seats.has(seat.seated.playerId);
      if (this.#wasSeen && !isThere) seat.end("You are no longer at this table.");
      this.#wasSeen ||= isThere;
    }
    if (!seat.seated) this.#wasSeen = false;
    if (seat.request || !seat.seated) this.#result = null;
    else if (state.hand?.phase === "over")
      this.#result = this.#resultOf(state, seat.seated.playerId, seen?.phase === "betting");
    this.#bar.show(this.#result);
    say(this.#note, seat.seated ? "" : seat.note);
    this.#title.isTurn = this.#bar.isAsked;
  }

  /**
   * Return the end of a hand for the person, who does not know it before the table shows it.
   * @param {TableState} state
   * @param {string} playerId
   * @param {boolean} isOpen Whether the table is still to show it.
   * @returns {Result}
   */
  #resultOf(state, playerId, isOpen) {
    if (isOpen) return { words: "Showdown…", href: null };
    const words = resultWords(state, playerId, this.#seat.note);
    return { words, href: handLink(this.#room, state.hand?.number ?? 0) };
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

/**
 * Return who won what with which hand, for one of the players.
 * @param {TableState} state
 * @param {string} playerId
 * @param {string} net What the hand brought this player, who may have won nothing.
 */
export function resultWords({ seats }, playerId, net) {
  const wins = [...seats.values()].flatMap(({ id, name, won, rank }) => {
    const words = `${chips(won)}${rank && ` with ${rank}`}.`;
    return won > 0 ? [`${id === playerId ? "You win" : `${name} wins`} ${words}`] : [];
  });
  return [...wins, ...(seats.get(playerId)?.won ? [] : [net])].filter(Boolean).join(" ");
}

/**
 * Open the dialog.
 * @param {MySeat} seat
 * @param {number} number The seat's number, from 0.
 * @param {object} options
 * @param {RoomConfig | null} options.config
 * @param {(number: number) => void} options.seatBot Seats a bot instead.
 */
function openSitDown(seat, number, { config, seatBot }) {
  const [least, most] = [config?.minBuyIn, config?.maxBuyIn];
  const form = new Form(
    "sit-down",
    [
      { name: "name", label: "Your name", value: kept(localStorage, KEPT_AS) ?? "" },
      {
        name: "buyIn",
        label: "Buy-in",
        type: "number",
        value: String(config?.startingStack ?? ""),
        ...(least && most ? { hint: `${chips(least)} to ${chips(most)} play chips` } : {}),
      },
    ],
    {
      submit: "Sit down",
      send: async (body) => {
        const name = String(body.name ?? "").trim();
        refuse(name === "" || name.length > LONGEST_NAME, "name", "1 to 40 characters");
        const buyIn = typeof body.buyIn === "number" ? body.buyIn : null;
        refuse(body.buyIn !== undefined && buyIn === null, "buyIn", "must be a number");
        keep(localStorage, KEPT_AS, name);
        try {
          await seat.sit({ name, buyIn, seat: number });
        } catch (error) {
          if (error instanceof A2GError) throw problemOf(error);
          throw error;
        }
        dialog.close();
      },
      more: [
        button("Seat a bot instead", () => other(), { class: "quiet" }),
        button("Cancel", () => dialog.close(), { class: "quiet" }),
      ],
    },
  );
  const other = () => {
    dialog.close();
    seatBot(number);
  };
  const dialog = openDialog(
    { "aria-labelledby": "sit-down-title" },
    h("h2", { id: "sit-down-title" }, `Sit down at seat ${number + 1}`),
    h("p", { class: "hint" }, "You play against software agents, for play chips only."),
    form.element,
  );
}

/** @type {(isWrong: boolean, field: string, detail: string) => void} */
function refuse(isWrong, field, detail) {
  if (isWrong) throw new Problem(422, { detail, errors: [{ pointer: `#/${field}`, detail }] });
}

/**
 * Return a refusal of the gateway as a problem of the form.
 * @param {A2GError} error
 */
function problemOf(error) {
  const field = /^(displayName|buyIn)\b/.exec(error.message)?.[1];
  const pointer = field === "displayName" ? "#/name" : "#/buyIn";
  const errors = field ? [{ pointer, detail: error.message }] : [];
  return new Problem(error.status, { detail: error.message, errors });
}
