/** The parts of a room's view: how they lie, and what is drawn in them besides the table. */
// @ts-check

/** @import { Problem } from "./api.js" */
/** @import { LiveRoom } from "./live.js" */
/** @import { PlayerNames } from "./player_names.js" */
/** @import { Replay } from "./replay.js" */
/** @import { ReplayLinks } from "./replay_links.js" */
/** @import { PaceName } from "./room_pace.js" */
/** @import { Feed, Seats, Standing, TableState } from "./types.js" */

import { ChartView } from "./chart.js";
import { missingHand, missingRoom } from "./chrome.js";
import { Commands } from "./commands.js";
import { button, choice, h, linkTo, mark, say } from "./dom.js";
import { FaultsView } from "./faults.js";
import { checkMark, HandsView } from "./hands.js";
import { LogView } from "./log.js";
import { asSeen } from "./reducer.js";
import { ResultsView } from "./results.js";
import { factsLine, lagLine, statusWord, waitLine } from "./room_facts.js";
import { go, handLink, lobbyLink } from "./router.js";
import { NextStep } from "./seating.js";
import { TableView } from "./table.js";

/** @typedef {ReturnType<typeof roomLayout>} Parts */

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
  const jump = button("Jump to live", catchUp, { class: "quiet" });
  const behind = h("p", { class: "behind", hidden: true }, lag, jump);
  const nothing = h("div", { class: "nothing", hidden: true });
  const facts = h("p", { class: "facts" });
  const pill = h("span", { class: "pill" });
  const fault = h("p", { class: "fault", role: "alert" });
  const waiting = h("p", { class: "fault", role: "status" });
  const bar = h("div", { class: "bar" });
  const title = h("span", {}, "This hand");
  const checked = h("span");
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
    h("p", { class: "crumb" }, linkTo(lobbyLink(), "Rooms")),
    h("h1", { tabindex: "-1", title: id }, id),
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
    h(
      "section",
      { class: "panel this-hand", "aria-labelledby": "log-title" },
      h("h2", { id: "log-title" }, title, " ", checked),
      log.element,
    ),
    h("div", { class: "beside" }, results.element, chips),
    h(
      "section",
      { class: "panel past", "aria-labelledby": "hands-title" },
      h("div", { class: "hands-head" }, h("h2", { id: "hands-title" }, "Hands"), hands.deal),
      hands.element,
    ),
  );
  const element = h(
    "article",
    { class: "room" },
    head,
    fault,
    waiting,
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
    waiting,
    bar,
    title,
    checked,
    live,
    feed,
    pace,
  };
}

/**
 * Return whether a room has ended.
 * @param {TableState} state
 */
export function isClosed({ state }) {
  return state === "closed" || state === "failed";
}

/**
 * Say how the room is, and its facts.
 * @param {Parts} parts
 * @param {LiveRoom} live
 */
export function showStatus({ pill, facts, waiting }, live) {
  const word = statusWord(live.state);
  say(pill, word);
  mark(pill, "data-kind", word);
  say(facts, factsLine(live));
  say(waiting, waitLine(live.state));
}

/**
 * Mark the shown hand as checked, or as failed, once it is over.
 * @param {Parts} parts
 * @param {LiveRoom} live
 * @param {TableState} state What is shown.
 */
export function showCheck({ checked }, { checks }, { epoch, hand }) {
  const check = hand && checks?.of(epoch, hand.number);
  const key = check ? `${epoch}.${hand.number} ${check.fault}` : "";
  if (checked.dataset.hand === key) return;
  checked.dataset.hand = key;
  checked.replaceChildren(...(check ? [checkMark(check), ` ${check.fault}`] : []));
}

/**
 * Say how far what is shown is behind the table.
 * @param {Parts} parts
 * @param {LiveRoom} live
 * @param {boolean} isReplay
 */
function showLag({ behind, lag, jump }, { feed, pace }, isReplay) {
  const line = isReplay ? "" : lagLine({ feed, behind: pace.behind });
  say(lag, line);
  mark(behind, "hidden", line === "");
  mark(jump, "hidden", pace.behind === 0);
}

/**
 * Show in place of the table that the hand of a replay is not there.
 * @param {Parts} parts
 * @param {string} room
 * @param {Replay | null} replay
 */
