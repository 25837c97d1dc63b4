/** A room: its table live or a hand in replay, its log and chart, and an operator's commands. */
// @ts-check

/** @import { RoomSeat } from "./play/room_seat.js" */
/** @import { Replay } from "./replay.js" */
/** @import { ReplayLinks } from "./replay_links.js" */
/** @import { ConnectionState, Link, Shared } from "./types.js" */

import { Problem } from "./api.js";
import { keep, kept, Spoken } from "./chrome.js";
import { mark, say } from "./dom.js";
import { LiveRoom } from "./live.js";
import { Drawings } from "./pace.js";
import { PlayerNames } from "./player_names.js";
import { handTitle } from "./room_facts.js";
import { FullView, isForView, openHelp } from "./room_keys.js";
import {
  drawBeside,
  drawStates,
  isClosed,
  markView,
  meet,
  roomLayout,
  showCheck,
  showRefusal,
  showStatus,
} from "./room_layout.js";
import { chosenPace, RoomPace } from "./room_pace.js";
import { go, handLink, roomLink } from "./router.js";

export class RoomView {
  #id;
  #shared;
  #live;
  #pace;
  #playerNames = new PlayerNames();
  /** @type {Replay | null} */
  #replay = null;
  /** @type {ReplayLinks | null} */
  #links = null;
  #areCardsOpen = kept(localStorage, "cards") !== "hidden";
  /** @type {RoomSeat | null} What a person may do here; null without a gateway. */
  #seat = null;
  #isStopped = false;
  #fullView;
  #spoken;
  /** @type {Link | null} What the address names. */
  #link = null;
  /** Whether the next hand is to be played as well. */
  #playsOn = false;
  #drawings = new Drawings(
    (isAll) => this.#draw(isAll),
    () => this.#live.isBusy,
  );
  #parts;
  #removeListener;
  /** @type {Map<string, () => void>} The keys of a replay besides those of its steps. */
  #keys = new Map([
    ["arrowup", () => this.#links?.go(1)],
    ["arrowdown", () => this.#links?.go(-1)],
    ["o", () => this.#toggleCards()],
    ["escape", () => go(roomLink(this.#id))],
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
      onChange: (sentence, isResult) => this.#changed(sentence, isResult),
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
    this.#parts.next.use(shared);
    this.#fullView = new FullView(this.element);
    this.#spoken = new Spoken(shared.announcer);
    this.#parts.live.append(this.#spoken.element);
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
    this.#drawings.stop();
    this.#seat?.stop();
    this.#replay?.stop();
    this.#parts.results.stop();
  }

  /**
   * Show what a link to this room names: the live table, or a step of a hand.
   * @param {Link} link
   */
  navigate(link) {
    const { hand, step, epoch } = link;
    this.#link = link;
    if (hand === null) return this.#goLive();
    if (this.#replay?.hand === hand && this.#replay.epoch === epoch)
      return step === null || step === this.#replay.step ? undefined : this.#replay.go(step);
    return this.#openReplay(hand, step, epoch);
  }

  #plan() {
    this.#drawings.plan();
  }

  /** @param {boolean} isAll Whether to draw also what is beside the table. */
  #draw(isAll) {
    const { table, log, title, feed, next } = this.#parts;
    const state = this.#replay?.state ?? this.#pace.state;
    const isOver = isClosed(this.#live.state);
    meet(this.#playerNames, this.#live, state.seats, this.#parts.results.standings?.players ?? []);
    const { colors } = this.#playerNames;
    const insight = this.#replay ? this.#replay.insightAt(this.#areCardsOpen) : this.#pace.insight;
    const seen = this.#replay?.seen ?? state;
    this.#seat?.show(this.#live.state, this.#replay ? this.#live.state.hand : state.hand);
    next.show(this.#live, this.#replay !== null);
    const own = this.#seat?.table(state);
    const isSeated = this.#seat?.isSeated ?? false;
    table.show(state, {
      seatCount: this.#live.config?.maxSeats ?? 2,
      clock: this.#replay || this.#pace.best ? null : this.#live.clock,
      colors,
      ...own,
      insight: insight ?? own?.insight ?? null,
      sit: this.#replay ? null : (own?.sit ?? next.sit),
    });
    log.show(seen.hand, this.#replay?.insight ?? insight);
    const shown = this.#replay ? (state.hand?.log.length ?? 0) : null;
    log.follow(shown, this.#replay && this.#goToLine);
    say(title, handTitle(state, this.#pace.best !== null));
    showCheck(this.#parts, this.#live, state);
    drawStates(this.#id, this.#parts, this.#live, {
      isOver,
      playerNames: this.#playerNames,
      replay: this.#replay,
      links: this.#links,
      areCardsOpen: this.#areCardsOpen,
    });
    const { token } = this.#shared.operator;
    const current = this.#replay?.hand ?? null;
    if (isAll)
      drawBeside(this.#parts, this.#live, { playerNames: this.#playerNames, current, token });
    showStatus(this.#parts, this.#live);
    mark(feed, "hidden", token === null || isSeated);
    mark(this.#parts.pace, "hidden", isSeated || isOver);
    markView(this.element, this.#live, this.#replay !== null);
  }

  /** Open or hide the cards that a hand shows later. */
  #toggleCards() {
    this.#areCardsOpen = !this.#areCardsOpen;
    keep(localStorage, "cards", this.#areCardsOpen ? null : "hidden");
    this.#plan();
  }

  /**
   * @param {string | null} sentence The message of the latest event.
   * @param {boolean} [isResult] Whether it says how a hand ended.
   */
  #changed(sentence, isResult = false) {
    this.#pace.note();
    if (sentence && !this.#replay && !this.#pace.best) this.#spoken.say(sentence, isResult);
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
      seatBot: this.#parts.next.take,
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
   * @param {number | null} epoch Which of several hands with this number.
   */
  async #openReplay(hand, step, epoch) {
    this.#replay?.stop();
    const link = this.#link;
    const [{ Replay }, { ReplayLinks }] = await Promise.all([
      import("./replay.js"),
      import("./replay_links.js"),
    ]);
    if (this.#link !== link || this.#isStopped) return;
    this.#links = new ReplayLinks(this.#id, hand, () => this.#toggleCards());
    const replay = new Replay(this.#id, hand, {
      links: this.#links.parts,
      show: () => this.#plan(),
      epoch,
      moved: (newStep) => history.replaceState(null, "", handLink(this.#id, hand, newStep, epoch)),
      onEnd: () => {
        this.#playsOn = this.#live.history.hands.some(({ number }) => number > hand);
        this.#links?.go(1);
      },
    });
    this.#replay = replay;
    this.#parts.bar.replaceChildren(replay.element);
    const isPlaying = this.#playsOn;
    this.#playsOn = false;
    const isOpen = this.#shared.operator.token !== null || (await this.#shared.config)?.isOperator;
    if (this.#replay !== replay) return; // another hand was chosen meanwhile
    await this.#guard(replay.load(step, Boolean(isOpen)));
    if (replay.fault === null) this.#live.checkPast(hand, epoch);
    if (isPlaying && this.#replay === replay && replay.fault === null) replay.toggle();
  }

  /** @type {(line: number) => void} */
  #goToLine = (line) => this.#replay?.goToLine(line);

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
    if (!isForView(event)) return;
    const key = event.key.toLowerCase();
    const act = this.#replay ? this.#keys.get(key) : undefined;
    if (!this.#fullView.press(key, this.#seat?.isSeated ?? false)) {
      if (act) act();
      else if (key === "?") openHelp();
      else if (!this.#replay?.press(event.key)) return;
    }
    event.preventDefault();
  }
}
