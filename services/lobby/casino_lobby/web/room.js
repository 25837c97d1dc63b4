/** One room: its table live, any of its hands again, what happened, and what an operator may do. */

import { Problem } from "./api.js";
import { ChartView } from "./chart.js";
import { keep, kept } from "./chrome.js";
import { Commands } from "./commands.js";
import { h, mark, say } from "./dom.js";
import { gameWords } from "./game_state.js";
import { HandsView } from "./hands.js";
import { LiveRoom } from "./live.js";
import { LogView } from "./log.js";
import { doing } from "./miniboard.js";
import { chips } from "./money.js";
import { Replay } from "./replay.js";
import { handLink, roomLink } from "./router.js";
import { TableView } from "./table.js";

export class RoomView {
  #id;
  #shared;
  #live;
  #colors = new Map();
  #names = new Map();
  #replay = null;
  #isDue = false;
  #parts;
  #forget;
  #onKey = (event) => this.#press(event);

  constructor(id, shared) {
    [this.#id, this.#shared] = [id, shared];
    this.#live = new LiveRoom(id, {
      changed: (sentence) => this.#changed(sentence),
      tell: (state) => this.#tell(state),
      isCalm: kept(localStorage, "pace") !== "live",
    });
    this.#parts = this.#build();
    this.element = this.#parts.element;
    this.#forget = shared.operator.onChange(() => this.#operatorChanged());
    addEventListener("keydown", this.#onKey);
    this.#live.listen("public");
  }

