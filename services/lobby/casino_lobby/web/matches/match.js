/** The view of a match: what it says, the running result, the players, and hands worth seeing. */
// @ts-check

/** @import { Point } from "../net_lines.js" */
/** @import { MatchPair, MatchResult, NotableHand, SeriesPoint } from "./match_types.js" */

import { button, h, hint, linkTo, mark, panel, svg } from "../dom.js";
import { axes, EDGE, HEIGHT, path, scaleOf } from "../net_lines.js";
import { matchHandLink, playerLink, versusLink } from "../router.js";
import { change, chips } from "../words.js";
import {
  estimatorWords,
  fewerWords,
  headlineOf,
  intervalWords,
  rateWords,
  sizeWords,
  timeWords,
  UNIT,
  verdictWords,
  withInterval,
} from "./match_words.js";
import {
  conductTable,
  playersTable,
  positionsTable,
  resultTable,
  statisticsTable,
  streetsTable,
} from "./result_tables.js";

/**
 * @typedef {object} PairLines
 * @property {number} first The number of decks at the left edge.
 * @property {number} last
 * @property {number} low The lowest rate that the drawing has to show; at most 0.
 * @property {number} high
 * @property {Point[]} line
 * @property {Point[]} upper
 * @property {Point[]} lower
 */

/** @type {Record<string, string>} */
const KINDS = { biggest: "Biggest pot", decisive: "Decisive deck" };

/** The band of the first decks is so wide that it would hide the rest: it does not set the scale. */
const SHARE_WITHOUT_SCALE = 0.1;

/**
 * Return the parts of the view.
 * @param {string} id
 * @param {MatchResult} match
 */
export function matchView(id, match) {
  const time = timeWords(match.finishedAt);
  const facts = [sizeWords(match), `big blind ${match.bigBlind}`, time].filter(Boolean);
  return [
    hint(`${facts.join(" · ")} · every deck played in all seats`),
    ...match.pairs.map((pair, index) => pairPanel(pair, index === 0)),
    panel("Players", playersTable(match), conductTable(match)),
    panel("How they play", statisticsTable(match)),
    panel("Positions and streets", positionsTable(match), streetsTable(match)),
    notableHands(id, match),
    plan(match),
  ];
}

/**
 * Return the panel of a pair; of many pairs all but the first are closed.
 * @param {MatchPair} pair
 * @param {boolean} isOpen
 */
export function pairPanel(pair, isOpen) {
  const { rate, interval } = headlineOf(pair);
  const verdict = h(
    "span",
    { class: "verdict", "data-kind": pair.verdict },
    verdictWords(pair.verdict),
  );
  const words = h(
    "span",
    { class: "rate" },
    interval ? `${withInterval(rate, interval)} ${UNIT}` : intervalWords(interval),
  );
  return h(
    "details",
    { class: "panel pair", open: isOpen },
    h("summary", {}, h("h2", {}, `${pair.first} against ${pair.second}`), verdict, words),
    h("p", {}, pair.sentence),
    pairChart(pair),
    resultTable(
      `Estimates of ${pair.first} against ${pair.second}`,
      [
        "Estimate",
        UNIT,
        { name: "95 % bootstrap", title: "by drawing the decks again" },
        { name: "95 % normal", title: "by the normal distribution of the decks' mean" },
        { name: "Fewer hands", title: "than single hands need for the same interval" },
      ],
      pair.estimates.map((estimate) => {
        const [name, meaning] = estimatorWords(estimate.estimator);
        return [
          h("span", { title: meaning }, name),
          rateWords(estimate.bbPer100, estimate.bootstrap ?? estimate.normal),
          intervalWords(estimate.bootstrap),
          intervalWords(estimate.normal),
          fewerWords(estimate),
        ];
      }),
    ),
    hint(
      linkTo(versusLink(pair.first, pair.second), "All matches of the two"),
      " · ",
      linkTo(playerLink(pair.first), pair.first),
      " · ",
      linkTo(playerLink(pair.second), pair.second),
    ),
  );
}

/** @param {MatchResult} match */
function plan(match) {
  return h(
    "details",
    { class: "panel" },
    h("summary", {}, h("h2", {}, "Plan and digests")),
    h("p", { class: "hint digest" }, `Plan ${match.planDigest}`),
    h("p", { class: "hint digest" }, `Result ${match.digest}`),
    h("pre", { tabindex: "0" }, JSON.stringify(match.plan, null, 2)),
  );
}

/**
 * Return the panel of the hands; null without any.
 * @param {string} id The match's.
 * @param {MatchResult} match
 */
