/** One room: its table live, any of its hands again, what happened, and what an operator may do. */

import { Problem, roomStream } from "./api.js";
import { ChartView } from "./chart.js";
import { keep } from "./chrome.js";
import { Commands } from "./commands.js";
import { h, mark, say } from "./dom.js";
import { HandsView } from "./hands.js";
import { History } from "./history.js";
import { insightOf } from "./insight.js";
import { LogView } from "./log.js";
import { doing } from "./miniboard.js";
import { chips } from "./money.js";
import { Pace } from "./pace.js";
import { EMPTY, fromSnapshot, reduce } from "./reducer.js";
import { Replay } from "./replay.js";
import { handLink, roomLink } from "./router.js";
import { Stream } from "./stream.js";
import { TableView } from "./table.js";

const DEFAULT_CLOCK_MS = 10_000;
const RECORDS_KEPT = 4;

export class RoomView {
  #id;
  #shared;
  #state = EMPTY;
  #heard = { epoch: 0, sequence: 0 };
  #config = null;
  #records = new Map();
  #colors = new Map();
  #names = new Map();
  #replay = null;
  #stream = null;
  #feed = "public";
  #since = 0;
  #isDue = false;
  #pace;
  #history;
  #parts;
  #forget;
  #onKey = (event) => this.#press(event);

