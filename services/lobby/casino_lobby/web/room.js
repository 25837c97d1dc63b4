/** A room: its table live or a hand in replay, its log and chart, and an operator's commands. */
// @ts-check

/** @import { RoomSeat } from "./play/room_seat.js" */
/** @import { ConnectionState, Link, Seats, Shared } from "./types.js" */

import { Problem } from "./api.js";
import { Cast } from "./cast.js";
import { keep, kept } from "./chrome.js";
import { mark, say } from "./dom.js";
import { openHelp } from "./help.js";
import { LiveRoom } from "./live.js";
import { asSeen } from "./reducer.js";
import { Replay } from "./replay.js";
import { ReplayLinks } from "./replay_links.js";
import { factsLine, handTitle } from "./room_facts.js";
import { roomLayout } from "./room_layout.js";
import { chosenPace, RoomPace } from "./room_pace.js";
import { isClosed, putResultsFirst, showLag, showMissingHand, showRefusal } from "./room_states.js";
import { handLink, roomLink } from "./router.js";
import { statusWord } from "./status_word.js";

export class RoomView {
  #id;
  #shared;
  #live;
  #pace;
  #cast = new Cast();
  /** @type {Replay | null} */
  #replay = null;
  /** @type {ReplayLinks | null} */
  #links = null;
  #areCardsOpen = kept(localStorage, "cards") !== "hidden";
  /** @type {RoomSeat | null} What a person may do here; null without a gateway. */
  #seat = null;
  #isStopped = false;
  #isDue = false;
  #parts;
  #removeListener;
  /** @type {Map<string, () => void>} The keys of a replay besides those of its steps. */
  #keys = new Map([
    ["arrowup", () => this.#links?.go(1)],
    ["arrowdown", () => this.#links?.go(-1)],
    ["o", () => this.#toggleCards()],
    ["escape", () => location.assign(roomLink(this.#id))],
  ]);
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
      isCalm: chosenPace() === "calm",
    });
    this.#pace = new RoomPace(id, this.#live, {
      announcer: shared.announcer,
      draw: () => this.#plan(),
      isReplay: () => this.#replay !== null,
    });
    this.#parts = roomLayout(id, {
      paceName: chosenPace(),
      choosePace: (pace) => this.#pace.choose(pace),
      chooseFeed: (feed) => this.#live.listen(feed),
      catchUp: () => this.#live.pace.flush(),
      onResults: () => this.#plan(),
    });
    this.#parts.hands.history = this.#live.history;
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
    this.#pace.stop();
    this.#isStopped = true;
    this.#seat?.stop();
    this.#replay?.stop();
    this.#parts.results.stop();
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
    const state = this.#replay?.state ?? this.#pace.best ?? asSeen(this.#live.state);
    const isOver = isClosed(this.#live.state);
    this.#meet(state.seats);
    const { names, colors } = this.#cast;
    const insight = this.#replay ? this.#replay.insightAt(this.#areCardsOpen) : this.#pace.insight;
    const current = this.#replay?.hand ?? null;
    this.#seat?.show(this.#live.state);
    const own = this.#seat?.table(state);
    const isSeated = this.#seat?.isSeated ?? false;
    table.show(state, {
      seatCount: this.#live.config?.maxSeats ?? 2,
      clock: this.#replay || this.#pace.best ? null : this.#live.clock,
      colors,
      ...own,
      insight: insight ?? own?.insight ?? null,
      sit: this.#replay ? null : (own?.sit ?? null),
    });
    log.show(state.hand, this.#replay?.insight ?? insight);
    say(title, handTitle(state, this.#pace.best !== null));
    this.#drawStates(isOver);
    chart.show({
      hands: this.#live.history.hands,
      seats: asSeen(this.#live.state).seats,
      names,
      colors,
      current,
      hasLegend: this.#parts.results.standings === null,
    });
    hands.show(this.#live.history.hands, current);
    const { seats, handCount } = this.#live.state;
    commands.show(seats);
    faults.show(seats, handCount, this.#shared.operator.token);
    const word = statusWord(this.#live.state);
    say(pill, word);
    mark(pill, "data-kind", word);
    say(facts, factsLine(this.#live));
    mark(feed, "hidden", this.#shared.operator.token === null || isSeated);
    mark(this.#parts.pace, "hidden", isSeated || isOver);
    mark(this.element, "data-epoch", this.#live.received.epoch);
    mark(this.element, "data-sequence", this.#live.received.sequence);
    mark(this.element, "data-shown", this.#live.state.sequence);
    mark(this.element, "data-mode", this.#replay ? "replay" : "live");
  }

  /** @param {boolean} isOver */
  #drawStates(isOver) {
    const { live, replay, parts } = { live: this.#live, replay: this.#replay, parts: this.#parts };
    showLag(parts, live, replay !== null);
    showMissingHand(parts, this.#id, replay);
    const { gameType, state } = live;
    const { handCount } = state;
    if (live.config) parts.results.show({ handCount, isOver, gameType, colors: this.#cast.colors });
    if (isOver) putResultsFirst(parts);
    const last = live.history.hands.at(-1)?.number;
    const stored = last === undefined ? null : { first: 1, last };
    this.#links?.show({ stored, isOver, areCardsOpen: this.#areCardsOpen });
  }

  /**
   * Get to know the players in what is shown, and in what was there before.
   * @param {Seats} seats
   */
  #meet(seats) {
    this.#cast.seat(this.#live.state.seats);
    this.#cast.seat(seats);
    this.#cast.recall(this.#live.names);
    this.#cast.rank(this.#parts.results.standings?.players ?? []);
    this.#cast.pass(this.#live.history.hands.at(-1));
  }

  /** Open or hide the cards that a hand shows later. */
  #toggleCards() {
    this.#areCardsOpen = !this.#areCardsOpen;
    keep(localStorage, "cards", this.#areCardsOpen ? null : "hidden");
    this.#plan();
  }

  /** @param {string | null} sentence The message of the latest event. */
  #changed(sentence) {
    this.#pace.note();
    if (sentence && !this.#replay && !this.#pace.best) this.#shared.announcer.announce(sentence);
    this.#plan();
  }

  /** @param {ConnectionState} state */
  #showConnection(state) {
    this.#shared.connection.show(state);
    if (state.kind === "refused") showRefusal(this.#parts, state.problem);
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
    this.#pace.isSeated = isSeated;
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
    this.#links = new ReplayLinks(this.#id, hand, () => this.#toggleCards());
    const replay = new Replay(this.#id, hand, {
      links: this.#links.parts,
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
    this.#links = null;
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
    const isTyping = target?.closest("input:not([type=range]), select, textarea, dialog");
    const isButton = event.key === " " && target?.closest("button, summary");
    const isScrolling = event.key.startsWith("Arrow") && target?.matches(".scroll");
    if (isTyping || isButton || isScrolling || event.altKey || event.ctrlKey || event.metaKey)
      return;
    const act = this.#replay ? this.#keys.get(event.key.toLowerCase()) : undefined;
    act?.();
    if (act || this.#replay?.press(event.key)) event.preventDefault();
    else if (event.key === "?") openHelp();
  }
}
