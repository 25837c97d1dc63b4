/** How a room gets its players: what it needs next, the dialog that seats a bot, known cards. */
// @ts-check

/** @import { RoomConfig, SampleBot, SeatOffer, Shared, TableState, TakenSeat } from "./types.js" */

import { api, Problem } from "./api.js";
import { keep, kept } from "./chrome.js";
import { button, h, mark, openDialog, say } from "./dom.js";
import { Form } from "./forms.js";
import { HOLDEM } from "./game_state.js";
import { statusWord } from "./room_facts.js";

/**
 * @typedef {object} Step
 * @property {string} text
 * @property {boolean} canSeat Whether there is a free seat.
 * @property {boolean} canStart
 */

/** Refusals that are about the card, although they name no field. */
export const CARD_PROBLEMS = {
  "agent-unreachable": "agentCardUrl",
  "agent-timed-out": "agentCardUrl",
  "agent-contract-violation": "agentCardUrl",
  "agent-refused": "agentCardUrl",
};

const KEPT_AS = "recent-cards";
const MOST_RECENT = 6;
const LONGEST_ADDRESS = 2_048;

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

/** What a room needs next, right at its table: bots at its seats, or the start of a session. */
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
  #seat = button("Seat a bot", () => this.#open(this.#free), { class: "quiet" });
  #start = button("Start the session", () => this.#begin(), { class: "main" });

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

/**
 * Open the dialog.
 * @param {string} room
 * @param {number} number The seat's number, from 0.
 * @param {object} options
 * @param {SampleBot[]} options.samples What the lobby offers.
 * @param {boolean} options.isKeyMissing Whether the lobby will ask for its operator's key.
 * @param {(seat: TakenSeat) => void} options.onSeated
 */
function openSeatBot(room, number, { samples, isKeyMissing, onSeated }) {
  const form = new Form(
    "seat-bot",
    [
      {
        name: "agentCardUrl",
        label: "Agent card",
        type: "url",
        hint: "The address at which the bot serves its card, such as http://127.0.0.1:9000",
        wide: true,
      },
    ],
    {
      submit: "Seat the bot",
      places: CARD_PROBLEMS,
      send: async (body) => {
        const url = String(body.agentCardUrl ?? "");
        const seat = await api.register(room, { ...body, preferredSeat: number });
        rememberCard({ name: seat.displayName, agentCardUrl: url });
        dialog.close();
        onSeated(seat);
      },
      more: [button("Cancel", () => dialog.close(), { class: "quiet" })],
    },
  );
  /** @param {SampleBot} bot */
  const seat = ({ agentCardUrl }) => {
    form.fill("agentCardUrl", agentCardUrl);
    form.element.requestSubmit();
  };
  const offered = new Set(samples.map(({ agentCardUrl }) => agentCardUrl));
  const recent = recentCards().filter(({ agentCardUrl }) => !offered.has(agentCardUrl));
  const used = list("Used before", recent, seat);
  used?.append(
    button(
      "Forget these",
      () => {
        forgetCards();
        mark(used, "hidden", true);
        form.focus();
      },
      { class: "quiet" },
    ),
  );
  const dialog = openDialog(
    { "aria-labelledby": "seat-bot-title" },
    h("h2", { id: "seat-bot-title" }, "Seat a bot"),
    isKeyMissing ? h("p", { class: "hint" }, "This lobby will ask for its operator’s key.") : null,
    list("Sample bots", samples, seat),
    used,
    form.element,
  );
}

/**
 * Return a list of bots to choose from; null without any.
 * @param {string} title
 * @param {SampleBot[]} bots
 * @param {(bot: SampleBot) => void} choose
 */
function list(title, bots, choose) {
  if (bots.length === 0) return null;
  return h(
    "fieldset",
    { class: "bots" },
    h("legend", {}, title),
    bots.map((bot) =>
      button(bot.name, () => choose(bot), { class: "quiet", title: bot.agentCardUrl }),
    ),
  );
}

/**
 * Return the cards in a stored text; what is no card is left out.
 * @param {string | null} text
 * @returns {SampleBot[]}
 */
export function cardsIn(text) {
  let stored;
  try {
    stored = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  return Array.isArray(stored) ? stored.filter(isCard).slice(0, MOST_RECENT) : [];
}

/**
 * Return the cards after one more was used.
 * @param {SampleBot[]} cards
 * @param {SampleBot} used
 */
export function withCard(cards, used) {
  const others = cards.filter(({ agentCardUrl }) => agentCardUrl !== used.agentCardUrl);
  return (isCard(used) ? [used, ...others] : others).slice(0, MOST_RECENT);
}

/** Return the cards of this browser. */
function recentCards() {
  return cardsIn(kept(localStorage, KEPT_AS));
}

/**
 * Remember a card.
 * @param {SampleBot} used
 */
function rememberCard(used) {
  keep(localStorage, KEPT_AS, JSON.stringify(withCard(recentCards(), used)));
}

/** Forget all. */
function forgetCards() {
  keep(localStorage, KEPT_AS, null);
}

/**
 * @param {unknown} card
 * @returns {card is SampleBot}
 */
function isCard(card) {
  if (typeof card !== "object" || card === null) return false;
  const { name, agentCardUrl } = /** @type {Record<string, unknown>} */ (card);
  const isUrl = typeof agentCardUrl === "string" && /^https?:\/\//.test(agentCardUrl);
  return typeof name === "string" && isUrl && agentCardUrl.length <= LONGEST_ADDRESS;
}
