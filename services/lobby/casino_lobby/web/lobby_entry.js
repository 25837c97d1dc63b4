/** A room in the lobby's list: its small board, and the size of its hands. */
// @ts-check

/** @import { Place } from "./seats.js" */
/** @import { Fields, Hand, RoomConfig, RoomSummary, Seat, TableEvent, TableState } from "./types.js" */

import { api, Problem } from "./api.js";
import { CardRow } from "./cards.js";
import { h, mark, say, style } from "./dom.js";
import { factsOf, gameWords } from "./game_state.js";
import { records } from "./reading.js";
import { fromSnapshot, reduce } from "./reducer.js";
import { handsWords, statusWord } from "./room_facts.js";
import { roomLink } from "./router.js";
import { seatsAround } from "./seats.js";
import { actionWords, short } from "./words.js";

const ASPECT = 1.9;
const MOST_SEATS = 10;
const MOST_CARDS = 5;

const RECENT_MS = 60_000;
const STAYS_MS = 30_000;

/** A room in the list; its table is loaded when it is first shown. */
export class Entry {
  board;
  summary;
  /** @type {TableState | null} */
  #state = null;
  /** @type {RoomConfig | null} */
  #config = null;
  /** @type {TableEvent[]} Events that came while the table was loaded. */
  #pending = [];
  /** The largest hand of the last minute. */
  recent = new RecentSize();
  #bigBlind = 0;
  #isRequested = false;
  #isStale = true;

  /** @param {RoomSummary} summary */
  constructor(summary) {
    this.summary = summary;
    this.board = new MiniBoard(summary.roomId);
  }

  /**
   * Take a newer summary.
   * @param {RoomSummary} summary
   */
  update(summary) {
    this.summary = summary;
    this.#isStale = true;
    // The room's own snapshot has what was missed between two summaries.
    this.#isRequested = false;
  }

  /**
   * Apply an event, or keep it until the table is loaded.
   * @param {TableEvent} event
   */
  add(event) {
    this.#isStale = true;
    this.#measure(event);
    if (this.#isRequested) this.#pending.push(event);
    if (!this.#state) return;
    this.#pending = [];
    this.#take(reduce(this.#state, event));
  }

  /**
   * Note the size of a hand when it is over.
   * @param {TableEvent} event
   */
  #measure({ eventType, payload }) {
    if (eventType === "hand_started") this.#bigBlind = Number(payload?.bigBlind) || 0;
    if (eventType !== "hand_completed") return;
    const bigBlind = this.#bigBlind || this.#config?.bigBlind || 0;
    const startingStack = this.#config?.startingStack ?? 0;
    this.recent.note(sizeOf(payload ?? {}, { bigBlind, startingStack }));
  }

  /** @param {TableState} state */
  #take(state) {
    this.#state = state;
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
      const room = await api.room(this.summary.roomId);
      this.#config = room.config;
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
    this.board.show(this.summary, this.#state, this.#config);
  }
}

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
    const link = h("a", { href: roomLink(roomId), title: roomId }, roomId);
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

  /** @param {Place} place */
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
    mark(this.#name, "title", seat?.name);
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

/**
 * Return how large a completed hand is: the pot in big blinds; in games without blinds the largest
 * win in percent of the starting stack.
 * @param {Fields} payload That of its `hand_completed`.
 * @param {{ bigBlind: number, startingStack: number }} rules
 */
export function sizeOf({ pots, scores }, { bigBlind, startingStack }) {
  const pot = records(pots).reduce((sum, { amount }) => sum + (Number(amount) || 0), 0);
  if (bigBlind > 0 && pot > 0) return pot / bigBlind;
  const wins = scores && typeof scores === "object" ? Object.values(scores) : [];
  const win = Math.max(0, ...wins.map((score) => Number(score) || 0));
  return startingStack > 0 ? (100 * win) / startingStack : 0;
}

/** The largest hand of a room in the last minute. */
export class RecentSize {
  /** @type {{ at: number, size: number }[]} Each smaller than the ones before it. */
  #hands = [];

  /** @param {number} size */
  note(size) {
    while ((this.#hands.at(-1)?.size ?? Infinity) <= size) this.#hands.pop();
    if (size > 0) this.#hands.push({ at: performance.now(), size });
  }

  /** The size of the largest; 0 without one. */
  get largest() {
    const since = performance.now() - RECENT_MS;
    while ((this.#hands[0]?.at ?? Infinity) < since) this.#hands.shift();
    return this.#hands[0]?.size ?? 0;
  }
}

/** The room with the largest hand of the last minute; it stays for a while. */
export class TopTable {
  /** @type {string | null} The room's id. */
  #room = null;
  #since = -Infinity;

  /**
   * Return the id of the top table, null if no hand was completed lately. A table stays at the top
   * for 30 seconds, and then until another one has a larger hand.
   * @param {{ id: string, largest: number }[]} rooms Those that play.
   */
  choose(rooms) {
    const now = performance.now();
    const current = rooms.find(({ id }) => id === this.#room);
    if (current && now - this.#since < STAYS_MS) return this.#room;
    const best = rooms.reduce(
      (top, room) => (room.largest > top.largest ? room : top),
      current ?? { id: "", largest: 0 },
    );
    const id = best.largest > 0 ? best.id : null;
    if (id !== this.#room) [this.#room, this.#since] = [id, now];
    return this.#room;
  }
}
