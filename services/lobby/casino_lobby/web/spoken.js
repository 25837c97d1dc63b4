/** What screen readers announce of a room: everything, or how hands end and nothing else. */
// @ts-check

/** @import { Announcer } from "./chrome.js" */

import { keep, kept } from "./chrome.js";
import { h } from "./dom.js";

export class Spoken {
  #announcer;
  #box = h("input", { type: "checkbox" });
  /** The choice; whoever uses no screen reader sees it when it has the keyboard's focus. */
  element;

  /** @param {Announcer} announcer */
  constructor(announcer) {
    this.#announcer = announcer;
    this.#box.checked = kept(localStorage, "announce") === "results";
    this.#box.addEventListener("change", () =>
      keep(localStorage, "announce", this.#box.checked ? "results" : null),
    );
    this.element = h("label", { class: "spoken" }, this.#box, "Announce results only");
  }

  /**
   * Announce a sentence.
   * @param {string} sentence
   * @param {boolean} isResult Whether it says how a hand ended.
   */
  say(sentence, isResult) {
    if (isResult || !this.#box.checked) this.#announcer.announce(sentence);
  }
}
