/** The lists of past hands: the newest, the biggest, and others; each hand links to its replay. */
// @ts-check

/** @import { LiveRoom } from "./live.js" */
/** @import { History } from "./past_hands.js" */
/** @import { HandCheck, PastHand } from "./types.js" */

import { Problem } from "./api.js";
import { button, choice, h, hint, linkTo, mark, putInOrder, say } from "./dom.js";
import { BestHands } from "./past_hands.js";
import { dealLine } from "./room_facts.js";
import { handLink } from "./router.js";
import { chips } from "./words.js";

const SHOWN = 50;
const NEWEST = "newest";
/** @type {[key: string, label: string, empty: string][]} */
const TABS = [
  [NEWEST, "Newest", "No hand is over yet."],
  ["biggest", "Biggest", "No hand with a pot is over yet."],
  ["beats", "Bad beats", "No straight or better has lost yet."],
  ["faults", "Faults", "No decision has failed yet."],
];
/** @type {Map<string, Record<string, string>>} */
const QUERIES = new Map([
  ["biggest", { sort: "pot" }],
  ["beats", { sort: "score", kind: "bad-beat" }],
  ["faults", { sort: "newest", kind: "fault" }],
]);
/** The kinds that a line names; the pot says the rest. */
const KINDS = new Map([
  ["bad-beat", "bad beat"],
  ["bluff", "bluff?"],
  ["fault", "fault"],
]);

/**
 * Return what stands below the list about hands that it does not have; "" if it has all.
 * @param {number} first The number of the oldest hand that is loaded.
 */
export function beforeLine(first) {
  return first > 1
    ? `Hands before ${chips(first)} are not listed; their address may still work.`
    : "";
}

/**
 * Return what makes a hand worth looking at, in words.
 * @param {PastHand} hand
 * @param {string} [except] A kind that all hands of the list have.
 */
export function kindsLine({ kinds }, except) {
  const others = kinds.filter((kind) => kind !== except);
  return others.flatMap((kind) => KINDS.get(kind) ?? []).join(", ");
}

/**
 * Return the sign that a hand's deal is checked, or that it fails.
 * @param {HandCheck} check
 */
export function checkMark({ fault }) {
  const words = fault === "" ? "deal checked" : "deal fails";
  const sign = fault === "" ? "✓" : "✗";
  const kind = `checked ${fault && "wrong"}`;
  return h("span", { class: kind, role: "img", "aria-label": words, title: fault || words }, sign);
}

export class HandsView {
  #list = h("ol", { class: "hands", reversed: true });
  #limit = SHOWN;
  #more = button("Show more hands", () => this.#showMore(), { class: "quiet", hidden: true });
  #before = hint();
  /** @type {History | null} Where older hands come from. */
  history = null;
  /** @type {{ hands: PastHand[], current: number | null }} */
  #shown = { hands: [], current: null };
  /** @type {LiveRoom | null} */
  #live = null;
  /** Says how the cards are dealt, and explains it. */
  deal = button("", () => this.#explain(), {
    class: "quiet deal",
    title: "How the cards are dealt",
  });
  /** Shows in the open explanation how many hands are checked by now. */
  #showChecks = () => {};
  #empty = hint();
  #box;
  #tab = NEWEST;
  /** @type {Map<string, BestHands>} */
  #best;
  /** @type {Map<string, HTMLElement>} */
  #lines = new Map();
  #room;

  /** @param {string} room */
  constructor(room) {
    this.#room = room;
    this.#best = new Map([...QUERIES].map(([key, query]) => [key, new BestHands(room, query)]));
    this.#box = h(
      "div",
      { class: "scroll hands-box", tabindex: "0", role: "region", "aria-label": "Past hands" },
      this.#empty,
      this.#list,
      this.#more,
      this.#before,
    );
    const tabs = choice(
      "hands",
      "Hands",
      TABS.map(([key, label]) => [key, label]),
      NEWEST,
      (key) => this.#choose(key),
      false,
    );
    this.element = h("div", { class: "hands-panel" }, tabs, this.#box);
  }

  /**
   * Show the chosen list.
   * @param {PastHand[]} hands All that are loaded, the oldest first.
   * @param {number | null} current The hand in replay.
   * @param {LiveRoom | null} live Whose deal is checked.
   */
  show(hands, current, live = this.#live) {
    this.#live = live;
    mark(this.deal, "hidden", !live?.config);
    if (live) say(this.deal, dealLine(live));
    mark(this.deal, "data-fails", Boolean(live?.checks?.failed));
    this.#showChecks();
    this.#shown = { hands, current };
    const best = this.#best.get(this.#tab);
    best?.refresh(hands.at(-1)?.number ?? 0).then((isNew) => isNew && this.#draw());
    this.#draw();
  }

  #draw() {
    const { hands: all, current } = this.#shown;
    const best = this.#best.get(this.#tab);
    const hands = best ? best.hands : all.slice(-this.#limit).reverse();
    const isCut = best ? best.hasMore : hands.length < all.length || this.history?.hasOlder;
    mark(this.#more, "hidden", !isCut);
    say(this.#before, isCut || best ? "" : beforeLine(hands.at(-1)?.number ?? 0));
    const isEmpty = hands.length === 0 && (!best || best.isLoaded);
    say(this.#empty, isEmpty ? best?.fault || this.#emptyLine() : "");
    mark(this.#empty, "hidden", !isEmpty);
    mark(this.#list, "reversed", best ? null : true);
    const lines = hands.map((hand) => this.#line(hand));
    putInOrder(this.#list, lines, this.#box);
    for (const [key, line] of this.#lines) {
      if (!line.isConnected) this.#lines.delete(key);
    }
    hands.forEach(({ number }, index) => {
      const link = lines[index]?.firstElementChild;
      if (link) mark(link, "aria-current", number === current ? "true" : null);
    });
  }

  async #explain() {
    const { explainDeal } = await import("./fair/explanation.js");
    if (this.#live) this.#showChecks = explainDeal(this.#room, this.#live, this.#shown.current);
  }

  #emptyLine() {
    return TABS.find(([key]) => key === this.#tab)?.[2] ?? "";
  }

  /** @param {string} tab */
  #choose(tab) {
    [this.#tab, this.#limit] = [tab, SHOWN];
    this.#box.scrollTop = 0;
    this.show(this.#shown.hands, this.#shown.current);
  }

  async #showMore() {
    const { history } = this;
    this.#limit += SHOWN;
    const best = this.#best.get(this.#tab);
    try {
      if (best) await best.more();
      else if (history?.hasOlder && history.hands.length < this.#limit) await history.loadOlder();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(this.#before, error.message);
    }
    this.show(best || !history ? this.#shown.hands : history.hands, this.#shown.current);
  }

  /**
   * Return the line of a hand.
   * @param {PastHand} hand
   */
  #line(hand) {
    const kinds = kindsLine(hand, QUERIES.get(this.#tab)?.kind);
    const check = this.#live?.checks?.of(hand.epoch, hand.number);
    const key = `${hand.epoch}.${hand.number} ${kinds} ${check?.fault}`;
    const cached = this.#lines.get(key);
    if (cached) return cached;
    const line = h(
      "li",
      {},
      linkTo(
        handLink(this.#room, hand.number),
        h("span", { class: "number" }, `#${chips(hand.number)} `, check ? checkMark(check) : null),
        h("span", { class: "told", title: hand.message }, check?.fault || hand.message),
        h("span", { class: "kinds" }, kinds),
        h("span", { class: "amount" }, hand.pot > 0 ? chips(hand.pot) : ""),
      ),
    );
    this.#lines.set(key, line);
    return line;
  }
}