export function notableHands(id, { notableHands = [] }) {
  if (notableHands.length === 0) return null;
  return panel(
    "Notable hands",
    hint("Each can be replayed here, or saved and opened by any program that reads PHH."),
    h(
      "ul",
      { class: "notable" },
      notableHands.map((hand, index) => entry(hand, matchHandLink(id, index + 1))),
    ),
  );
}

/**
 * @param {NotableHand} hand
 * @param {string} link
 */
function entry(hand, link) {
  const nets = hand.players.map((name) => `${name} ${change(hand.net[name] ?? 0)}`).join(", ");
  const save = button("Save", () => saveHand(hand), { class: "quiet" });
  const name = `Deck ${hand.deck}, seating ${hand.seating}`;
  return h(
    "li",
    {},
    h("a", { href: link, "aria-label": `Replay ${name}` }, kindWords(hand.kind)),
    h("span", {}, ` ${name}: pot ${chips(hand.pot)}, ${nets}`),
    h(
      "details",
      {},
      h("summary", {}, "As text"),
      h("pre", { tabindex: "0", "aria-label": name }, hand.history),
      save,
    ),
  );
}

/**
 * Return why a hand is worth looking at.
 * @param {string} kind
 */
export function kindWords(kind) {
  return KINDS[kind] ?? kind;
}

/**
 * Save a hand as a file.
 * @param {NotableHand} hand
 */
function saveHand({ deck, seating, history }) {
  const address = URL.createObjectURL(new Blob([history], { type: "text/plain" }));
  h("a", { href: address, download: `deck-${deck}-${seating}.phh` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}

/**
 * Return the chart of a pair; null if there are too few decks for one.
 * @param {MatchPair} pair
 */
function pairChart(pair) {
  const lines = pairLinesOf(pair.series);
  if (lines === null) return null;
  const { rate, interval } = headlineOf(pair);
  const drawing = svg("svg", { class: "lines still", role: "img", height: HEIGHT });
  const words = `${withInterval(rate, interval)} ${UNIT} after ${chips(lines.last)} decks`;
  mark(drawing, "aria-label", `How much better ${pair.first} is than ${pair.second}: ${words}.`);
  const element = h(
    "figure",
    { class: "chart" },
    drawing,
    h(
      "figcaption",
      { class: "hint" },
      `${UNIT} by which ${pair.first} is better than ${pair.second}; grey: the 95 % interval so far.`,
    ),
  );
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width > 0) draw(width);
  }).observe(element);

  /** @param {number} width */
  function draw(width) {
    if (lines === null) return;
    const scale = scaleOf(lines, width);
    const end = lines.line.at(-1);
    const band = [...within(lines.upper, scale), ...within(lines.lower, scale).reverse()];
    mark(drawing, "width", width);
    mark(drawing, "viewBox", `0 0 ${width} ${HEIGHT}`);
    drawing.replaceChildren(
      svg("path", { class: "band", d: `${path(band, scale)}Z` }),
      ...axes(scale, width, (decks) => `${chips(decks)} decks`),
      svg("path", {
        class: "line",
        "data-color": 0,
        d: path(within(lines.line, scale), scale),
      }),
      svg(
        "text",
        {
          class: "end",
          x: width - EDGE.right + 8,
          y: scale.y(end?.y ?? 0) + 4,
          "data-color": 0,
        },
        `${chips(Math.round((end?.y ?? 0) * 10) / 10)} ${UNIT}`,
      ),
    );
  }
  return element;
}

/**
 * Return the lines of a pair; null with fewer than two points.
 * @param {SeriesPoint[] | undefined} series
 * @returns {PairLines | null}
 */
export function pairLinesOf(series) {
  const points = (series ?? []).filter(
    (point, index, all) => index === 0 || point.decks > (all[index - 1]?.decks ?? 0),
  );
  const [begin, end] = [points.at(0), points.at(-1)];
  if (!begin || !end || points.length < 2) return null;
  const scaled = points.filter(({ decks }) => decks >= end.decks * SHARE_WITHOUT_SCALE);
  return {
    first: begin.decks,
    last: end.decks,
    low: Math.min(0, ...scaled.map(({ low, bbPer100 }) => Math.min(low, bbPer100))),
    high: Math.max(0, ...scaled.map(({ high, bbPer100 }) => Math.max(high, bbPer100))),
    line: points.map(({ decks, bbPer100 }) => ({ x: decks, y: bbPer100 })),
    upper: points.map(({ decks, high }) => ({ x: decks, y: high })),
    lower: points.map(({ decks, low }) => ({ x: decks, y: low })),
  };
}

/**
 * Return points with what is beyond the drawing at its edge.
 * @param {Point[]} points
 * @param {{ bottom: number, top: number }} scale
 */
export function within(points, { bottom, top }) {
  return points.map(({ x, y }) => ({ x, y: Math.min(top, Math.max(bottom, y)) }));
}
