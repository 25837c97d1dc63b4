/** A room in the lobby: its state, its small board, and how much its hands are worth watching. */
// @ts-check

/** @import { Place } from "./places.js" */
/** @import { Hand, RoomConfig, RoomSummary, Seat, TableEvent, TableState } from "./types.js" */

import { api, Problem } from "./api.js";
import { CardRow } from "./cards.js";
import { h, mark, say, style } from "./dom.js";
import { factsOf, gameWords } from "./game_state.js";
import { seatsAround } from "./places.js";
import { records } from "./reading.js";
import { fromSnapshot, reduce } from "./reducer.js";
import { handsWords, statusWord } from "./room_facts.js";
import { roomLink } from "./router.js";
import { RecentSize, sizeOf } from "./top_table.js";
import { actionWords, chips, short } from "./words.js";

const ASPECT = 1.9;
const MOST_SEATS = 10;
const MOST_CARDS = 5;

/** A room: what its summary and its events say, and its whole table once that is loaded. */
export class Entry {
  /** @type {RoomSummary} */
  summary;
  /** @type {TableState} */
  state;
  /** Whether `state` has the running hand. */
  isLoaded = false;
  /** The largest hand of the last minute. */
  recent = new RecentSize();
  /** How even the two largest stacks were at the start of the last hand, from 0 to 1. */
  closeness = 0;
  /** @type {MiniBoard | null} */
  #board = null;
  /** @type {RoomConfig | null} */
  #config = null;
  /** @type {TableEvent[]} Events that came while the table was loaded. */
  #pending = [];
  #bigBlind = 0;
  #isRequested = false;
  #isStale = true;

  /** @param {RoomSummary} summary */
  constructor(summary) {
    this.summary = summary;
    this.state = stateOf(summary);
  }

  get id() {
    return this.summary.roomId;
  }

  /** The board, which is made when it is needed. */
  get board() {
    this.#board ??= new MiniBoard(this.id);
    return this.#board;
  }

  /**
   * Take a newer summary.
   * @param {RoomSummary} summary
   */
  update(summary) {
    this.summary = summary;
    this.#isStale = true;
    // The room's own snapshot has what was missed between two summaries.
    [this.#isRequested, this.isLoaded] = [false, false];
    this.state = stateOf(summary);
  }

  /**
   * Apply an event; it is also kept until the table is loaded.
   * @param {TableEvent} event
   */
  add(event) {
    this.#isStale = true;
    this.#measure(event);
    if (this.#isRequested && !this.isLoaded) this.#pending.push(event);
    if (event.eventType === "hand_started")
      this.summary.waits = (this.summary.waits ?? []).filter(({ playsOn }) => playsOn);
    this.#take(reduce(this.state, event));
  }

  /**
   * Note how close a hand is when it begins, and its size when it is over.
   * @param {TableEvent} event
   */
  #measure({ eventType, payload }) {
    if (eventType === "hand_started") {
      this.#bigBlind = Number(payload?.bigBlind) || 0;
      const stacks = records(payload?.players).map(({ stack }) => Number(stack) || 0);
      const [most = 0, next = 0] = stacks.sort((low, high) => high - low);
      this.closeness = most > 0 ? next / most : 0;
    }
    if (eventType !== "hand_completed") return;
    const bigBlind = this.#bigBlind || this.summary.bigBlind || this.#config?.bigBlind || 0;
    const startingStack = this.#config?.startingStack ?? 0;
    this.recent.note(sizeOf(payload ?? {}, { bigBlind, startingStack }));
  }

  /** @param {TableState} state */
  #take(state) {
    this.state = state;
    const { status, handCount, seats } = state;
    const { state: _, ...summary } = this.summary;
    this.summary = { ...summary, status, handCount, playerCount: seats.size };
    if (state.state !== null) this.summary.state = state.state;
  }

