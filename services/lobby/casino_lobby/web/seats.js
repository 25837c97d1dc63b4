/** A seat at the table, and where it stands: the player, chips, cards, latest action and clock. */
// @ts-check

/** @import { Place } from "./places.js" */
/** @import { Clock, Hand, Insight, Odds, Seat, SeatOffer } from "./types.js" */

import { nameWithPicture } from "./avatar.js";
import { CardRow } from "./cards.js";
import { h, mark, say, style, svg } from "./dom.js";
import { actionWords, brief, chips, faultWords, percent } from "./words.js";

const POSTS = new Map([
  ["small-blind", "SB"],
  ["big-blind", "BB"],
  ["straddle", "ST"],
  ["post", "P"],
]);
const SECOND_MS = 1000;
/** How long the chips of a pot move. */
const SLIDE_MS = 350;

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
  #model = h("bdi", { class: "model", hidden: true });
  #stack = h("span", { class: "stack" });
  #action = h("span", { class: "act" });
  #odds = h("span", { class: "odds", hidden: true });
  #badges = h("span", { class: "badges" });
  /** @type {HTMLElement | null} */
  #state = null;
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
   * @param {Place} lying The place on a wide screen.
   * @param {Place} standing The place on a narrow screen.
   */
  constructor(number, lying, standing) {
    const plate = h(
      "div",
      { class: "plate" },
      this.#clock.element,
      this.#name,
      this.#model,
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
    /** @type {(place: Place) => string} */
    const side = ({ y }) => (y > 0.4 ? "low" : y < -0.4 ? "high" : "middle");
    /** @type {(place: Place) => string} */
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
    const model = seat?.model ?? "";
    say(this.#model, model);
    mark(this.#model, "title", model);
    mark(this.#model, "hidden", model === "");
    if (!seat) return this.#showFree(hand);
    mark(this.element, "data-color", color);
    nameWithPicture(this.#name, seat.name);
    sayChips(this.#stack, seat.stack);
    this.#showAction(seat, hand);
    this.#showCards(seat, hand, insight, odds);
    this.#showBadges(seat, hand);
    const isPaid = hand?.phase === "over" && seat.bet > 0 && this.#bet.hidden;
    sayChips(this.#bet, seat.bet);
    mark(this.#bet, "hidden", seat.bet === 0);
    if (isPaid) this.#slide();
    this.#clock.show(hand?.actor === seat.id ? clock : null);
    return undefined;
  }

  /** Move the chips from the middle of the table to the seat. */
  #slide() {
    const from = this.element.parentElement?.getBoundingClientRect();
    const to = this.#bet.getBoundingClientRect();
    if (!from) return;
    const [x, y] = [from.x - to.x + from.width / 2, from.y - to.y + from.height / 2];
    const transform = `translate(${x}px, ${y}px)`;
    this.#bet.animate([{ transform }, {}], { duration: SLIDE_MS, easing: "ease-out" });
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

  /** @param {Hand | null} hand */
  #showFree(hand) {
    for (const part of [this.#name, this.#stack, this.#action, this.#bet]) say(part, "");
    say(this.#name, this.#sit ? "" : "free");
    this.#cards.show([]);
    this.#showBadges(null, hand);
    for (const part of [this.#bet, this.#odds]) mark(part, "hidden", true);
    this.#clock.show(null);
  }

  /**
   * @param {Seat} seat
   * @param {Hand | null} hand
   */
  #showAction(seat, hand) {
    const { text, kind, why } = actionOf(seat, hand, brief);
    say(this.#action, text);
    mark(this.#action, "data-kind", kind || null);
    mark(this.#action, "title", why || actionOf(seat, hand, chips).text || null);
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
      const isLost = isIn && hand.phase === "over" && !hand.game && seat.won === 0;
      this.#cards.show(cards, isLost ? [] : seat.best);
    } else this.#cards.show(isIn && hand.phase === "betting" && !hand.game ? [null, null] : []);
    const odds = isIn && hand.phase === "betting" ? oddsOf?.get(seat.id) : undefined;
    mark(this.#odds, "hidden", odds === undefined);
    if (odds === undefined) return;
    style(this.#odds, { "--win": odds.win });
    say(this.#odds, `${odds.isAbout ? "≈ " : ""}${percent(odds.win)}`);
    const tie = odds.tie > 0.005 ? `, ties ${percent(odds.tie)}` : "";
    mark(this.#odds, "title", `wins ${percent(odds.win)}${tie}${odds.isAbout ? ", about" : ""}`);
  }

  /**
   * @param {Seat | null} seat Null is a free place, which may have a dead button.
   * @param {Hand | null} hand
   */
  #showBadges(seat, hand) {
    /** @type {[text: string, title: string][]} */
    const badges = [];
    // Other games name a first player, who is no dealer.
    if (hand && !hand.game && hand.buttonSeat === this.number) badges.push(["D", "dealer"]);
    const post = POSTS.get(seat?.post ?? "");
    if (seat?.post && post) badges.push([post, seat.post.replace("-", " ")]);
    const state = seat && stateBadge(seat, hand);
    const key = [...badges, state].join();
    if (key === this.#badgeKey) return;
    this.#badgeKey = key;
    this.#badges.replaceChildren(...badges.map(badgeElement));
    this.#state?.remove();
    this.#state = state && badgeElement(state);
    if (this.#state) this.#stack.after(this.#state);
  }
}

/** @param {[text: string, title: string]} badge */
function badgeElement([text, title]) {
  return h("abbr", { class: `badge ${text.toLowerCase()}`, title }, text);
}

/**
 * Write an amount as there is room for, and in full where the pointer rests.
 * @param {HTMLElement} element
 * @param {number} amount
 * @param {string} [before] What stands before it.
 */
export function sayChips(element, amount, before = "") {
  say(element, before + brief(amount));
  mark(element, "title", chips(amount) === brief(amount) ? null : chips(amount));
}

/**
 * Return what a seat did last, or how its hand ended; its kind, for the colour; why it failed.
 * @param {Seat} seat
 * @param {Hand | null} hand
 * @param {(amount: number) => string} write Writes amounts of chips.
 * @returns {{ text: string, kind?: string, why?: string }}
 */
function actionOf(seat, hand, write) {
  const isOver = hand?.phase === "over";
  if (isOver && seat.won > 0)
    return { text: `+${write(seat.won)}${seat.rank ? ` · ${seat.rank}` : ""}`, kind: "won" };
  if (seat.rank) return { text: seat.rank };
  if (isOver && seat.score) return { text: `${seat.score > 0 ? "+" : ""}${write(seat.score)}` };
  if (seat.finish !== null) return { text: seat.finish > 0 ? `out, place ${seat.finish}` : "out" };
  if (!seat.last) return { text: seat.isOut ? "sits out" : "" };
  const { action, outcome, why } = seat.last;
  const fault = faultWords(outcome, why);
  const words = actionWords(seat.last, write);
  return fault
    ? { text: `${words} · ${why || fault}`, kind: "fault", why: fault }
    : { text: words, kind: action };
}

/**
 * Return the seconds that are left, as a person counts them: 1 is the last.
 * @param {Pick<Clock, "lengthMs" | "elapsedMs">} clock
 */
export function secondsLeft({ lengthMs, elapsedMs }) {
  return Math.max(0, Math.ceil((lengthMs - elapsedMs) / SECOND_MS));
}

/** The clock at a seat: a ring that runs down; with reduced motion the seconds as a number. */
class ClockFace {
  #ring = svg("rect", { pathLength: "100", rx: "12", width: "100%", height: "100%" });
  element = svg("svg", { class: "clock", "aria-hidden": "true" }, this.#ring);
  /** Seconds; the ring says the same to whoever wants motion. */
  seconds = h("span", { class: "seconds", hidden: true, title: "seconds left" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #key = "";

  /**
   * Let the clock run; null stops it.
   * @param {Clock | null} clock
   */
  show(clock) {
    const key = clock ? `${clock.key} ${clock.isRunning}` : "";
    if (key === this.#key) return;
    this.#key = key;
    clearTimeout(this.#timer);
    for (const animation of this.#ring.getAnimations()) animation.cancel();
    const isReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const isRunning = clock?.isRunning === true;
    mark(this.seconds, "hidden", !isRunning || !isReduced);
    if (!clock || !isRunning) return;
    if (isReduced) this.#count(performance.now() - clock.elapsedMs, clock.lengthMs);
    else
      this.#ring.animate([{ strokeDashoffset: 0 }, { strokeDashoffset: 100 }], {
        duration: clock.lengthMs,
        delay: -clock.elapsedMs,
        fill: "forwards",
      });
  }

  /**
   * Show the seconds, and the next ones when they change.
   * @param {number} since
   * @param {number} lengthMs
   */
  #count(since, lengthMs) {
    const elapsedMs = performance.now() - since;
    const left = secondsLeft({ lengthMs, elapsedMs });
    say(this.seconds, `${left} s`);
    if (left === 0 || (elapsedMs > SECOND_MS && !this.seconds.isConnected)) return;
    const next = lengthMs - elapsedMs - (left - 1) * SECOND_MS;
    this.#timer = setTimeout(() => this.#count(since, lengthMs), Math.max(20, next));
  }
}
