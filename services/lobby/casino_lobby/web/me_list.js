/** The hands of a bot as a table: newest, greatest losses, or those with faults. */
// @ts-check

/** @import { Order, OwnHand, OwnPage } from "./me_api.js" */

import { CardRow } from "./cards.js";
import { h, mark, say } from "./dom.js";
import { myLink } from "./me_address.js";
import { handFacts, netWords } from "./me_words.js";

/** @type {[Order, string][]} */
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

export class OwnList {
  #room;
  #player;
  #body = h("tbody");
  #hint = h("p", { class: "hint", role: "status" });
  #more;
  /** @type {Map<Order, HTMLElement>} */
  #tabs;
  /** @type {Order} */
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
        return [order, h("button", { type: "button", class: "quiet", onclick: choose }, name)];
      }),
    );
    this.#more = h(
      "button",
      { type: "button", class: "quiet", hidden: true, onclick: () => onWanted(true) },
      "More hands",
    );
    const columns = ["Hand", "Position", "Cards", "Net", "Decisions", "Result"];
    this.element = h(
      "section",
      { class: "panel my-hands", "aria-label": "Hands of the bot" },
      h("div", { class: "row", role: "group", "aria-label": "Which hands" }, [
        ...this.#tabs.values(),
      ]),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Hands" },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              columns.map((name) => h("th", { scope: "col" }, name)),
            ),
          ),
          this.#body,
        ),
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
      h("th", { scope: "row" }, h("a", { href: link }, `#${handNumber}`)),
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
