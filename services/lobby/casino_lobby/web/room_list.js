/** The list of rooms: as boards or as lines, searched, sorted and filtered; bounded drawing. */
// @ts-check

/** @import { Entry } from "./lobby_entry.js" */
/** @import { RoomSummary } from "./types.js" */

import { keep, kept } from "./chrome.js";
import { choice, h, mark, putInOrder, say } from "./dom.js";
import { gameWords } from "./game_state.js";
import { stakesWords } from "./lobby_entry.js";
import { handsWords, phaseWord, statusWord } from "./room_facts.js";
import { roomLink } from "./router.js";
import { chips } from "./words.js";

const SHOWN = 24;
/** More rooms than these are listed as lines, until somebody chooses. */
const MOST_BOARDS = 12;
/** @type {[string, string][]} */
const FILTERS = [
  ["all", "All"],
  ["playing", "Playing"],
  ["waiting", "Waiting"],
  ["idle", "Idle"],
  ["closed", "Closed"],
];
const KINDS = new Map([
  ["paused", "playing"],
  ["opening", "waiting"],
  ["closing", "closed"],
  ["failed", "closed"],
]);
const ORDER = ["playing", "paused", "opening", "waiting", "idle", "closing", "failed", "closed"];

/** @typedef {"activity" | "stakes" | "players" | "hands" | "name"} SortName */
/** @typedef {"boards" | "lines"} ViewName */

/** @type {[SortName, string][]} */
const SORTS = [
  ["activity", "Activity"],
  ["stakes", "Stakes"],
  ["players", "Players"],
  ["hands", "Hands"],
  ["name", "Name"],
];

/** @typedef {Pick<RoomSummary, "roomId" | "gameType" | "status" | "state" | "handCount" | "playerCount" | "bigBlind">} Sorted */

/** @type {Record<SortName, (left: Sorted, right: Sorted) => number>} */
const COMPARE = {
  activity: (left, right) => rankOf(left) - rankOf(right) || right.playerCount - left.playerCount,
  stakes: (left, right) => (right.bigBlind ?? 0) - (left.bigBlind ?? 0),
  players: (left, right) => right.playerCount - left.playerCount,
  hands: (left, right) => right.handCount - left.handCount,
  name: () => 0,
};

/** @param {Sorted} room */
function rankOf(room) {
  return ORDER.indexOf(phaseWord(room));
}

/**
 * Compare two rooms; those that are equal in what was chosen are in the order of their names.
 * @param {SortName} by
 * @param {Sorted} left
 * @param {Sorted} right
 */
export function compareRooms(by, left, right) {
  const byName = () => left.roomId.localeCompare(right.roomId, "en", { numeric: true });
  return COMPARE[by](left, right) || byName();
}

/**
 * Return whether a room has all words of a search, in its name, its game or a player's name.
 * @param {string} search
 * @param {{ id: string, game: string, players: string[] }} room
 */
export function isFound(search, { id, game, players }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [id, game, ...players].join("\n").toLowerCase();
  return words.every((word) => all.includes(word));
}

/**
 * Return the filter that a room belongs to.
 * @param {Pick<RoomSummary, "status" | "state">} summary
 */
function kindOf(summary) {
  const word = phaseWord(summary);
  return KINDS.get(word) ?? word;
}

/** A room as a line of the list. */
class RoomRow {
  #pill = h("span", { class: "pill" });
  #stakes = h("span", {});
  #seats = h("span", {});
  #hands = h("span", {});
  element;

  /** @param {string} id */
  constructor(id) {
    this.element = h(
      "li",
      { class: "room-row" },
      h("a", { href: roomLink(id), title: id }, h("bdi", {}, id)),
      this.#stakes,
      this.#seats,
      this.#hands,
      this.#pill,
    );
  }

