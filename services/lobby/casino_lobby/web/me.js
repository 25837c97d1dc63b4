/** My bot: the hands of one player with its own cards, for whoever has the player's key. */
// @ts-check

/** @import { MyPlace } from "./me_address.js" */
/** @import { OwnPage } from "./me_api.js" */
/** @import { Shared } from "./types.js" */

import { Problem } from "./api.js";
import { h, say } from "./dom.js";
import { myPlace } from "./me_address.js";
import { ownHand, ownHands } from "./me_api.js";
import { ownHandView } from "./me_hand.js";
import { keepKey, keyOf, takeKey } from "./me_key.js";
import { OwnList } from "./me_list.js";
import { change } from "./money.js";
import { rateWords } from "./results.js";
import { handsWords } from "./room_facts.js";
import { roomLink } from "./router.js";

const NEEDED =
  "These hands are for the bot’s author. Use the link that casino join prints, or enter the seatToken of the bot’s signup.";

export class MeView {
  #place;
  #operator;
  #title = h("h1", { tabindex: "-1" });
  #results = h("p", { class: "hint" });
  #fault = h("p", { class: "fault", role: "alert" });
  #input = h("input", { type: "password", id: "my-key", autocomplete: "off" });
  #form;
  #shown = h("div");
  #list;
  /** @type {string | undefined} */
  #next;
  /** Counts the requests, so that a late answer replaces no newer one. */
  #asked = 0;

  /**
   * @param {MyPlace} place
   * @param {Shared} shared
   */
  constructor(place, { operator }) {
    this.#place = place;
    this.#operator = operator;
    say(this.#title, place.player);
    this.#list = new OwnList(place.room, place.player, (isMore) => this.#loadList(isMore));
    this.#form = h(
      "form",
      { class: "panel my-key", hidden: true, onsubmit: (event) => this.#useKey(event) },
      h("p", {}, NEEDED),
      h("label", { for: "my-key" }, "Seat token or view key"),
      this.#input,
      h("button", { type: "submit", class: "main" }, "Show the hands"),
    );
    this.element = h(
      "article",
      { class: "me" },
      h("p", {}, h("a", { href: roomLink(place.room) }, `Room ${place.room}`)),
      this.#title,
      this.#results,
      this.#fault,
      this.#form,
      this.#shown,
    );
  }

  /** Show nothing more. */
  stop() {
    this.#asked += 1;
  }

  /** Show what the address names. */
  navigate() {
    const place = myPlace(location.hash);
    if (!place) return;
    takeKey(place);
    this.#place = { ...place, key: null };
    if (this.#place.hand) this.#loadHand(this.#place.hand);
    else this.#loadList(false);
  }

  /** @param {boolean} isMore */
  async #loadList(isMore) {
    const after = isMore ? (this.#next ?? null) : null;
    const page = await this.#load((key) => ownHands(this.#place, key, this.#list.order, after));
    if (!page) return;
    this.#next = page.next;
    this.#say(page);
    this.#list.show(page, isMore);
    if (this.#shown.firstChild !== this.#list.element)
      this.#shown.replaceChildren(this.#list.element);
  }

  /** @param {{ epoch: number, number: number }} hand */
  async #loadHand(hand) {
    const { room, player } = this.#place;
    const detail = await this.#load((key) => ownHand(this.#place, key, hand));
    if (!detail) return;
    this.#shown.replaceChildren(ownHandView(room, player, detail));
    this.#shown.querySelector("h2")?.focus();
  }

  /** @param {OwnPage} page */
  #say({ standing }) {
    if (!standing) return;
    say(this.#title, standing.displayName);
    const words = `${change(standing.net)} after ${handsWords(standing.hands)}`;
    say(this.#results, `${words}; per 100 hands ${rateWords(standing)}`);
  }

  /**
   * Return what the lobby sends; null where it refused, which is shown, or where another request
   * was made meanwhile.
   * @template Reply
   * @param {(key: string) => Promise<Reply>} ask
   * @returns {Promise<Reply | null>}
   */
  async #load(ask) {
    this.#asked += 1;
    const asked = this.#asked;
    const key = keyOf(this.#place) ?? this.#operator.token;
    if (key === null) return this.#refuse("");
    try {
      const reply = await ask(key);
      if (asked !== this.#asked) return null;
      say(this.#fault, "");
      this.#form.hidden = true;
      return reply;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (asked !== this.#asked) return null;
      if (error.status !== 401) {
        say(this.#fault, error.message);
        return null;
      }
      keepKey(this.#place, null);
      return this.#refuse("The lobby does not accept this key for this player.");
    }
  }

  /**
   * Ask for the key, and show nothing else.
   * @param {string} fault
   */
  #refuse(fault) {
    say(this.#fault, fault);
    this.#form.hidden = false;
    this.#shown.replaceChildren();
    return null;
  }

  /** @param {Event} event */
  #useKey(event) {
    event.preventDefault();
    const key = this.#input.value.trim();
    this.#input.value = "";
    if (!key) return;
    keepKey(this.#place, key);
    this.navigate();
  }
}
