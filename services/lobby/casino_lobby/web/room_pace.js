/** The pace that a room is shown at: Calm, Instant, or Highlights, which is kept for next time. */
// @ts-check

/** @import { Announcer } from "./chrome.js" */
/** @import { LiveRoom } from "./live.js" */

import { api } from "./api.js";
import { keep, kept } from "./chrome.js";
import { CANDIDATES, Reel } from "./reel.js";

/** @typedef {"calm" | "live" | "highlights"} PaceName "live" is Instant. */

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
  #reel;
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
    this.#reel = new Reel({
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
    return this.#isReplay() ? null : this.#reel.state;
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
    this.#reel.note(this.#live.history.hands.at(-1));
  }

  stop() {
    this.#reel.stop();
  }

  #apply() {
    const pace = chosenPace();
    const isCalm = !this.#isSeated && pace === "calm";
    if (this.#live.pace.isCalm !== isCalm) this.#live.pace.isCalm = isCalm;
    this.#reel.isOn = !this.#isSeated && pace === "highlights";
  }
}