  /** @param {RoomSummary} summary */
  show(summary) {
    const word = statusWord(summary);
    const { playerCount, maxSeats, handCount } = summary;
    say(this.#pill, word);
    mark(this.#pill, "data-kind", word);
    say(this.#stakes, stakesWords(summary));
    const seats = maxSeats ? ` of ${chips(maxSeats)}` : "";
    say(this.#seats, `${chips(playerCount)}${seats} seated`);
    say(this.#hands, handsWords(handCount));
  }
}

export class RoomList {
  #filter = "all";
  #search = "";
  #limit = SHOWN;
  /** @type {SortName} */
  #sort = SORTS.find(([name]) => name === kept(localStorage, "rooms-sort"))?.[0] ?? "activity";
  /** @type {ViewName | null} Null until somebody has chosen. */
  #chosenView = viewOf(kept(localStorage, "rooms-view"));
  /** @type {Entry[]} */
  #entries = [];
  /** @type {WeakMap<Entry, RoomRow>} */
  #rows = new WeakMap();
  /** @type {Set<Element>} The boards that are on the screen or near it. */
  #near = new Set();
  #onNeed;
  #count = h("p", { class: "hint", role: "status" });
  #boards = h("ul", { class: "rooms", hidden: true });
  #lines = h("ul", { class: "room-rows", hidden: true });
  #views;
  #more = h("button", {
    type: "button",
    class: "quiet",
    hidden: true,
    onclick: () => this.#grow(),
  });
  #observer = new IntersectionObserver((seen) => this.#look(seen), { rootMargin: "200px" });

  /**
   * @param {HTMLElement} action What stands beside the list's title.
   * @param {() => void} onNeed Called when there are boards to draw that were not seen before.
   */
  constructor(action, onNeed) {
    this.#onNeed = onNeed;
    this.#views = choice(
      "rooms-view",
      "Show rooms as",
      [
        ["boards", "Boards"],
        ["lines", "List"],
      ],
      this.#chosenView ?? "boards",
      (view) => this.#choose({ view: viewOf(view) }),
      false,
    );
    /** @type {HTMLSelectElement} */
    const sort = h(
      "select",
      {
        "aria-label": "Sort rooms by",
        onchange: () => this.#choose({ sort: SORTS[sort.selectedIndex]?.[0] ?? "activity" }),
      },
      SORTS.map(([name, text]) =>
        h("option", { value: name, selected: name === this.#sort }, `By ${text.toLowerCase()}`),
      ),
    );
    /** @type {HTMLInputElement} */
    const search = h("input", {
      type: "search",
      placeholder: "Room, player or game",
      "aria-label": "Search rooms by name, player or game",
      maxlength: 80,
      oninput: () => this.#choose({ search: search.value }),
    });
    this.element = h(
      "section",
      { class: "room-list", "aria-label": "Rooms", hidden: true },
      h("div", { class: "lobby-head" }, h("h2", {}, "Rooms"), this.#count, action),
      h(
        "div",
        { class: "room-tools" },
        search,
        choice("filter", "Show", FILTERS, "all", (filter) => this.#choose({ filter }), false),
        sort,
        this.#views,
      ),
      this.#boards,
      this.#lines,
      this.#more,
    );
  }

  /** Watch nothing more. */
  stop() {
    this.#observer.disconnect();
  }

  /**
   * Show the rooms that were chosen, as many as are asked for.
   * @param {Entry[]} entries All rooms.
   */
  show(entries) {
    this.#entries = entries;
    const found = entries.filter(({ summary, state }) => {
      if (this.#filter !== "all" && kindOf(summary) !== this.#filter) return false;
      const players = [...state.seats.values()].map(({ name }) => name);
      const game = gameWords(summary.gameType) ?? "Texas Hold'em";
      return isFound(this.#search, { id: summary.roomId, game, players });
    });
    found.sort((left, right) => compareRooms(this.#sort, left.summary, right.summary));
    const shown = found.slice(0, this.#limit);
    if (this.#isBoards) this.#drawBoards(shown);
    else this.#drawLines(shown);
    mark(this.#boards, "hidden", !this.#isBoards);
    mark(this.#lines, "hidden", this.#isBoards);
    const view = this.#views.querySelector(`[value="${this.#isBoards ? "boards" : "lines"}"]`);
    if (view instanceof HTMLInputElement) view.checked = true;
    mark(this.element, "hidden", entries.length === 0);
    const hidden = found.length - shown.length;
    mark(this.#more, "hidden", hidden === 0);
    say(this.#more, `Show ${chips(Math.min(hidden, 2 * SHOWN))} more rooms`);
    const all = found.length === entries.length ? "" : ` of ${chips(entries.length)}`;
    say(this.#count, found.length === 0 ? "No such room." : `${chips(found.length)}${all}`);
  }

  get #isBoards() {
    return (
      (this.#chosenView ?? (this.#entries.length > MOST_BOARDS ? "lines" : "boards")) === "boards"
    );
  }

  /** @param {Entry[]} shown */
  #drawBoards(shown) {
    putInOrder(
      this.#boards,
      shown.map((entry) => entry.board.element),
    );
    for (const entry of shown) {
      this.#observer.observe(entry.board.element); // once more is nothing
      if (!this.#near.has(entry.board.element)) continue;
      entry.load(this.#onNeed);
      entry.draw();
    }
  }

  /** @param {Entry[]} shown */
  #drawLines(shown) {
    const rows = shown.map((entry) => {
      const row = this.#rows.get(entry) ?? new RoomRow(entry.id);
      this.#rows.set(entry, row);
      row.show(entry.summary);
      return row.element;
    });
    putInOrder(this.#lines, rows);
  }

  /** @param {IntersectionObserverEntry[]} seen */
  #look(seen) {
    for (const { target, isIntersecting } of seen) {
      if (isIntersecting) this.#near.add(target);
      else this.#near.delete(target);
    }
    this.#onNeed();
  }

  /** @param {{ search?: string, filter?: string, sort?: SortName, view?: ViewName | null }} chosen */
  #choose({ search, filter, sort, view }) {
    this.#search = search ?? this.#search;
    this.#filter = filter ?? this.#filter;
    if (sort) keep(localStorage, "rooms-sort", sort);
    if (view) keep(localStorage, "rooms-view", view);
    this.#sort = sort ?? this.#sort;
    this.#chosenView = view ?? this.#chosenView;
    this.#limit = SHOWN;
    this.show(this.#entries);
  }

  #grow() {
    this.#limit += 2 * SHOWN;
    this.show(this.#entries);
  }
}

/**
 * @param {string | null} text
 * @returns {ViewName | null}
 */
function viewOf(text) {
  return text === "boards" || text === "lines" ? text : null;
}
