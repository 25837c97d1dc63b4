/** A room: its table live or a hand in replay, its log and chart, and an operator's commands. */
// @ts-check

/** @import { RoomSeat } from "./play/room_seat.js" */
/** @import { ConnectionState, Link, Seats, Shared } from "./types.js" */

import { Problem } from "./api.js";
import { keep, kept } from "./chrome.js";
import { h, mark, say } from "./dom.js";
import { gameWords } from "./game_state.js";
import { LiveRoom } from "./live.js";
import { chips } from "./money.js";
import { Replay } from "./replay.js";
import { roomLayout } from "./room_layout.js";
import { handLink, roomLink } from "./router.js";
import { statusWord } from "./status_word.js";

export class RoomView {
  #id;
  #shared;
  #live;
  /** @type {Map<string, number>} Players' places in the palette, by id. */
  #colors = new Map();
  /** @type {Map<string, string>} Players' names, by id. */
  #names = new Map();
  /** @type {Replay | null} */
  #replay = null;
  /** @type {RoomSeat | null} What a person may do here; null without a gateway. */
  #seat = null;
  #isStopped = false;
  #isDue = false;
  #parts;
  #removeListener;
  /** @type {(event: KeyboardEvent) => void} */
  #onKey = (event) => this.#press(event);

  /**
   * @param {string} id
   * @param {Shared} shared
   */
  constructor(id, shared) {
    this.#id = id;
    this.#shared = shared;
    this.#live = new LiveRoom(id, {
      onChange: (sentence) => this.#changed(sentence),
      onConnection: (state) => this.#showConnection(state),
      isCalm: kept(localStorage, "pace") !== "live",
    });
    this.#parts = roomLayout(id, {
      isCalm: this.#live.pace.isCalm,
      choosePace: (pace) => {
        this.#live.pace.isCalm = pace === "calm";
        keep(localStorage, "pace", pace);
      },
      chooseFeed: (feed) => this.#live.listen(feed),
    });
    this.element = this.#parts.element;
    this.#removeListener = shared.operator.onChange(() => this.#operatorChanged());
    addEventListener("keydown", this.#onKey);
    this.#live.listen("public");
    this.#offerSeats();
  }

  /** Close the stream, and draw nothing more. */
  stop() {
    this.#removeListener();
    removeEventListener("keydown", this.#onKey);
    this.#live.stop();
    this.#isStopped = true;
    this.#seat?.stop();
    this.#replay?.stop();
  }

  /**
   * Show what a link to this room names: the live table, or a step of a hand.
   * @param {Link} link
   */
  navigate({ hand, step }) {
    if (hand === null) return this.#goLive();
    if (this.#replay?.hand === hand)
      return step === null || step === this.#replay.step ? undefined : this.#replay.go(step);
    return this.#openReplay(hand, step);
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
    const { table, log, chart, hands, faults, commands, facts, pill, title, feed } = this.#parts;
    const state = this.#replay?.state ?? this.#live.state;
    this.#remember(this.#live.state.seats);
    if (this.#replay) this.#remember(state.seats);
    const insight = this.#replay ? this.#replay.insight : this.#live.insight;
    const current = this.#replay?.hand ?? null;
    this.#seat?.show(this.#live.state);
    const own = this.#seat?.table(state);
    const isSeated = this.#seat?.isSeated ?? false;
    table.show(state, {
      seatCount: this.#live.config?.maxSeats ?? 2,
      clock: this.#replay ? null : this.#live.clock,
      colors: this.#colors,
      ...own,
      insight: insight ?? own?.insight ?? null,
      sit: this.#replay ? null : (own?.sit ?? null),
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
    const { seats, handCount } = this.#live.state;
    faults.show(seats, handCount, this.#shared.operator.token);
    const word = statusWord(this.#live.state);
    say(pill, word);
    mark(pill, "data-kind", word);
    say(facts, this.#factsLine());
    mark(feed, "hidden", this.#shared.operator.token === null || isSeated);
    mark(this.#parts.pace, "hidden", isSeated);
    mark(this.element, "data-epoch", this.#live.received.epoch);
    mark(this.element, "data-sequence", this.#live.received.sequence);
    mark(this.element, "data-shown", this.#live.state.sequence);
    mark(this.element, "data-mode", this.#replay ? "replay" : "live");
  }

  #factsLine() {
    const { hand, handCount } = this.#live.state;
    const { config } = this.#live;
    const small = hand?.smallBlind || config?.smallBlind;
    const big = hand?.bigBlind || config?.bigBlind;
    const stakes =
      small === undefined || big === undefined ? null : `blinds ${chips(small)}/${chips(big)}`;
    const played = `${handCount} ${handCount === 1 ? "hand" : "hands"} played`;
    return [gameWords(this.#live.gameType) ?? stakes, played, this.#live.isSeeded && "seeded"]
      .filter(Boolean)
      .join(" · ");
  }

  /**
   * Give every player a colour, and keep the name: both are needed after the player has left.
   * @param {Seats} seats
   */
  #remember(seats) {
    const sorted = [...seats.values()].sort(
      (left, right) => (left.number ?? 99) - (right.number ?? 99),
    );
    for (const seat of sorted) {
      if (!this.#colors.has(seat.id)) this.#colors.set(seat.id, this.#colors.size % 10);
      this.#names.set(seat.id, seat.name);
    }
  }

  /** @param {string | null} sentence The message of the latest event. */
  #changed(sentence) {
    if (sentence && !this.#replay) this.#shared.announcer.announce(sentence);
    this.#plan();
  }

  /** @param {ConnectionState} state */
  #showConnection(state) {
    this.#shared.connection.show(state);
    if (state.kind === "refused") say(this.#parts.fault, state.problem.message);
    if (state.kind === "live") say(this.#parts.fault, "");
  }

  /** Load the controls of people, where there is a gateway. */
  async #offerSeats() {
    const gateway = (await this.#shared.config)?.gatewayUrl;
    if (!gateway) return;
    const { RoomSeat } = await import("./play/room_seat.js");
    if (this.#isStopped) return;
    this.#seat = new RoomSeat(this.#id, gateway, {
      title: this.#shared.title,
      onChange: () => this.#seatChanged(),
      config: () => this.#live.config,
    });
    this.#parts.bar.after(this.#seat.element);
    this.#seatChanged();
  }

  /** Show a person at the table everything at once, and no cards of others. */
  #seatChanged() {
    const isSeated = this.#seat?.isSeated ?? false;
    const isCalm = !isSeated && kept(localStorage, "pace") !== "live";
    if (this.#live.pace.isCalm !== isCalm) this.#live.pace.isCalm = isCalm;
    if (isSeated) this.#showPublic();
    this.#plan();
  }

  /** Go back to the public feed. */
  #showPublic() {
    if (this.#live.feed === "public") return;
    const publicFeed = this.#parts.feed.querySelector("input");
    if (publicFeed) publicFeed.checked = true;
    this.#live.listen("public");
  }

  /** React to a new key, or to its end. */
  #operatorChanged() {
    const { token } = this.#shared.operator;
    if (token === null) this.#showPublic();
    if (token !== null && this.#replay) this.#guard(this.#replay.reveal());
    this.#plan();
  }

  /**
   * Show a hand's replay.
   * @param {number} hand
   * @param {number | null} step
   */
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
      moved: (newStep) => history.replaceState(null, "", handLink(this.#id, hand, newStep)),
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

  /**
   * Wait for a request, and show why it was refused.
   * @param {Promise<unknown>} promise
   */
  async #guard(promise) {
    say(this.#parts.fault, "");
    try {
      await promise;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(this.#parts.fault, error.message);
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const target = event.target instanceof Element ? event.target : null;
    const isTyping = target?.closest("input, select, textarea, dialog");
    const isButton = event.key === " " && target?.closest("button, summary");
    if (!this.#replay || isTyping || isButton || event.altKey || event.ctrlKey || event.metaKey)
      return;
    if (this.#replay.press(event.key)) event.preventDefault();
  }
}
