/** A seat at the table: the player, chips, cards, latest action and clock. */
// @ts-check

/** @import { Action, Clock, Hand, Insight, Odds, Seat, SeatOffer } from "./types.js" */

import { CardRow } from "./cards.js";
import { ClockFace } from "./clock_face.js";
import { h, mark, say, style } from "./dom.js";
import { change, chips, percent } from "./money.js";

const WORDS = new Map([
  ["fold", "folds"],
  ["check", "checks"],
  ["call", "calls"],
  ["bet", "bets"],
  ["raise", "raises to"],
  ["all-in", "all-in"],
]);
const POSTS = new Map([
  ["small-blind", "SB"],
  ["big-blind", "BB"],
]);
const FAULTS = new Map([
  ["timeout", "too late"],
  ["illegal", "illegal answer"],
  ["malformed", "unreadable answer"],
  ["unreachable", "unreachable"],
  ["disconnected", "no answer"],
  ["sitting_out", "sits out"],
  ["away", "nobody there"],
]);

/**
 * Return an action as words, such as "raises to 40"; games other than Hold'em have their own.
 * @param {Pick<Action, "action" | "amount" | "words">} action
 */
export function actionWords({ action, amount, words }) {
  if (words !== undefined) return words;
  const verb = WORDS.get(action) ?? action;
  return amount === null ? verb : `${verb} ${chips(amount)}`;
}

/**
 * Return how a decision failed, as words; null if it did not fail.
 * @param {string} outcome
 */
export function faultWords(outcome) {
  return FAULTS.get(outcome) ?? null;
}

/**
 * Return whether a seat has bet all its chips in the running hand.
 * @param {Seat} seat
 * @param {Hand | null} hand
 */
function isAllIn(seat, hand) {
  const isIn = seat.isDealt && !seat.isFolded && hand?.phase === "betting" && !hand.game;
  return isIn && seat.stack === 0 && seat.committed > 0;
}

/**
 * Return the badge of a seat's state with its explanation; null for a seat that just plays.
 * @param {Seat} seat
 * @param {Hand | null} hand
 * @returns {[text: string, title: string] | null}
 */
export function stateBadge(seat, hand) {
  if (isAllIn(seat, hand)) return ["ALL-IN", "all chips are bet"];
  if (seat.finish !== null)
    return ["OUT", seat.finish > 0 ? `out of chips, place ${seat.finish}` : "out of chips"];
  return seat.isOut ? ["AWAY", "sits out: the table plays for it until it is back"] : null;
}

/**
 * @typedef {object} SeatContext What a seat shows besides itself.
 * @property {Hand | null} hand
 * @property {Clock | null} clock The clock of the actor.
 * @property {Insight | null} insight
 * @property {Map<string, Odds> | null} odds Chances to win now, by player id.
 * @property {number | null} color The player's place in the palette.
 * @property {SeatOffer | null} sit Takes the seat if it is free; null: nobody can.
 */

