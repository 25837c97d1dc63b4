/** The home page: the featured table, how to sit down, who plays best, and all rooms. */
// @ts-check

/** @import { CreateDialog } from "./create.js" */
/** @import { LobbyMessage, RoomSummary, Shared } from "./types.js" */

import { button, h, mark, say } from "./dom.js";
import { FeaturedTable } from "./featured.js";
import { HomePanels } from "./home_panels.js";
import { Entry } from "./lobby_entry.js";
import { lobbyAway, phaseWord, statusWord, waitLine } from "./room_facts.js";
import { RoomList } from "./room_list.js";
import { Stream } from "./stream.js";
import { TopTable } from "./top_table.js";
import { firstSteps, SitDown, sentence } from "./welcome.js";

const DRAW_MS = 250; // boards of this size need no more
/** Of these states a room has a table to look at. */
const OPEN = new Set(["playing", "paused", "waiting", "idle", "opening"]);

export class LobbyView {
  /** @type {Map<string, Entry>} */
  #rooms = new Map();
  #featured = new FeaturedTable();
  #panels = new HomePanels();
  #topTable = new TopTable();
  #list;
  #first;
  #sitDown;
  #tables = tablesBox();
  #away = h("div", { class: "fault", role: "status" });
  /** @type {Promise<CreateDialog> | null} Opens a room. */
  #create = null;
  #config;
  #stream;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;
  #isLoaded = false;
  #isDrawn = false;

  /** @param {Shared} shared */
  constructor({ connection, config }) {
    this.#config = config;
    const open = () => this.#openCreate();
    this.#first = firstSteps(open, config);
    this.#sitDown = new SitDown(config);
    this.#list = new RoomList(button("Open a room", open, { class: "main" }), () => this.#plan());
    this.element = h(
      "div",
      { class: "lobby" },
      h(
        "header",
        { class: "intro" },
        h("h1", { tabindex: "-1" }, "Software agents at the poker table"),
        sentence(),
        this.#away,
      ),
      this.#featured.element,
      h("div", { class: "home-side" }, this.#sitDown.element, this.#panels.elements),
      this.#list.element,
      this.#tables,
    );
    this.#panels.start();
    /** @type {Stream<LobbyMessage>} */
    this.#stream = new Stream("v1/stream", {
      onMessage: (message) => this.#receive(message),
      onConnection: (state) => {
        connection.show(state);
        if ("isLost" in state && state.isLost)
          this.#away.textContent ||= waitLine({ waits: [lobbyAway()] });
        else if (state.kind === "live") say(this.#away, "");
      },
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
    this.#panels.stop();
    this.#list.stop();
    this.#tables.open = false;
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
      this.#isDrawn ? DRAW_MS : 0,
    );
  }

  #draw() {
    if (!this.#isLoaded) return;
    this.#isDrawn = true;
    const all = [...this.#rooms.values()];
    this.#drawFeatured(all);
    this.#list.show(all);
    mark(this.#tables, "hidden", false);
  }

  /** @param {Entry[]} all */
  #drawFeatured(all) {
    const id = this.#topTable.choose(
      all.filter(({ summary }) => OPEN.has(phaseWord(summary))).map(watchable),
    );
    const top = id === null ? undefined : this.#rooms.get(id);
    if (!top) {
      this.#featured.showInstead(this.#first);
      return;
    }
    top.load(() => this.#plan());
    this.#featured.show(top);
    this.#sitDown.offer(top.id);
  }
}

/**
 * Return what tells how much a room is worth watching.
 * @param {Entry} entry
 */
function watchable({ id, summary, state, recent, closeness }) {
  return {
    id,
    isPlaying: statusWord(summary) === "playing",
    largest: recent.largest,
    closeness,
    bigBlind: summary.bigBlind ?? 0,
    players: [...state.seats.values()],
  };
}

/** Return the box of the table agents, which are listed while it is open. */
function tablesBox() {
  const box = h(
    "details",
    {
      class: "panel operate tables-box",
      hidden: true,
      ontoggle: async () => {
        if (!box.open) return;
        const { listTables } = await import("./table_agents.js"); // only operators need it
        listTables(box);
      },
    },
    h("summary", {}, h("h2", {}, "Tables")),
  );
  return box;
}
