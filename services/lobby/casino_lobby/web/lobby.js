/** The lobby: every room as a small live board, how to open a room, and the table agents. */
// @ts-check

/** @import { CreateDialog } from "./create.js" */
/** @import { ListedTable, LobbyConfig, LobbyMessage, RoomSummary, Shared } from "./types.js" */

import { api, Problem, url } from "./api.js";
import { choice, h, mark, putInOrder, say } from "./dom.js";
import { Entry, TopTable } from "./lobby_entry.js";
import { statusWord } from "./room_facts.js";
import { isEmbedded, resultsLink, roomLink } from "./router.js";
import { Stream } from "./stream.js";

const DRAW_MS = 250; // boards of this size need no more
const SHOWN = 48;
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

const TABLES_PAUSE_MS = 10_000;
const MOST_TABLES = 200;
const HEALTH = new Map([
  ["silent", "it announces itself no more"],
  ["away", "its room cannot reach it"],
]);
const SOURCES = new Map([
  ["announced", "announced itself"],
  ["launched", "launched by the lobby"],
  ["named", "named by a room’s creator"],
]);

export class LobbyView {
  /** @type {Map<string, Entry>} */
  #rooms = new Map();
  #filter = "all";
  #limit = SHOWN;
  #grid = h("ul", { class: "rooms" });
  #count = h("p", { class: "hint", role: "status" });
  #more = h(
    "button",
    { type: "button", class: "quiet", hidden: true, onclick: () => this.#showMore() },
    "Show more rooms",
  );
  #empty;
  /** @type {Promise<CreateDialog> | null} Opens a room. */
  #create = null;
  #config;
  #tables = new TablesView();
  #topTable = new TopTable();
  #stream;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;
  #isLoaded = false;

  /** @param {Shared} shared */
  constructor({ connection, config }) {
    this.#config = config;
    this.#empty = h(
      "section",
      { class: "first-room", hidden: true },
      ...firstRoom(() => this.#openCreate(), config),
    );
    this.element = h(
      "div",
      { class: "lobby" },
      h(
        "div",
        { class: "lobby-head" },
        h("h1", { tabindex: "-1" }, "Rooms"),
        choice("filter", "Show", FILTERS, "all", (key) => this.#choose(key), false),
        h(
          "button",
          { type: "button", class: "main", onclick: () => this.#openCreate() },
          "Open a room",
        ),
      ),
      this.#count,
      this.#grid,
      this.#more,
      this.#empty,
      isEmbedded ? null : h("p", {}, h("a", { href: resultsLink() }, "Matches and leagues")),
      this.#tables.element,
    );
    /** @type {Stream<LobbyMessage>} */
    this.#stream = new Stream("v1/stream", {
      onMessage: (message) => this.#receive(message),
      onConnection: (state) => connection.show(state),
    });
    this.#stream.start();
  }