  /**
   * Load the table, unless that was done already.
   * @param {() => void} onChange Called when the table is there.
   */
  async load(onChange) {
    if (this.#isRequested) return;
    this.#isRequested = true;
    try {
      const room = await api.room(this.id);
      const { maxSeats, smallBlind, bigBlind } = room.config;
      this.#config = room.config;
      const blinds = gameWords(this.summary.gameType) ? {} : { smallBlind, bigBlind };
      const waits = room.summary?.waits ?? [];
      this.summary = { ...this.summary, maxSeats, waits, ...blinds };
      this.isLoaded = true;
      this.#take(this.#pending.splice(0).reduce(reduce, fromSnapshot(room)));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return; // the summary has to be enough
    }
    this.#isStale = true;
    onChange();
  }

  /** Draw the board, if something changed. */
  draw() {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.board.show(this.summary, this.isLoaded ? this.state : null);
  }
}

/**
 * Return the state of a room's table as far as the summary knows it: who sits there.
 * @param {RoomSummary} summary
 * @returns {TableState}
 */
function stateOf({ status, handCount, players, state }) {
  const { seats, ...begin } = fromSnapshot({
    events: [],
    summary: { status, handCount, players: records(players) },
  });
  return { ...begin, seats, state: state ?? null };
}

/**
 * Return the rules of a room in short: its game, or its blinds; "" without either.
 * @param {RoomSummary} summary
 */
export function stakesWords({ gameType, smallBlind, bigBlind }) {
  const blinds = smallBlind && bigBlind ? `${short(smallBlind)}/${short(bigBlind)}` : "";
  return gameWords(gameType) ?? blinds;
}

/**
 * Return what is known of a room in a line: "5 players · 1/2 · 12 hands".
 * @param {RoomSummary} summary
 */
export function roomLine(summary) {
  const { playerCount: players, handCount } = summary;
  const seated = `${chips(players)} ${players === 1 ? "player" : "players"}`;
  return [seated, stakesWords(summary), handsWords(handCount)].filter(Boolean).join(" · ");
}

/** A small board, in the list or as the featured table: cards, pot, and who has how much. */
export class MiniBoard {
  #status = h("span", { class: "pill" });
  #facts = h("span", { class: "facts" });
  #board = new CardRow(h("div", { class: "board" }));
  #pot = h("span", { class: "pot" });
  #list = h("ol", { class: "seats" });
  /** @type {MiniSeat[]} */
  #seats = [];

  /**
   * @param {string} roomId
   * @param {"li" | "div"} [tag] "div" is the featured table.
   */
  constructor(roomId, tag = "li") {
    const link = h("a", { href: roomLink(roomId), title: roomId }, h("bdi", {}, roomId));
    this.element = h(
      tag,
      { class: "mini" },
      h(
        "div",
        { class: "mini-head" },
        h(tag === "li" ? "h3" : "h2", {}, link),
        tag === "li" ? null : h("span", { class: "top-mark" }, "Featured table"),
        this.#status,
      ),
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
   * Show a room's summary, and its table once it is loaded.
   * @param {RoomSummary} summary
   * @param {TableState | null} state
   */
  show(summary, state) {
    const word = statusWord(summary);
    say(this.#status, word);
    mark(this.#status, "data-kind", word);
    say(this.#facts, roomLine(summary));
    if (!state) return;
    const { hand, seats } = state;
    const highest = Math.max(1, ...[...seats.values()].map((seat) => (seat.number ?? -1) + 1));
    this.#place(Math.min(MOST_SEATS, Math.max(summary.maxSeats ?? 6, highest)));
    this.#board.show(hand?.game ? openCards(state) : (hand?.board ?? []));
    say(this.#pot, hand?.game ? lastActionOf(hand) : hand && hand.pot > 0 ? short(hand.pot) : "");
    const byNumber = new Map([...seats.values()].map((seat) => [seat.number, seat]));
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
 * Return the latest action of a hand as text; "" before the first one.
 * @param {Hand} hand
 */
export function lastActionOf({ log }) {
  const entry = log.findLast(({ kind }) => kind === "action");
  return entry?.kind === "action" ? `${entry.name}: ${actionWords(entry)}` : "";
}

class MiniSeat {
  #cards = new CardRow(h("div", { class: "open-cards" }));
  #name = h("span", { class: "name" });
  #stack = h("span", { class: "stack" });

  /** @param {Place} place */
  constructor({ x, y }) {
    this.element = h("li", { class: "seat" }, this.#cards.element, this.#name, this.#stack);
    style(this.element, { "--x": x, "--y": y });
  }

  /**
   * @param {Seat | undefined} seat
   * @param {Hand | null} hand
   */
  show(seat, hand) {
    say(this.#name, seat?.name ?? "");
    mark(this.#name, "title", seat?.name);
    say(this.#stack, seat ? short(seat.stack) : "");
    this.#cards.show(hand?.phase === "cancelled" || hand?.game ? [] : (seat?.cards ?? []));
    const classes = [
      !seat && "empty",
      seat?.isFolded && "folded",
      seat && hand?.actor === seat.id && "acting",
      seat && hand?.phase === "over" && seat.won > 0 && "winner",
    ];
    this.element.className = `seat ${classes.filter(Boolean).join(" ")}`;
  }
}
