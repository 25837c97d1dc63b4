/**
 * The pace of a room's view, as chosen: calm, instant, or the best hands of the last 30 seconds.
 */
// @ts-check

/** @import { Announcer } from "./chrome.js" */
/** @import { LiveRoom } from "./live.js" */
/** @import { CompletedHand, TableEvent, TableState } from "./types.js" */

import { api } from "./api.js";
import { keep, kept } from "./chrome.js";
import { dwellOf, runOutOf } from "./pace.js";
import { wholeOr } from "./reading.js";
import { asSeen, EMPTY, reduce } from "./reducer.js";
import { Showdown } from "./showdown.js";

/** @typedef {"calm" | "live" | "highlights"} PaceName "live" is Instant. */

/** @typedef {{ epoch: number, number: number }} HandPlace */

const WINDOW_MS = 30_000;
const LOOK_MS = 1000;
const FAILED_MS = 5000;
/** How many of the best hands are looked at for one that was not played yet. */
const CANDIDATES = 5;

/**
 * Return the pace that was chosen last, Calm by default.
 * @returns {PaceName}
 */
export function chosenPace() {
  const setting = kept(localStorage, "pace");
  return setting === "live" || setting === "highlights" ? setting : "calm";
}

export class RoomPace {
  #live;
  #highlights;
  #showdown;
  #isSeated = false;
  #isReplay;

  /**
   * @param {string} id The room's id.
   * @param {LiveRoom} live
   * @param {object} options
   * @param {Announcer} options.announcer
   * @param {() => void} options.draw
   * @param {() => boolean} options.isReplay
   */
  constructor(id, live, { announcer, draw, isReplay }) {
    this.#live = live;
    this.#isReplay = isReplay;
    this.#showdown = new Showdown(draw);
    this.#highlights = new HighlightQueue({
      best: async (since) =>
        (await api.chosenHands(id, { sort: "score", limit: String(CANDIDATES), since })).hands,
      hand: async (number) => (await api.hand(id, number)).events,
      show: (sentence) => {
        if (sentence && !isReplay()) announcer.announce(sentence);
        draw();
      },
      isSeen: () => !isReplay() && !document.hidden,
    });
    this.#apply();
  }

  /** The highlight that is shown in place of the live table, or null. */
  get best() {
    return this.#isReplay() ? null : this.#highlights.state;
  }

  /** What is shown: the live table or a highlight, with the end of a hand in its acts. */
  get state() {
    const { best } = this;
    return this.#showdown.seen(best ?? asSeen(this.#live.state), () => this.#pauseMs);
  }

  /** For how many milliseconds the end of a hand is shown. */
  get #pauseMs() {
    if (this.best) return this.#highlights.dwellMs;
    const { pace, state } = this.#live;
    return pace.isCalm ? pace.restMs : (state.hand?.pauseMs ?? 0);
  }

  /** What an operator may see of the hand that is shown live; nothing beside a highlight. */
  get insight() {
    return this.best ? null : this.#live.insight;
  }

  /** @param {boolean} isSeated Whether a person plays here, who sees everything at once. */
  set isSeated(isSeated) {
    this.#isSeated = isSeated;
    this.#apply();
  }

  /** @param {string} pace */
  choose(pace) {
    keep(localStorage, "pace", pace);
    this.#apply();
  }

  /** Note that something happened at the table. */
  note() {
    this.#highlights.note(this.#live.history.hands.at(-1));
  }

  stop() {
    this.#highlights.stop();
    this.#showdown.stop();
  }

  #apply() {
    const pace = chosenPace();
    const isCalm = !this.#isSeated && pace === "calm";
    if (this.#live.pace.isCalm !== isCalm) this.#live.pace.isCalm = isCalm;
    this.#highlights.isOn = !this.#isSeated && pace === "highlights";
  }
}

