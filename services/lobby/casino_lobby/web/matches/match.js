/** The view of a match: what it says, the running result, the players, and hands worth seeing. */
// @ts-check

/** @import { MatchPair, MatchResult } from "./types.js" */

import { h } from "../dom.js";
import { playerLink, versusLink } from "./address.js";
import { conductTable, playersTable, statisticsTable } from "./match_players.js";
import { positionsTable, streetsTable } from "./match_positions.js";
import { notableHands } from "./notable.js";
import { pairChart } from "./pair_chart.js";
import { resultTable } from "./result_table.js";
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
} from "./words.js";

/**
 * Return the parts of the view.
 * @param {string} id
 * @param {MatchResult} match
 */
export function matchView(id, match) {
  const time = timeWords(match.finishedAt);
  const facts = [sizeWords(match), `big blind ${match.bigBlind}`, time].filter(Boolean);
  return [
    h("p", { class: "hint" }, `${facts.join(" · ")} · every deck played in all seats`),
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
  const words = h("span", { class: "rate" }, `${withInterval(rate, interval)} ${UNIT}`);
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
          rateWords(estimate.bbPer100),
          intervalWords(estimate.bootstrap),
          intervalWords(estimate.normal),
          fewerWords(estimate),
        ];
      }),
    ),
    h(
      "p",
      { class: "hint" },
      h("a", { href: versusLink(pair.first, pair.second) }, "All matches of the two"),
      " · ",
      h("a", { href: playerLink(pair.first) }, pair.first),
      " · ",
      h("a", { href: playerLink(pair.second) }, pair.second),
    ),
  );
}

/**
 * @param {string} title
 * @param {...(Element | null)} parts
 */
function panel(title, ...parts) {
  return h("section", { class: "panel" }, h("h2", {}, title), parts);
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