export class SeatView {
  #cards = new CardRow(h("div", { class: "hole" }));
  #name = h("span", { class: "name" });
  #stack = h("span", { class: "stack" });
  #action = h("span", { class: "act" });
  #odds = h("span", { class: "odds", hidden: true });
  #badges = h("span", { class: "badges" });
  #bet = h("span", { class: "bet", hidden: true });
  #guest = h("span", { class: "guest", hidden: true, title: "a person, no agent" });
  /** @type {SeatOffer | null} */
  #sit = null;
  #take = h("button", {
    type: "button",
    class: "sit",
    hidden: true,
    onclick: () => this.#sit?.take(this.number),
  });
  #clock = new ClockFace();
  /** @type {unknown[] | null} */
  #shown = null;
  #badgeKey = "";

  /**
   * @param {number} number
   * @param {import("./oval.js").Place} lying The place on a wide screen.
   * @param {import("./oval.js").Place} standing The place on a narrow screen.
   */
  constructor(number, lying, standing) {
    const plate = h(
      "div",
      { class: "plate" },
      this.#clock.element,
      this.#name,
      this.#stack,
      this.#action,
      this.#odds,
      this.#guest,
      this.#take,
      this.#badges,
      this.#clock.seconds,
    );
    this.element = h("li", { class: "seat empty" }, this.#cards.element, plate, this.#bet);
    style(this.element, { "--x": lying.x, "--y": lying.y, "--nx": standing.x, "--ny": standing.y });
    /** @type {(place: import("./oval.js").Place) => string} */
    const side = ({ y }) => (y > 0.4 ? "low" : y < -0.4 ? "high" : "middle");
    /** @type {(place: import("./oval.js").Place) => string} */
    const edge = ({ x }) => (x > 0.5 ? "right" : x < -0.5 ? "left" : "centre");
    mark(this.element, "data-side", side(lying));
    mark(this.element, "data-edge", edge(lying));
    mark(this.element, "data-nside", side(standing));
    mark(this.element, "data-nedge", edge(standing));
    this.number = number;
  }

  /**
   * Show a seat of the state; null is a free place.
   * @param {Seat | null} seat
   * @param {SeatContext} context
   */
  show(seat, { hand, clock, insight, odds, color, sit }) {
    const key = [seat, hand, clock, insight, odds, color, sit];
    if (this.#shown && key.every((part, index) => part === this.#shown?.[index])) return;
    this.#shown = key;
    this.element.className = `seat ${this.#classes(seat, hand)}`;
    mark(this.element, "aria-current", seat && hand?.actor === seat.id ? "true" : null);
    this.#sit = sit;
    mark(this.#take, "hidden", seat !== null || sit === null);
    say(this.#take, sit?.text ?? "");
    say(this.#guest, seat?.isGuest ? "guest" : "");
    mark(this.#guest, "hidden", !seat?.isGuest);
    if (!seat) return this.#showFree();
    mark(this.element, "data-color", color);
    say(this.#name, seat.name);
    mark(this.#name, "title", seat.name);
    say(this.#stack, chips(seat.stack));
    this.#showAction(seat, hand);
    this.#showCards(seat, hand, insight, odds);
    this.#showBadges(seat, hand);
    say(this.#bet, seat.bet > 0 ? chips(seat.bet) : "");
    mark(this.#bet, "hidden", seat.bet === 0);
    this.#clock.show(hand?.actor === seat.id ? clock : null);
    return undefined;
  }

  /**
   * @param {Seat | null} seat
   * @param {Hand | null} hand
   */
  #classes(seat, hand) {
    if (!seat) return "empty";
    const classes = [
      seat.isFolded && "folded",
      seat.isOut && "out",
      seat.finish !== null && "busted",
      hand?.actor === seat.id && "acting",
      hand?.phase === "over" && seat.won > 0 && "winner",
      isAllIn(seat, hand) && "allin",
    ];
    return classes.filter(Boolean).join(" ");
  }

  #showFree() {
    for (const part of [this.#name, this.#stack, this.#action, this.#bet]) say(part, "");
    say(this.#name, this.#sit ? "" : "free");
    this.#cards.show([]);
    this.#badges.replaceChildren();
    this.#badgeKey = "";
    for (const part of [this.#bet, this.#odds]) mark(part, "hidden", true);
    this.#clock.show(null);
  }

  /**
   * @param {Seat} seat
   * @param {Hand | null} hand
   */
  #showAction(seat, hand) {
    let [text, kind] = ["", ""];
    if (hand?.phase === "over" && seat.won > 0)
      [text, kind] = [`+${chips(seat.won)}${seat.rank ? ` · ${seat.rank}` : ""}`, "won"];
    else if (hand?.phase === "over" && seat.rank) text = seat.rank;
    else if (hand?.phase === "over" && seat.score) text = change(seat.score);
    else if (seat.finish !== null) text = seat.finish > 0 ? `out, place ${seat.finish}` : "out";
    else if (seat.last) {
      const { action, outcome } = seat.last;
      const fault = faultWords(outcome);
      text = actionWords(seat.last) + (fault ? ` · ${fault}` : "");
      kind = fault ? "fault" : action;
    } else if (seat.isOut) text = "sits out";
    say(this.#action, text);
    mark(this.#action, "data-kind", kind || null);
  }

  /**
   * @param {Seat} seat
   * @param {Hand | null} hand
   * @param {Insight | null} insight
   * @param {Map<string, Odds> | null} oddsOf
   */
  #showCards(seat, hand, insight, oddsOf) {
    const cards = seat.cards ?? insight?.cards.get(seat.id) ?? null;
    const isIn = seat.isDealt && hand && hand.phase !== "cancelled" && !seat.isFolded;
    if (cards && (isIn || insight || seat.cards)) {
      const best = hand?.phase === "over" && !hand.game ? (seat.won > 0 ? seat.best : []) : null;
      this.#cards.show(cards, seat.cards ? best : null);
    } else this.#cards.show(isIn && hand.phase === "betting" && !hand.game ? [null, null] : []);
    const odds = isIn && hand.phase === "betting" ? oddsOf?.get(seat.id) : undefined;
    mark(this.#odds, "hidden", odds === undefined);
    if (odds === undefined) return;
    say(this.#odds, `${odds.isAbout ? "≈ " : ""}${percent(odds.win)}`);
    const tie = odds.tie > 0.005 ? `, ties ${percent(odds.tie)}` : "";
    mark(this.#odds, "title", `wins ${percent(odds.win)}${tie}${odds.isAbout ? ", about" : ""}`);
  }

  /**
   * @param {Seat} seat
   * @param {Hand | null} hand
   */
  #showBadges(seat, hand) {
    /** @type {[text: string, title: string][]} */
    const badges = [];
    // Other games name a first player, who is no dealer.
    if (hand && !hand.game && hand.buttonSeat === seat.number) badges.push(["D", "dealer"]);
    const post = POSTS.get(seat.post ?? "");
    if (seat.post && post) badges.push([post, seat.post.replace("-", " ")]);
    const state = stateBadge(seat, hand);
    if (state) badges.push(state);
    const key = badges.join();
    if (key === this.#badgeKey) return;
    this.#badgeKey = key;
    this.#badges.replaceChildren(
      ...badges.map(([text, title]) =>
        h("abbr", { class: `badge ${text.toLowerCase()}`, title }, text),
      ),
    );
  }
}
