/** The list of a key's scorecards. */
// @ts-check

/** @import { Listing } from "./types.js" */

import { api, apiKey } from "./api.js";
import { h } from "./dom.js";
import { cardLink } from "./router.js";
import { timeText } from "./words.js";

/** Return the view; throws Refusal. */
export async function listView() {
  const { scorecards } = await api.cards();
  const body =
    scorecards.length === 0
      ? h("p", { class: "panel" }, "This key has no scorecard yet.")
      : h(
          "div",
          { class: "scroll", tabindex: 0, role: "group", "aria-label": "Scorecards" },
          h(
            "table",
            {},
            h("caption", { class: "unseen" }, "Scorecards, newest first"),
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["Scorecard", "Tags", "Opened", "Last used", "State"].map((name) =>
                  h("th", { scope: "col" }, name),
                ),
              ),
            ),
            h("tbody", {}, scorecards.map(row)),
          ),
        );
  return h("section", {}, h("h1", {}, "Scorecards"), body, keyBox());
}

/**
 * Return the row of a scorecard.
 * @param {Listing} card
 */
function row(card) {
  const state = card.closed_at === null ? "open" : "closed";
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, h("a", { href: cardLink(card.card_id) }, card.card_id)),
    h("td", {}, card.tags.join(", ")),
    h("td", {}, timeText(card.open_at)),
    h("td", {}, timeText(card.last_update)),
    h("td", {}, card.competition_mode ? `${state}, competition` : state),
  );
}

/** Return the key, hidden until somebody wants to copy it: an anonymous one is nowhere else. */
function keyBox() {
  return h(
    "details",
    { class: "panel" },
    h("summary", {}, "This tab’s API key"),
    h("code", {}, apiKey.get() ?? ""),
  );
}