  stop() {
    this.#forget();
    removeEventListener("keydown", this.#onKey);
    this.#live.stop();
    this.#replay?.stop();
  }

  /** Go to what a link of this room means: the live table, or a step of a hand. */
  navigate({ hand, step }) {
    if (hand === null) return this.#goLive();
    if (this.#replay?.hand === hand)
      return step === null || step === this.#replay.step ? undefined : this.#replay.go(step);
    return this.#openReplay(hand, step);
  }

  // What is on the screen.

  #build() {
    const table = new TableView();
    const log = new LogView();
    const chart = new ChartView((hand) => {
      location.hash = handLink(this.#id, hand);
    });
    const hands = new HandsView(this.#id);
    const commands = new Commands(this.#id);
    const facts = h("p", { class: "facts" });
    const pill = h("span", { class: "pill" });
    const fault = h("p", { class: "fault", role: "alert" });
    const bar = h("div", { class: "bar" });
    const title = h("h2", { id: "log-title" }, "This hand");
    const pace = choice(
      "pace",
      "Pace",
      [
        ["calm", "Calm"],
        ["live", "Instant"],
      ],
      this.#live.pace.isCalm ? "calm" : "live",
      (value) => {
        this.#live.pace.isCalm = value === "calm";
        keep(localStorage, "pace", value);
      },
    );
    const feed = choice(
      "feed",
      "Feed",
      [
        ["public", "Public"],
        ["commentator", "All cards"],
      ],
      "public",
      (value) => this.#choose(value),
    );
    const live = h("div", { class: "live-bar" }, pace, feed);
    const head = h(
      "header",
      { class: "room-head" },
      h("p", { class: "crumb" }, h("a", { href: "#/" }, "Rooms")),
      h("h1", { tabindex: "-1" }, this.#id),
      pill,
      facts,
    );
    const element = h(
      "article",
      { class: "room" },
      head,
      fault,
      h(
        "div",
        { class: "room-grid" },
        h("section", { class: "stage", "aria-label": "Table" }, table.element, bar),
        h(
          "section",
          { class: "panel this-hand", "aria-labelledby": "log-title" },
          title,
          log.element,
        ),
        h(
          "section",
          { class: "panel chips", "aria-labelledby": "chart-title" },
          h("h2", { id: "chart-title" }, "Chips"),
          chart.element,
        ),
        h(
          "section",
          { class: "panel past", "aria-labelledby": "hands-title" },
          h("h2", { id: "hands-title" }, "Hands"),
          hands.element,
        ),
      ),
      commands.element,
    );
    bar.append(live);
    return {
      element,
      table,
      log,
      chart,
      hands,
      commands,
      facts,
      pill,
      fault,
      bar,
      title,
      live,
      feed,
    };
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
    const state = this.#replay?.state ?? this.#live.state;
    this.#know(this.#live.state.seats);
    if (this.#replay) this.#know(state.seats);
    const insight = this.#replay ? this.#replay.insight : this.#live.insight;
    const current = this.#replay?.hand ?? null;
    table.show(state, {
      seatCount: this.#live.config?.maxSeats ?? 2,
      clock: this.#replay ? null : this.#live.clock,
      insight,
      colors: this.#colors,
    });
    log.show(state.hand, insight);
    say(title, state.hand ? `Hand ${state.hand.number}` : "This hand");
    chart.show({
      hands: this.#live.history.hands,
      seats: this.#live.state.seats,
      names: this.#names,
      colors: this.#colors,
      current,
    });
    hands.show(this.#live.history.hands, current);
    commands.show(this.#live.state.seats);
    const word = doing(this.#live.state);
    say(pill, word);
    mark(pill, "data-kind", word);
    say(facts, this.#factsLine());
    mark(feed, "hidden", this.#shared.operator.token === null);
    mark(this.element, "data-epoch", this.#live.heard.epoch);
    mark(this.element, "data-sequence", this.#live.heard.sequence);
    mark(this.element, "data-shown", this.#live.state.sequence);
    mark(this.element, "data-mode", this.#replay ? "replay" : "live");
  }

  #factsLine() {
    const { hand, handCount } = this.#live.state;
    const [small, big] = [
      hand?.smallBlind || this.#live.config?.smallBlind,
      hand?.bigBlind || this.#live.config?.bigBlind,
    ];
    const stakes = big === undefined ? null : `blinds ${chips(small)}/${chips(big)}`;
    const played = `${handCount} ${handCount === 1 ? "hand" : "hands"} played`;
    return [gameWords(this.#live.gameType) ?? stakes, played, this.#live.isSeeded && "seeded"]
      .filter(Boolean)
      .join(" · ");
  }

  /** Give everybody a colour and remember the name: both outlast the seat. */
  #know(seats) {
    for (const seat of [...seats.values()].sort(
      (one, other) => (one.number ?? 99) - (other.number ?? 99),
    )) {
      if (!this.#colors.has(seat.id)) this.#colors.set(seat.id, this.#colors.size % 10);
      this.#names.set(seat.id, seat.name);
    }
  }

  #changed(sentence) {
    if (sentence && !this.#replay) this.#shared.announcer.tell(sentence);
    this.#plan();
  }

  #tell(state) {
    this.#shared.connection.tell(state);
    if (state.kind === "refused") say(this.#parts.fault, state.problem.message);
    if (state.kind === "live") say(this.#parts.fault, "");
  }

  // An operator's eyes.

  #choose(feed) {
    this.#live.listen(feed);
  }

  #operatorChanged() {
    const { token } = this.#shared.operator;
    if (token === null && this.#live.feed === "commentator") {
      this.#parts.feed.querySelector("input").checked = true;
      this.#choose("public");
    }
    if (token !== null && this.#replay) this.#guard(this.#replay.reveal());
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
    await this.#guard(replay.load(step, this.#shared.operator.token !== null));
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
    if (!this.#replay || isTyping || isButton || event.altKey || event.ctrlKey || event.metaKey)
      return;
    if (this.#replay.press(event.key)) event.preventDefault();
  }
}

function choice(name, label, options, chosen, change) {
  return h(
    "fieldset",
    { class: "filters" },
    h("legend", {}, label),
    options.map(([value, text]) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name,
          value,
          checked: value === chosen,
          onchange: () => change(value),
        }),
        h("span", {}, text),
      ),
    ),
  );
}
