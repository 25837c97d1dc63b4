/** What a room needs next, right at its table: bots at its seats, or the start of a session. */
// @ts-check

/** @import { RoomConfig, SeatOffer, Shared, TableState } from "./types.js" */

import { api, Problem } from "./api.js";
import { h, mark, say } from "./dom.js";
import { HOLDEM } from "./game_state.js";
import { openSeatBot } from "./seat_dialog.js";
import { statusWord } from "./status_word.js";

/**
 * @typedef {object} Step
 * @property {string} text
 * @property {boolean} canSeat Whether there is a free seat.
 * @property {boolean} canStart
 */

/**
 * Return what a room needs next; null if there is nothing to do.
 * @param {object} room
 * @param {string} room.word What the room does, as a word.
 * @param {number} room.players The number of seated players.
 * @param {number} room.seats
 * @param {string | null} room.gameType
 * @returns {Step | null}
 */
export function nextStep({ word, players, seats, gameType }) {
  if (word !== "waiting" && word !== "idle") return null;
  const canSeat = players < seats;
  if (players === 0)
    return { text: "Nobody sits at this table: take a free seat.", canSeat, canStart: false };
  const canStart = players > 1 || gameType !== HOLDEM;
  if (!canStart) return { text: "One player is here, and the game needs two.", canSeat, canStart };
  const who = players === 1 ? "One player is here" : `${players} players are here`;
  const itself = canSeat ? ", or fill the seats and it starts by itself" : "";
  return word === "idle"
    ? { text: `The session is over, and ${who.toLowerCase()}.`, canSeat, canStart }
    : { text: `${who}. Start${itself}.`, canSeat, canStart };
}

export class NextStep {
  /** @type {SeatOffer} */
  #offer = { text: "Seat a bot", take: (number) => this.#open(number) };
  #room;
  /** @type {Shared | null} */
  #shared = null;
  #free = 0;
  #isOpen = false;
  #said = { word: "", players: 0 };
  #text = h("p", { class: "hint" });
  #done = h("p", { class: "done", role: "status" });
  #fault = h("p", { class: "fault", role: "alert" });
  #seat = h(
    "button",
    { type: "button", class: "quiet", onclick: () => this.#open(this.#free) },
    "Seat a bot",
  );
  #start = h(
    "button",
    { type: "button", class: "main", onclick: () => this.#begin() },
    "Start the session",
  );

  /** @param {string} room */
  constructor(room) {
    this.#room = room;
    this.element = h(
      "div",
      { class: "next-step", hidden: true },
      this.#text,
      h("div", { class: "row" }, this.#seat, this.#start),
      this.#done,
      this.#fault,
    );
  }

  /**
   * Use what all views share: the lobby's sample bots, and whether the operator's key is missing.
   * @param {Shared} shared
   */
  use(shared) {
    this.#shared = shared;
  }

  /** What a free seat offers; null while the room takes nobody. */
  get sit() {
    return this.#isOpen ? this.#offer : null;
  }

  /** What seats a bot at a seat. */
  get take() {
    return this.#offer.take;
  }

  /**
   * Show what the room needs.
   * @param {object} live
   * @param {TableState} live.state
   * @param {RoomConfig | null} live.config
   * @param {string | null} live.gameType
   * @param {boolean} isReplay
   */
  show({ state, config, gameType }, isReplay) {
    const word = statusWord(state);
    const seats = config?.maxSeats ?? 0;
    this.#isOpen = seats > 0 && !["closed", "closing", "failed"].includes(word);
    this.#free = freeSeat(state, seats);
    const players = state.seats.size;
    const step = isReplay || !this.#isOpen ? null : nextStep({ word, players, seats, gameType });
    this.#forget(word, players);
    mark(this.element, "hidden", step === null);
    say(this.#text, step?.text ?? "");
    mark(this.#seat, "hidden", !step?.canSeat);
    mark(this.#start, "hidden", !step?.canStart);
  }

  /**
   * Take back what was said of a state that is over.
   * @param {string} word
   * @param {number} players
   */
  #forget(word, players) {
    if (word !== this.#said.word) say(this.#done, "");
    if (word !== this.#said.word || players !== this.#said.players) say(this.#fault, "");
    this.#said = { word, players };
  }

  /** @param {number} number */
  async #open(number) {
    const config = await this.#shared?.config;
    openSeatBot(this.#room, number, {
      samples: config?.sampleBots ?? [],
      isKeyMissing: this.#shared?.operator.isMissing ?? false,
      onSeated: ({ displayName, seatNumber }) => {
        const moved = seatNumber !== number ? " at another seat: that one was taken" : "";
        say(this.#done, `${displayName} sits down${moved}.`);
      },
    });
  }

  async #begin() {
    for (const part of [this.#done, this.#fault]) say(part, "");
    this.#start.disabled = true;
    try {
      await api.start(this.#room, {});
      say(this.#done, "The session begins.");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(this.#fault, error.message);
    } finally {
      this.#start.disabled = false;
    }
  }
}

/**
 * Return the number of the first free seat; 0 if all are taken.
 * @param {TableState} state
 * @param {number} seats
 */
function freeSeat(state, seats) {
  const taken = new Set([...state.seats.values()].map(({ number }) => number));
  const numbers = Array.from({ length: seats }, (_, number) => number);
  return numbers.find((number) => !taken.has(number)) ?? 0;
}
