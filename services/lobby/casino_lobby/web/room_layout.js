/** The layout of a room's view: its parts, and the controls above the panels. */
// @ts-check

/** @import { PaceName } from "./room_pace.js" */
/** @import { Feed } from "./types.js" */

import { ChartView } from "./chart.js";
import { Commands } from "./commands.js";
import { h } from "./dom.js";
import { FaultsView } from "./faults.js";
import { HandsView } from "./hands.js";
import { LogView } from "./log.js";
import { go } from "./navigation.js";
import { NextStep } from "./next_step.js";
import { ResultsView } from "./results.js";
import { handLink, lobbyLink } from "./router.js";
import { TableView } from "./table.js";

/**
 * Return the parts of a room's view, put together in `element`.
 * @param {string} id The room's id.
 * @param {object} options
 * @param {PaceName} options.paceName
 * @param {(pace: string) => void} options.choosePace
 * @param {(feed: Feed) => void} options.chooseFeed
 * @param {() => void} options.catchUp Shows at once what waits to be shown.
 * @param {() => void} options.onResults Called when new results were loaded.
 */
export function roomLayout(id, { paceName, choosePace, chooseFeed, catchUp, onResults }) {
  const table = new TableView();
  const log = new LogView();
  const chart = new ChartView((hand) => {
    go(handLink(id, hand));
  });
  const hands = new HandsView(id);
  const faults = new FaultsView(id);
  const commands = new Commands(id);
  const next = new NextStep(id);
  const results = new ResultsView(id, onResults, chart);
  const lag = h("span", { class: "lag" });
  const jump = h("button", { type: "button", class: "quiet", onclick: catchUp }, "Jump to live");
  const behind = h("p", { class: "behind", hidden: true }, lag, jump);
  const nothing = h("div", { class: "nothing", hidden: true });
  const facts = h("p", { class: "facts" });
  const pill = h("span", { class: "pill" });
  const fault = h("p", { class: "fault", role: "alert" });
  const bar = h("div", { class: "bar" });
  const title = h("h2", { id: "log-title" }, "This hand");
  const pace = choice(
    "pace",
    "Pace",
    [
      ["calm", "Calm"],
      ["live", "Instant"],
      ["highlights", "Highlights"],
    ],
    paceName,
    choosePace,
  );
  const feed = choice(
    "feed",
    "Feed",
    [
      ["public", "Public"],
      ["commentator", "All cards"],
    ],
    "public",
    (value) => chooseFeed(value === "commentator" ? value : "public"),
  );
  const live = h("div", { class: "live-bar" }, pace, feed);
  const head = h(
    "header",
    { class: "room-head" },
    h("p", { class: "crumb" }, h("a", { href: lobbyLink() }, "Rooms")),
    h("h1", { tabindex: "-1" }, id),
    pill,
    facts,
    behind,
  );
  const chips = h(
    "section",
    { class: "panel chips", "aria-labelledby": "chart-title", tabindex: "0" },
    h("h2", { id: "chart-title" }, "Net over the hands"),
    chart.element,
  );
  const grid = h(
    "div",
    { class: "room-grid" },
    h(
      "section",
      { class: "stage", "aria-label": "Table" },
      table.element,
      nothing,
      next.element,
      bar,
    ),
    h("section", { class: "panel this-hand", "aria-labelledby": "log-title" }, title, log.element),
    h("div", { class: "beside" }, results.element, chips),
    h(
      "section",
      { class: "panel past", "aria-labelledby": "hands-title" },
      h("h2", { id: "hands-title" }, "Hands"),
      hands.element,
    ),
  );
  const element = h(
    "article",
    { class: "room" },
    head,
    fault,
    grid,
    faults.element,
    commands.element,
  );
  results.element.tabIndex = 0; // like the chips it may have to be scrolled
  bar.append(live);
  return {
    element,
    grid,
    results,
    nothing,
    next,
    behind,
    lag,
    jump,
    table,
    log,
    chart,
    hands,
    faults,
    commands,
    facts,
    pill,
    fault,
    bar,
    title,
    live,
    feed,
    pace,
  };
}

/**
 * Return a choice between a few options.
 * @param {string} name
 * @param {string} label
 * @param {[value: string, text: string][]} options
 * @param {string} chosen
 * @param {(value: string) => void} change
 */
function choice(name, label, options, chosen, change) {
  return h(
    "fieldset",
    { class: "filters" },
    h("legend", {}, label),
    options.map(([value, text]) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name,
          value,
          checked: value === chosen,
          onchange: () => change(value),
        }),
        h("span", {}, text),
      ),
    ),
  );
}