/** Plays the best hand of the last 30 seconds calmly, then the next one; the table runs on. */
export class HighlightQueue {
  /** @type {TableState | null} What is shown in place of the live table; null while nothing is. */
  state = null;
  /** For how many milliseconds it is shown. */
  dwellMs = 0;
  #isOn = false;
  /** @type {(HandPlace & { at: number })[]} Hands that were completed lately, the oldest first. */
  #ends = [];
  /** @type {Set<string>} */
  #played = new Set();
  /** @type {TableEvent[]} */
  #events = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #best;
  #hand;
  #show;
  #isSeen;

  /**
   * @param {object} options
   * @param {(since: string) => Promise<CompletedHand[]>} options.best Returns the best hands from
   *   one on, which is named by its epoch and number.
   * @param {(number: number) => Promise<TableEvent[]>} options.hand Returns the events of a hand.
   * @param {(sentence: string | null) => void} options.show Draws `state`.
   * @param {() => boolean} options.isSeen Whether anybody looks; else no hand is loaded.
   */
  constructor({ best, hand, show, isSeen }) {
    this.#best = best;
    this.#hand = hand;
    this.#show = show;
    this.#isSeen = isSeen;
  }

  get isOn() {
    return this.#isOn;
  }

  set isOn(isOn) {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    this.#stopTimer();
    if (isOn) this.#plan(0);
    else this.#end();
  }

  /**
   * Note the newest completed hand; noting it again changes nothing.
   * @param {HandPlace | undefined} hand
   */
  note(hand) {
    const last = this.#ends.at(-1);
    if (!hand || (last?.number === hand.number && last.epoch === hand.epoch)) return;
    this.#forget();
    this.#ends.push({ epoch: hand.epoch, number: hand.number, at: performance.now() });
  }

  /** Stop, and draw nothing more. */
  stop() {
    this.#isOn = false;
    this.#stopTimer();
  }

  #stopTimer() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** @param {number} ms */
  #plan(ms) {
    this.#timer = setTimeout(() => (this.#events.length > 0 ? this.#step() : this.#look()), ms);
  }

  /** Forget the hands that are older than the window. */
  #forget() {
    const since = performance.now() - WINDOW_MS;
    this.#ends = this.#ends.filter(({ at }) => at >= since);
  }

  #end() {
    this.#events = [];
    if (this.state === null) return;
    this.state = null;
    this.#show(null);
  }

  /** Look for the next hand to play; without one the table is shown as it is. */
  async #look() {
    this.#forget();
    const first = this.#ends[0];
    if (!first || !this.#isSeen()) {
      this.#end();
      return this.#plan(LOOK_MS);
    }
    let wait = 0;
    try {
      const hands = await this.#best(`${first.epoch}.${first.number}`);
      const next = hands.find((hand) => !this.#played.has(keyOf(hand)));
      const events = next ? await this.#hand(wholeOr(next.handNumber, 0)) : [];
      if (!this.#isOn) return undefined;
      if (next && events.length > 0) this.#begin(next, events);
      else wait = LOOK_MS;
    } catch {
      wait = FAILED_MS; // the table itself is shown meanwhile, and says what is wrong
    }
    if (!this.#isOn) return undefined;
    if (wait > 0) this.#end();
    return this.#plan(wait);
  }

  /**
   * @param {CompletedHand} hand
   * @param {TableEvent[]} events
   */
  #begin(hand, events) {
    this.#played.add(keyOf(hand));
    for (const oldest of this.#played) {
      if (this.#played.size <= 2 * CANDIDATES) break;
      this.#played.delete(oldest);
    }
    this.#events = [...events];
    this.state = EMPTY;
  }

  /** Show the next event of the hand, for as long as people need. */
  #step() {
    const events = this.#events.splice(0, runOutOf(this.#events));
    this.state = events.reduce(reduce, this.state ?? EMPTY);
    this.dwellMs = events.reduce((sum, event) => sum + dwellOf(event), 0);
    this.#show(String(events.at(-1)?.message ?? ""));
    this.#plan(this.dwellMs);
  }
}

/** @param {CompletedHand} hand */
function keyOf({ epoch, handNumber }) {
  return `${epoch}.${handNumber}`;
}