  constructor(id, shared) {
    [this.#id, this.#shared] = [id, shared];
    this.#history = new History(id);
    this.#pace = new Pace((items) => this.#show(items), { isCalm: localStorage.getItem("pace") !== "live" });
    this.#parts = this.#build();
    this.element = this.#parts.element;
    this.#forget = shared.operator.onChange(() => this.#operatorChanged());
    addEventListener("keydown", this.#onKey);
    this.#listen();
    this.#loadHistory();
  }

  stop() {
    this.#forget();
    removeEventListener("keydown", this.#onKey);
    this.#stream?.stop();
    this.#pace.clear();
    this.#replay?.stop();
  }

  /** Go to what a link of this room means: the live table, or a step of a hand. */
  navigate({ hand, step }) {
    if (hand === null) return this.#goLive();
    if (this.#replay?.hand === hand) return step === null || step === this.#replay.step ? undefined : this.#replay.go(step);
    return this.#openReplay(hand, step);
  }

  // What is on the screen.

  #build() {
    const table = new TableView();
    const log = new LogView();
    const chart = new ChartView((hand) => { location.hash = handLink(this.#id, hand); });
    const hands = new HandsView(this.#id);
    const commands = new Commands(this.#id);
    const facts = h("p", { class: "facts" });
    const pill = h("span", { class: "pill" });
    const fault = h("p", { class: "fault", role: "alert" });
    const bar = h("div", { class: "bar" });
    const title = h("h2", { id: "log-title" }, "This hand");
    const pace = choice("pace", "Pace", [["calm", "Calm"], ["live", "Instant"]], this.#pace.isCalm ? "calm" : "live", (value) => {
      this.#pace.isCalm = value === "calm";
      keep(localStorage, "pace", value);
    });
    const feed = choice("feed", "Feed", [["public", "Public"], ["commentator", "All cards"]], "public", (value) => this.#choose(value));
    const live = h("div", { class: "live-bar" }, pace, feed);
    const head = h("header", { class: "room-head" },
      h("p", { class: "crumb" }, h("a", { href: "#/" }, "Rooms")),
      h("h1", { tabindex: "-1" }, this.#id), pill, facts);
    const element = h("article", { class: "room" }, head, fault,
      h("div", { class: "room-grid" },
        h("section", { class: "stage", "aria-label": "Table" }, table.element, bar),
        h("section", { class: "panel this-hand", "aria-labelledby": "log-title" }, title, log.element),
        h("section", { class: "panel chips", "aria-labelledby": "chart-title" }, h("h2", { id: "chart-title" }, "Chips"), chart.element),
        h("section", { class: "panel past", "aria-labelledby": "hands-title" }, h("h2", { id: "hands-title" }, "Hands"), hands.element)),
      commands.element);
    bar.append(live);
    return { element, table, log, chart, hands, commands, facts, pill, fault, bar, title, live, feed };
  }

  #plan() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw() {
    const { table, log, chart, hands, commands, facts, pill, title, feed } = this.#parts;
    const state = this.#replay?.state ?? this.#state;
    this.#know(this.#state.seats);
    if (this.#replay) this.#know(state.seats);
    const insight = this.#replay ? this.#replay.insight : this.#records.get(state.hand?.id) ?? null;
    const current = this.#replay?.hand ?? null;
    table.show(state, { seatCount: this.#config?.maxSeats ?? 2, clock: this.#replay ? null : this.#clock(), insight, colors: this.#colors });
    log.show(state.hand, insight);
    say(title, state.hand ? `Hand ${state.hand.number}` : "This hand");
    chart.show({ hands: this.#history.hands, seats: this.#state.seats, names: this.#names, colors: this.#colors, current });
    hands.show(this.#history.hands, current);
    commands.show(this.#state.seats);
    const word = doing(this.#state);
    say(pill, word);
    mark(pill, "data-kind", word);
    say(facts, this.#factsLine());
    mark(feed, "hidden", this.#shared.operator.token === null);
    mark(this.element, "data-epoch", this.#heard.epoch);
    mark(this.element, "data-sequence", this.#heard.sequence);
    mark(this.element, "data-shown", this.#state.sequence);
    mark(this.element, "data-mode", this.#replay ? "replay" : "live");
  }

  #factsLine() {
    const { hand, handCount } = this.#state;
    const [small, big] = [hand?.smallBlind || this.#config?.smallBlind, hand?.bigBlind || this.#config?.bigBlind];
    const stakes = big === undefined ? null : `blinds ${chips(small)}/${chips(big)}`;
    return [stakes, `${handCount} ${handCount === 1 ? "hand" : "hands"} played`].filter(Boolean).join(" · ");
  }

  /** Give everybody a colour and remember the name: both outlast the seat. */
  #know(seats) {
    for (const seat of [...seats.values()].sort((one, other) => (one.number ?? 99) - (other.number ?? 99))) {
      if (!this.#colors.has(seat.id)) this.#colors.set(seat.id, this.#colors.size % 10);
      this.#names.set(seat.id, seat.name);
    }
  }

  #clock() {
    const lengthMs = this.#config?.actionTimeoutMs ?? DEFAULT_CLOCK_MS;
    const goneMs = Math.min(lengthMs, Math.max(0, performance.now() - this.#since));
    // The clock runs for whoever acts now, not for what is shown later than it was.
    const isRunning = this.#pace.isLive && this.#feed === "public";
    return { key: this.#state.sequence, isRunning, lengthMs, goneMs };
  }

  // What the lobby tells.

  #listen() {
    this.#stream?.stop();
    this.#stream = new Stream(roomStream(this.#id, this.#feed), {
      hear: (name, data) => this.#hear(name, data),
      tell: (state) => this.#tell(state),
      token: this.#feed === "commentator" ? this.#shared.operator.token : null,
    });
    this.#stream.start();
  }

  #tell(state) {
    this.#shared.connection.tell(state);
    if (state.kind === "refused") say(this.#parts.fault, state.problem.message);
    if (state.kind === "live") say(this.#parts.fault, "");
  }

  #hear(name, data) {
    if (name === "snapshot") return this.#begin(data.room);
    if (name === "room_closed") return this.#closed(data.room);
    if (name === "table_event") {
      const { epoch = this.#heard.epoch, sequence } = data.event;
      const isGap = sequence !== undefined && epoch === this.#heard.epoch && sequence > this.#heard.sequence + 1;
      if (isGap && this.#feed === "public") return this.#stream.restart();
      if (sequence !== undefined) this.#heard = { epoch, sequence };
    } else if (name === "hand_record_missing") return undefined;
    return this.#pace.push({ name, data });
  }

  #begin(room) {
    this.#pace.clear();
    this.#config = room.config;
    this.#state = fromSnapshot(room);
    this.#heard = { epoch: this.#state.epoch, sequence: this.#state.sequence };
    const last = Date.parse(this.#state.at ?? "");
    this.#since = performance.now() - (Number.isNaN(last) ? 0 : Math.max(0, Date.now() - last));
    for (const event of room.events) if (event.eventType === "hand_completed") this.#history.add(event);
    this.#plan();
  }

  #closed(summary) {
    this.#pace.flush();
    this.#state = { ...this.#state, status: summary.status, state: summary.state ?? "closed" };
    this.#stream.stop();
    this.#plan();
  }

  /** Show items in their order: one when people can follow, a burst when they could not. */
  #show(items) {
    for (const { name, data } of items) {
      if (name === "hand_record") this.#keepRecord(data);
      else {
        this.#state = reduce(this.#state, data.event);
        if (data.event.eventType === "hand_completed") this.#history.add(data.event);
      }
    }
    this.#since = performance.now();
    const told = items.filter(({ name }) => name === "table_event").slice(-1);
    if (!this.#replay) for (const { data } of told) this.#shared.announcer.tell(String(data.event.message));
    this.#plan();
  }

  #keepRecord(record) {
    this.#records.set(record.handId, insightOf(record));
    if (this.#records.size > RECORDS_KEPT) this.#records.delete(this.#records.keys().next().value);
  }

  async #loadHistory() {
    try {
      await this.#history.load();
      this.#plan();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // The graph then begins with the next hand; the stream says why, if the room is not there.
    }
  }

  // An operator's eyes.

  #choose(feed) {
    this.#feed = feed;
    this.#records.clear();
    this.#listen();
  }

  #operatorChanged() {
    const { token } = this.#shared.operator;
    if (token === null && this.#feed === "commentator") {
      this.#parts.feed.querySelector("input").checked = true;
      this.#choose("public");
    }
    if (token !== null && this.#replay) this.#guard(this.#replay.reveal(token));
    this.#plan();
  }

  // A hand again.

  async #openReplay(hand, step) {
    this.#replay?.stop();
    const links = [
      hand > 1 ? h("a", { href: handLink(this.#id, hand - 1) }, `‹ Hand ${hand - 1}`) : null,
      h("a", { href: roomLink(this.#id), class: "to-live" }, "Back to live"),
      h("a", { href: handLink(this.#id, hand + 1) }, `Hand ${hand + 1} ›`),
    ];
    const replay = new Replay(this.#id, hand, {
      links,
      show: () => this.#plan(),
      moved: (at) => history.replaceState(null, "", handLink(this.#id, hand, at)),
    });
    this.#replay = replay;
    this.#parts.bar.replaceChildren(replay.element);
    await this.#guard(replay.load(step, this.#shared.operator.token));
  }

  #goLive() {
    this.#replay?.stop();
    this.#replay = null;
    say(this.#parts.fault, "");
    this.#parts.bar.replaceChildren(this.#parts.live);
    this.#plan();
  }

  /** Wait for something that may be refused, and say so. */
  async #guard(promise) {
    say(this.#parts.fault, "");
    try {
      await promise;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(this.#parts.fault, error.message);
    }
  }

  #press(event) {
    const isTyping = event.target.closest?.("input, select, textarea, dialog");
    const isButton = event.key === " " && event.target.closest?.("button, summary");
    if (!this.#replay || isTyping || isButton || event.altKey || event.ctrlKey || event.metaKey) return;
    if (this.#replay.press(event.key)) event.preventDefault();
  }
}

function choice(name, label, options, chosen, change) {
  return h("fieldset", { class: "filters" }, h("legend", {}, label), options.map(([value, text]) => h("label", {},
    h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => change(value) }), h("span", {}, text))));
}
