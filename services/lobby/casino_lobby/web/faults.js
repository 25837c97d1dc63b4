/** Why decisions of the players failed: counts for everybody, reasons for the operator. */
// @ts-check

/** @import { DefaultCount, PlayerFault, PlayerFaults, Seats } from "./types.js" */

import { api, Problem } from "./api.js";
import { h, hint, say } from "./dom.js";
import { whyOf } from "./reading.js";
import { faultWords } from "./words.js";

const SHOWN = 5;
const PAUSE_MS = 2_000;

/**
 * Return an outcome as words.
 * @param {string} outcome
 * @param {string} [why] Why something answered in the player's place.
 */
function words(outcome, why) {
  return outcome === "retried" ? "second try" : (faultWords(outcome, why) ?? outcome);
}

/**
 * Return how many decisions ended in which way; null if there is nothing but proper answers.
 * @param {Record<string, number>} outcomes
 * @param {DefaultCount[]} [defaulted] Why decisions were not the player's own.
 */
export function countsLine(outcomes, defaulted = []) {
  const faults = Object.entries(outcomes).filter(([outcome]) => outcome !== "ok");
  if (faults.length === 0) return null;
  // Reasons that are outcomes themselves are counted there.
  const reasons = defaulted
    .filter(({ reason }) => reason !== "away" && !Object.hasOwn(outcomes, reason))
    .map(({ reason, count }) => `${whyOf(reason)} ${count}`)
    .join(", ");
  const why = reasons ? ` (${reasons})` : "";
  return faults
    .map(([outcome, count]) => `${words(outcome)} ${count}${outcome === "defaulted" ? why : ""}`)
    .join(", ");
}

/**
 * Return where and how a decision failed; the reason stands apart, because it quotes the player.
 * @param {PlayerFault} fault
 */
export function faultLine({ handNumber, bettingRound, outcome, defaulted, turns, latencyMs }) {
  const isAsked = typeof latencyMs === "number";
  return [
    handNumber === undefined ? null : `hand ${handNumber}`,
    bettingRound,
    words(outcome, whyOf(defaulted)) + (turns > 1 ? `, ${turns} turns` : ""),
    isAsked ? `${latencyMs} ms` : null,
  ]
    .filter(Boolean)
    .join(" · ");
}

export class FaultsView {
  #room;
  #list = h("ul", { class: "faults" });
  #hint = hint();
  /** @type {Seats} */
  #seats = new Map();
  #key = "";
  #loadedKey = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {string} room */
  constructor(room) {
    this.#room = room;
    this.element = h(
      "details",
      { class: "panel faults-box", ontoggle: () => this.#refresh() },
      h("summary", {}, "Failed decisions"),
      this.#hint,
      this.#list,
    );
  }

  /**
   * Show the faults of seated players, while the list is open.
   * @param {Seats} seats
   * @param {number} handCount The reasons of a hand are there when it is over.
   * @param {string | null} token The operator's key.
   */
  show(seats, handCount, token) {
    this.#seats = seats;
    this.#key = JSON.stringify([[...seats.keys()], handCount, token]);
    this.#refresh();
  }

  /** Load what changed, at most once in a while, because a hand may take milliseconds. */
  async #refresh() {
    if (!this.element.open || this.#timer !== undefined || this.#key === this.#loadedKey) return;
    this.#loadedKey = this.#key;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#refresh();
    }, PAUSE_MS);
    try {
      const players = [...this.#seats.values()];
      const replies = await Promise.all(players.map(({ id }) => api.faults(this.#room, id)));
      const items = replies.flatMap((reply, index) =>
        this.#item(players[index]?.name ?? "", reply),
      );
      this.#list.replaceChildren(...items);
      const areCounts = replies.some(({ faults }) => faults === undefined);
      say(this.#hint, hintOf(items.length, areCounts));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(this.#hint, error.message);
    }
  }

  /**
   * Return the item of a player, none without a fault.
   * @param {string} name
   * @param {PlayerFaults} reply
   */
  #item(name, { outcomes, faults = [] }) {
    const counts = countsLine(outcomes);
    if (counts === null) return [];
    const lines = faults
      .slice(0, SHOWN)
      .map((fault) =>
        h(
          "li",
          {},
          h("span", { class: "line" }, faultLine(fault)),
          fault.reason ? h("q", { class: "said" }, fault.reason) : null,
        ),
      );
    return [h("li", {}, h("b", {}, name), ` ${counts}`, h("ol", {}, lines))];
  }
}

/**
 * Return what stands above the list.
 * @param {number} players The number of players with faults.
 * @param {boolean} areCounts Whether the lobby gave no reasons.
 */
function hintOf(players, areCounts) {
  if (players === 0) return "Every decision was the player’s own.";
  return areCounts ? "The reasons need the operator’s key." : "";
}
