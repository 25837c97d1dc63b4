/** The lobby: every room as a small live board, and how to open one. */

import { api, Problem, url } from "./api.js";
import { CreateDialog } from "./create.js";
import { h, mark, say } from "./dom.js";
import { doing, MiniBoard } from "./miniboard.js";
import { fromSnapshot, reduce } from "./reducer.js";
import { Stream } from "./stream.js";

const DRAW_MS = 250; // a board of this size is read, not followed
const SHOWN = 48;
const FILTERS = [
  ["all", "All"],
  ["playing", "Playing"],
  ["waiting", "Waiting"],
  ["idle", "Idle"],
  ["closed", "Closed"],
];
const ORDER = ["playing", "paused", "opening", "waiting", "idle", "closing", "failed", "closed"];

export class LobbyView {
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
  #create = new CreateDialog();
  #stream;
  #timer = null;
  #isKnown = false;

  constructor({ connection, config }) {
    this.#empty = h(
      "section",
      { class: "first-room", hidden: true },
      ...firstRoom(() => this.#create.open(), config),
    );
    const filters = FILTERS.map(([key, label]) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name: "filter",
          value: key,
          checked: key === "all",
          onchange: () => this.#choose(key),
        }),
        h("span", {}, label),
      ),
    );
    this.element = h(
      "div",
      { class: "lobby" },
      h(
        "div",
        { class: "lobby-head" },
        h("h1", { tabindex: "-1" }, "Rooms"),
        h("fieldset", { class: "filters" }, h("legend", { class: "unseen" }, "Show"), ...filters),
        h(
          "button",
          { type: "button", class: "main", onclick: () => this.#create.open() },
          "Open a room",
        ),
      ),
      this.#count,
      this.#grid,
      this.#more,
      this.#empty,
      this.#create.element,
    );
    config.then((known) => this.#create.propose(known?.defaultConfig));
    this.#stream = new Stream("v1/stream", {
      hear: (name, data) => this.#hear(name, data),
      tell: (state) => connection.tell(state),
    });
    this.#stream.start();
  }

  stop() {
    this.#stream.stop();
    clearTimeout(this.#timer);
  }

  navigate() {
    // the lobby is one view: there is nothing to go to in it
  }

  #hear(name, data) {
    if (name === "snapshot") {
      this.#isKnown = true;
      this.#rooms = new Map(
        data.rooms.map((summary) => [
          summary.roomId,
          this.#rooms.get(summary.roomId)?.again(summary) ?? new Entry(summary),
        ]),
      );
    } else if (name === "room_opened" || name === "room_closed") {
      const known = this.#rooms.get(data.room.roomId);
      if (known) known.again(data.room);
      else this.#rooms.set(data.room.roomId, new Entry(data.room));
    } else if (name === "table_event") this.#rooms.get(data.roomId)?.add(data.event);
    this.#plan();
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
    chosen.sort(
      (one, other) =>
        rankOf(one.summary) - rankOf(other.summary) ||
        one.summary.roomId.localeCompare(other.summary.roomId, "en", { numeric: true }),
    );
    const shown = chosen.slice(0, this.#limit);
    for (const entry of shown) entry.open(() => this.#plan());
    const boards = shown.map((entry) => entry.board.element);
    const isSame =
      boards.length === this.#grid.children.length &&
      boards.every((board, index) => board === this.#grid.children[index]);
    if (!isSame) this.#grid.replaceChildren(...boards);
    for (const entry of shown) entry.draw();
    mark(this.#more, "hidden", chosen.length <= this.#limit);
    mark(this.#empty, "hidden", !this.#isKnown || all.length > 0);
    const few = all.length > 0 && chosen.length === 0;
    say(
      this.#count,
      few
        ? "No room of this kind."
        : all.length > 0
          ? `${chosen.length} ${chosen.length === 1 ? "room" : "rooms"}`
          : "",
    );
  }

  #choose(filter) {
    [this.#filter, this.#limit] = [filter, SHOWN];
    this.#draw();
  }

  #showMore() {
    this.#limit += SHOWN;
    this.#draw();
  }
}

/** One room of the list; its table is asked for when it is first shown. */
class Entry {
  board;
  #state = null;
  #config = null;
  #pending = [];
  #isAsked = false;
  #isStale = true;

  constructor(summary) {
    this.summary = summary;
    this.board = new MiniBoard(summary.roomId);
  }

  /** Take a newer summary. */
  again(summary) {
    this.summary = summary;
    this.#isStale = true;
    // What was missed between two snapshots is in the room's own.
    this.#isAsked = false;
    return this;
  }

  add(event) {
    this.#isStale = true;
    if (this.#isAsked) this.#pending.push(event);
    if (!this.#state) return;
    this.#pending = [];
    this.#take(reduce(this.#state, event));
  }

  #take(state) {
    this.#state = state;
    const { status, handCount } = state;
    this.summary = {
      ...this.summary,
      status,
      state: state.state ?? undefined,
      handCount,
      playerCount: state.seats.size,
    };
  }

  async open(changed) {
    if (this.#isAsked) return;
    this.#isAsked = true;
    try {
      const room = await api.room(this.summary.roomId);
      this.#config = room.config;
      this.#take(this.#pending.splice(0).reduce(reduce, fromSnapshot(room)));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return; // the summary has to do
    }
    this.#isStale = true;
    changed();
  }

  draw() {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.board.show(this.summary, this.#state, this.#config);
  }
}

function kindOf(summary) {
  const word = doing(summary);
  return (
    { paused: "playing", opening: "waiting", closing: "closed", failed: "closed" }[word] ?? word
  );
}

function rankOf(summary) {
  return ORDER.indexOf(doing(summary));
}

function firstRoom(open, config) {
  const key = h(
    "p",
    { class: "hint", hidden: true },
    "Each curl also needs the operator’s key: ",
    h("code", {}, '-H "Authorization: Bearer $CASINO_OPERATOR_TOKEN"'),
  );
  config.then((known) => mark(key, "hidden", !known?.operatorTokenNeeded));
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
    h("h3", {}, "A player of the house for it"),
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