function showMissingHand({ nothing, table }, room, replay) {
  const { hand, fault } = replay ?? { hand: 0, fault: null };
  mark(nothing, "hidden", fault === null);
  mark(table.element, "hidden", fault !== null);
  const key = fault === null ? "" : String(hand);
  if (nothing.dataset.hand === key) return;
  nothing.dataset.hand = key;
  nothing.replaceChildren(fault === null ? "" : missingHand(room, hand, fault));
}

/**
 * Show why a room cannot be shown; a room that there is not has no table.
 * @param {Parts} parts
 * @param {Problem} problem
 */
export function showRefusal({ element, fault, ...parts }, problem) {
  say(fault, problem.message);
  if (problem.status !== 404) return;
  for (const part of [parts.grid, parts.facts, parts.pill, parts.results.element])
    mark(part, "hidden", true);
  for (const part of [parts.faults, parts.commands]) mark(part.element, "hidden", true);
  if (!element.querySelector(":scope > .missing")) fault.after(missingRoom());
}

/**
 * Put the results of a closed room first: they are what it has to show.
 * @param {Parts} parts
 */
function putResultsFirst({ results, grid }) {
  if (results.element.nextSibling !== grid) grid.before(results.element);
}

/**
 * Mark what a room's view shows, for styles and tests.
 * @param {HTMLElement} element
 * @param {LiveRoom} live
 * @param {boolean} isReplay
 */
export function markView(element, { received, state, isBusy }, isReplay) {
  mark(element, "data-epoch", received.epoch);
  mark(element, "data-sequence", received.sequence);
  mark(element, "data-shown", state.sequence);
  mark(element, "data-mode", isReplay ? "replay" : "live");
  mark(element, "data-busy", isBusy && !isReplay);
}

/**
 * Draw what changed.
 * @param {ReturnType<typeof roomLayout>} parts
 * @param {LiveRoom} live
 * @param {object} context
 * @param {Pick<PlayerNames, "names" | "colors">} context.playerNames
 * @param {number | null} context.current The hand in replay.
 * @param {string | null} context.token The operator's key.
 */
export function drawBeside({ chart, hands, faults, commands, results }, live, context) {
  const { playerNames, current, token } = context;
  const { names, colors } = playerNames;
  const past = live.history.hands;
  const hasLegend = results.standings === null;
  const there = asSeen(live.state).seats;
  chart.show({ hands: past, seats: there, names, colors, current, hasLegend });
  hands.show(past, current, live);
  const { seats, handCount } = live.state;
  commands.show(live.state);
  faults.show(seats, handCount, token);
}

/**
 * Draw how far behind the view is, what is not there, the results, and a replay's links.
 * @param {string} id The room's id.
 * @param {ReturnType<typeof roomLayout>} parts
 * @param {LiveRoom} live
 * @param {object} context
 * @param {boolean} context.isOver Whether the room is closed.
 * @param {PlayerNames} context.playerNames
 * @param {Replay | null} context.replay
 * @param {ReplayLinks | null} context.links
 * @param {boolean} context.areCardsOpen
 */
export function drawStates(id, parts, live, { isOver, playerNames, replay, links, areCardsOpen }) {
  showLag(parts, live, replay !== null);
  showMissingHand(parts, id, replay);
  const { config, gameType, history, state } = live;
  const { handCount } = state;
  if (config) {
    const { bigBlind } = config;
    parts.results.show({ handCount, isOver, gameType, bigBlind, playerNames });
  }
  if (isOver) putResultsFirst(parts);
  const last = history.hands.at(-1)?.number;
  const stored = last === undefined ? null : { first: 1, last };
  links?.show({ stored, isOver, areCardsOpen });
}

/**
 * Get to know the players in what is shown, and in what was there before.
 * @param {PlayerNames} playerNames
 * @param {LiveRoom} live
 * @param {Seats} seats
 * @param {Standing[]} standings
 */
export function meet(playerNames, live, seats, standings) {
  playerNames.seat(live.state.seats);
  playerNames.seat(seats);
  playerNames.recall(live.names);
  playerNames.rank(standings);
  playerNames.pass(live.history.hands.at(-1));
}
