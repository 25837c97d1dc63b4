/** My bot: the hands of one player with its own cards, for whoever has the player's key. */
// @ts-check

/** @import { MyPlace } from "./router.js" */
/** @import { OwnHand, OwnOrder, OwnPage, Shared } from "./types.js" */

import { api, Problem } from "./api.js";
import { CardRow } from "./cards.js";
import { keep, kept } from "./chrome.js";
import { button, h, hint, linkTo, mark, say, scrollingTable, useStyles } from "./dom.js";
import { handFacts, netWords, ownHandView } from "./me_hand.js";
import { rateWords } from "./results.js";
import { handsWords } from "./room_facts.js";
import { myLink, myPlace, roomLink } from "./router.js";
import { change } from "./words.js";

const NEEDED =
  "These hands are for the bot’s author. Use the link that casino join prints, or enter the seatToken of the bot’s signup.";

/** @type {[OwnOrder, string][]} */
const ORDERS = [
  ["newest", "Newest"],
  ["losses", "Biggest losses"],
  ["faults", "Faults"],
];
const NOTHING = {
  newest: "No hand of this bot is over yet.",
  losses: "It has lost no hand yet.",
  faults: "Every decision was its own.",
};

export class MeView {
  #place;
  #operator;
  #title = h("h1", { tabindex: "-1" });
  #results = hint();
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
    useStyles(new URL("me.css", import.meta.url));
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
      h("p", {}, linkTo(roomLink(place.room), `Room ${place.room}`)),
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
    const page = await this.#load((key) => api.ownHands(this.#place, key, this.#list.order, after));
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
    const detail = await this.#load((key) => api.ownHand(this.#place, key, hand));
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

/** The hands of a bot as a table: newest, greatest losses, or those with faults. */
class OwnList {
  #room;
  #player;
  #body = h("tbody");
  #hint = h("p", { class: "hint", role: "status" });
  #more;
  /** @type {Map<OwnOrder, HTMLElement>} */
  #tabs;
  /** @type {OwnOrder} */
  order = "newest";

  /**
   * @param {string} room
   * @param {string} player
   * @param {(isMore: boolean) => void} onWanted Called when other hands, or more, are wanted.
   */
  constructor(room, player, onWanted) {
    this.#room = room;
    this.#player = player;
    this.#tabs = new Map(
      ORDERS.map(([order, name]) => {
        const choose = () => {
          this.order = order;
          onWanted(false);
        };
        return [order, button(name, choose, { class: "quiet" })];
      }),
    );
    this.#more = button("More hands", () => onWanted(true), { class: "quiet", hidden: true });
    this.element = h(
      "section",
      { class: "panel my-hands", "aria-label": "Hands of the bot" },
      h("div", { class: "row", role: "group", "aria-label": "Which hands" }, [
        ...this.#tabs.values(),
      ]),
      scrollingTable(
        "Hands",
        ["Hand", "Position", "Cards", "Net", "Decisions", "Result"],
        this.#body,
      ),
      this.#hint,
      this.#more,
    );
  }

  /**
   * Show a page of hands.
   * @param {OwnPage} page
   * @param {boolean} isMore Whether it follows the hands that are shown.
   */
  show({ hands, next, cardsMissing }, isMore) {
    for (const [order, tab] of this.#tabs) mark(tab, "aria-pressed", String(order === this.order));
    const rows = hands.map((hand) => this.#row(hand));
    if (isMore) this.#body.append(...rows);
    else this.#body.replaceChildren(...rows);
    this.#more.hidden = !next;
    const nothing = this.#body.children.length === 0 ? NOTHING[this.order] : "";
    say(this.#hint, cardsMissing ? `Some cards are missing: ${cardsMissing}` : nothing);
  }

  /** @param {OwnHand} hand */
  #row(hand) {
    const { handNumber, epoch, position, net = 0, holeCards = [], message } = hand;
    const link = myLink(this.#room, this.#player, { epoch, number: handNumber });
    const cards = new CardRow(h("span", { class: "cards" }));
    cards.show(holeCards);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, linkTo(link, `#${handNumber}`)),
      h("td", {}, position ?? ""),
      h("td", {}, cards.element),
      h("td", { "data-sign": net > 0 ? "up" : net < 0 ? "down" : null }, netWords(hand)),
      h("td", { "data-failed": hand.faults > 0 }, handFacts(hand)),
      h(
        "td",
        { class: "result", title: message },
        message.split(": ").slice(1).join(": ") || message,
      ),
    );
  }
}

/** @param {Pick<MyPlace, "room" | "player">} place */
function nameOf({ room, player }) {
  return `my-bot ${encodeURIComponent(room)}/${encodeURIComponent(player)}`;
}

/**
 * Keep the key that a link brings, and replace the address by one without it, also in the tab's
 * history.
 * @param {MyPlace} place
 */
function takeKey(place) {
  if (place.key === null) return;
  keepKey(place, place.key);
  history.replaceState(null, "", myLink(place.room, place.player, place.hand));
}

/**
 * Return the key of a bot, null if the tab has none.
 * @param {Pick<MyPlace, "room" | "player">} place
 */
export function keyOf(place) {
  return kept(sessionStorage, nameOf(place)) || null;
}

/**
 * Keep a bot's key in this tab, or forget it.
 * @param {Pick<MyPlace, "room" | "player">} place
 * @param {string | null} key
 */
function keepKey(place, key) {
  keep(sessionStorage, nameOf(place), key);
}