  /** Show the dialog that opens a room. */
  async #openCreate() {
    this.#create ??= this.#loadCreate();
    const dialog = await this.#create;
    // Meanwhile the view may be gone, or the button may have been pressed again.
    if (dialog.element.isConnected && !dialog.element.open) dialog.open();
  }

  async #loadCreate() {
    const { CreateDialog } = await import("./create.js"); // only operators need it
    const dialog = new CreateDialog();
    this.#config.then((lobby) => dialog.propose(lobby?.defaultConfig));
    this.element.append(dialog.element);
    return dialog;
  }

  /** Close the stream, and draw nothing more. */
  stop() {
    this.#stream.stop();
    this.#tables.stop();
    clearTimeout(this.#timer ?? undefined);
  }

  /** The lobby is a single view: no link leads to a part of it. */
  navigate() {}

  /** @param {LobbyMessage} message */
  #receive({ name, data }) {
    if (name === "snapshot") {
      this.#isLoaded = true;
      this.#rooms = new Map(data.rooms.map((room) => [room.roomId, this.#entry(room)]));
    } else if (name === "room_opened" || name === "room_closed") {
      this.#rooms.set(data.room.roomId, this.#entry(data.room));
    } else if (name === "table_event") this.#rooms.get(data.roomId)?.add(data.event);
    this.#plan();
  }

  /**
   * Return the entry of a room, with its newest summary.
   * @param {RoomSummary} summary
   */
  #entry(summary) {
    const entry = this.#rooms.get(summary.roomId);
    if (!entry) return new Entry(summary);
    entry.update(summary);
    return entry;
  }

  #plan() {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = null;
        this.#draw();
      },
      this.#grid.children.length === 0 ? 0 : DRAW_MS,
    );
  }

  #draw() {
    const all = [...this.#rooms.values()];
    const chosen = all.filter(
      (entry) => this.#filter === "all" || kindOf(entry.summary) === this.#filter,
    );
    const top = this.#topTable.choose(
      chosen
        .filter(({ summary }) => statusWord(summary) === "playing")
        .map(({ summary, recent }) => ({ id: summary.roomId, largest: recent.largest })),
    );
    chosen.sort((left, right) => compare(left.summary, right.summary, top));
    const shown = chosen.slice(0, this.#limit);
    for (const entry of shown) entry.load(() => this.#plan());
    putInOrder(
      this.#grid,
      shown.map((entry) => entry.board.element),
    );
    const isAlone = shown.length === 1;
    for (const entry of shown) {
      entry.board.markTop(entry.summary.roomId === top && !isAlone);
      entry.draw();
    }
    mark(this.#more, "hidden", chosen.length <= this.#limit);
    mark(this.#empty, "hidden", !this.#isLoaded || all.length > 0);
    const isNoneChosen = all.length > 0 && chosen.length === 0;
    say(
      this.#count,
      isNoneChosen
        ? "No room of this kind."
        : all.length > 0
          ? `${chosen.length} ${chosen.length === 1 ? "room" : "rooms"}`
          : "",
    );
  }

  /** @param {string} filter */
  #choose(filter) {
    [this.#filter, this.#limit] = [filter, SHOWN];
    this.#draw();
  }

  #showMore() {
    this.#limit += SHOWN;
    this.#draw();
  }
}

/**
 * Return the filter that a room belongs to.
 * @param {RoomSummary} summary
 */
function kindOf(summary) {
  const word = statusWord({ ...summary, waits: [] });
  return KINDS.get(word) ?? word;
}

/**
 * Compare rooms for their order: the top table, then by status, then by id.
 * @param {RoomSummary} left
 * @param {RoomSummary} right
 * @param {string | null} top The id of the top table.
 */
function compare(left, right, top) {
  const isTop = Number(right.roomId === top) - Number(left.roomId === top);
  if (isTop !== 0) return isTop;
  const rank = ORDER.indexOf(statusWord(left)) - ORDER.indexOf(statusWord(right));
  return rank || left.roomId.localeCompare(right.roomId, "en", { numeric: true });
}

/**
 * Return what stands above the list.
 * @param {ListedTable[]} tables
 */
export function tablesLine(tables) {
  if (tables.length === 0)
    return "No table is there yet. A lobby that launches tables starts one with the next room.";
  const count = (/** @type {(table: ListedTable) => boolean} */ is) => tables.filter(is).length;
  const free = count(({ health, roomId }) => health === "ready" && roomId === undefined);
  const bad = count(({ health }) => health !== "ready");
  const more = tables.length > MOST_TABLES ? `, the first ${MOST_TABLES} are listed` : "";
  const all = `${tables.length} ${tables.length === 1 ? "table" : "tables"}${more}`;
  return [all, `${free} free`, bad > 0 && `${bad} not well`].filter(Boolean).join(" · ");
}

/** The operator's list of table agents: where they are, whether they answer, what they play. */
class TablesView {
  #line = h("p", { class: "hint", role: "status" });
  #list = h("ul", { class: "table-agents" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  constructor() {
    this.element = h(
      "details",
      { class: "panel operate tables-box", ontoggle: () => this.#refresh() },
      h("summary", {}, h("h2", {}, "Tables")),
      this.#line,
      this.#list,
    );
  }

  /** Load nothing more. */
  stop() {
    clearTimeout(this.#timer);
    this.element.open = false;
  }

  async #refresh() {
    clearTimeout(this.#timer);
    if (!this.element.open) return;
    try {
      const { tables } = await api.tables();
      say(this.#line, tablesLine(tables));
      this.#list.replaceChildren(...tables.slice(0, MOST_TABLES).map(item));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(this.#line, error.message);
    }
    if (this.element.open) this.#timer = setTimeout(() => this.#refresh(), TABLES_PAUSE_MS);
  }
}

/** @param {ListedTable} table */
function item({ agentCardUrl, source, health, roomId }) {
  const free = health === "ready" ? "free" : "no room";
  const words = [SOURCES.get(source) ?? source, HEALTH.get(health)];
  return h(
    "li",
    {},
    h("span", { class: "pill", "data-kind": health }, health),
    h("span", { class: "name" }, agentCardUrl.replace(/\/\.well-known\/agent-card\.json$/, "")),
    roomId === undefined ? h("span", {}, free) : h("a", { href: roomLink(roomId) }, roomId),
    h("span", { class: "hint" }, words.filter(Boolean).join("; ")),
  );
}

/**
 * Return the elements of the section.
 * @param {() => void} open Opens the dialog for a new room.
 * @param {Promise<LobbyConfig | null>} config
 */
function firstRoom(open, config) {
  const key = h(
    "p",
    { class: "hint", hidden: true },
    "Each curl also needs the operator’s key: ",
    h("code", {}, '-H "Authorization: Bearer $CASINO_OPERATOR_TOKEN"'),
  );
  config.then((lobby) => mark(key, "hidden", !lobby?.operatorTokenNeeded));
  const body =
    '{"roomId": "green", "config": {"startingStack": 200, "smallBlind": 1, "bigBlind": 2,\n  "minBuyIn": 40, "maxBuyIn": 400, "maxHands": 100, "maxSeats": 6}}';
  return [
    h("h2", {}, "No room is open"),
    h("p", {}, "A room is a table with its rules. Open one here, or from a terminal:"),
    h("p", {}, h("button", { type: "button", class: "main", onclick: open }, "Open a room")),
    h("h3", {}, "A whole casino with six players"),
    h("pre", { tabindex: "0" }, h("code", {}, "casino up")),
    h("h3", {}, "A room at this lobby"),
    key,
    h(
      "pre",
      { tabindex: "0" },
      h("code", {}, `curl ${url("v1/rooms")} -H 'content-type: application/json' -d '${body}'`),
    ),
    h("h3", {}, "An example player for it"),
    h(
      "pre",
      { tabindex: "0" },
      h(
        "code",
        {},
        `python -m casino_player_example tight\ncurl ${url("v1/rooms/green/players")} -d '{"agentCardUrl": "http://127.0.0.1:4101"}'`,
      ),
    ),
  ];
}
