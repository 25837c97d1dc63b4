/** What stands beside a replay's controls: other hands, open cards, the link, the keys. */
// @ts-check

import { h, mark, say } from "./dom.js";
import { openHelp } from "./help.js";
import { go, sharedAddress } from "./navigation.js";
import { handLink, roomLink } from "./router.js";

/**
 * Return the hands beside a hand, null where there is none.
 * @param {number} hand
 * @param {{ first: number, last: number } | null} stored The hands that can be shown, if known.
 */
export function neighbours(hand, stored) {
  const before = hand > Math.max(1, stored?.first ?? 1) ? hand - 1 : null;
  const after = stored && hand < stored.last ? hand + 1 : null;
  return { before, after };
}

export class ReplayLinks {
  #room;
  #hand;
  #before = h("a", { hidden: true });
  #back;
  #after = h("a", { hidden: true });
  #cards;
  #copied = h("span", { class: "hint", role: "status" });
  /** @type {{ first: number, last: number } | null} */
  #stored = null;

  /**
   * @param {string} room
   * @param {number} hand
   * @param {() => void} toggleCards
   */
  constructor(room, hand, toggleCards) {
    this.#room = room;
    this.#hand = hand;
    this.#back = h("a", { href: roomLink(room), class: "to-live" }, "Back to live");
    this.#cards = h("button", { type: "button", class: "quiet", onclick: toggleCards }, "Cards");
    this.parts = [
      this.#before,
      this.#back,
      this.#after,
      this.#cards,
      h("button", { type: "button", class: "quiet", onclick: () => this.#copy() }, "Copy link"),
      h(
        "button",
        { type: "button", class: "quiet", "aria-label": "Keys (?)", onclick: openHelp },
        "?",
      ),
      this.#copied,
    ];
  }

  /**
   * Show the links that lead somewhere.
   * @param {object} context
   * @param {{ first: number, last: number } | null} context.stored
   * @param {boolean} context.isOver Whether the room is closed.
   * @param {boolean} context.areCardsOpen
   */
  show({ stored, isOver, areCardsOpen }) {
    this.#stored = stored;
    const { before, after } = neighbours(this.#hand, stored);
    this.#link(this.#before, before, "‹ Hand ");
    this.#link(this.#after, after, "Hand ", " ›");
    say(this.#back, isOver ? "Back to the results" : "Back to live");
    say(this.#cards, areCardsOpen ? "Hide cards" : "Open cards");
    mark(this.#cards, "title", "Cards that are shown at the end (O)");
  }

  /**
   * Go to the hand before (-1) or after (+1), if there is one.
   * @param {number} step
   */
  go(step) {
    const { before, after } = neighbours(this.#hand, this.#stored);
    const hand = step < 0 ? before : after;
    if (hand !== null) go(handLink(this.#room, hand));
  }

  /**
   * @param {HTMLElement} link
   * @param {number | null} hand
   * @param {string} lead
   * @param {string} [tail]
   */
  #link(link, hand, lead, tail = "") {
    mark(link, "hidden", hand === null);
    if (hand === null) return;
    mark(link, "href", handLink(this.#room, hand));
    say(link, `${lead}${hand}${tail}`);
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(sharedAddress());
      say(this.#copied, "Copied");
    } catch {
      // Browsers offer the clipboard only at localhost and over HTTPS.
      say(this.#copied, "The link is in the address bar.");
    }
  }
}
