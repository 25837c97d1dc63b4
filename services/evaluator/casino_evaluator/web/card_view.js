/** Scorecards as a person reads them: their list; and for each, how its score comes about. */
// @ts-check

/** @import { Environment, Listing, Run, Summary } from "./types.js" */

import { api, apiKey } from "./api.js";
import { h, say } from "./dom.js";
import { cardLink, replayLink } from "./router.js";
import { percent, share, stateWords, timeText, waitLine, winnings } from "./words.js";

const RUNS_SHOWN = 50;

/**
 * Return the view; throws Refusal.
 * @param {string} cardId
 */
export async function cardView(cardId) {
  const card = await api.card(cardId);
  return h(
    "article",
    {},
    h("h1", {}, `Scorecard ${card.card_id}`),
    h("p", { class: "score" }, h("b", {}, percent(card.score)), totals(card)),
    ...(card.waits ?? []).map((wait) => h("p", { class: "fault", role: "status" }, waitLine(wait))),
    facts(card),
    copyButton(),
    card.environments.length === 0 ? h("p", { class: "panel" }, "No game was played yet.") : null,
    ...card.environments.map(environment),
    explanation(),
    h("p", {}, h("a", { href: "#/" }, "All scorecards")),
  );
}

/** @param {Summary} card */
function totals(card) {
  const games = `${card.total_environments_completed} of ${card.total_environments} games won`;
  const levels = `${card.total_levels_completed} of ${card.total_levels} levels completed`;
  return ` · ${games} · ${levels} · ${card.total_actions} actions`;
}

/** @param {Summary} card */
function facts(card) {
  /** @type {[string, string | undefined][]} */
  const entries = [
    ["State", card.closed_at === undefined ? "open" : "closed"],
    ["Opened", timeText(card.open_at)],
    ["Last used", timeText(card.last_update)],
    ["Mode", card.competition_mode ? "competition" : undefined],
    ["Tags", card.tags.join(", ") || undefined],
    ["Seed", card.seed],
    ["Source", card.source_url],
  ];
  return h(
    "dl",
    { class: "facts" },
    entries.flatMap(([name, value]) =>
      value === undefined ? [] : [h("div", {}, h("dt", {}, name), h("dd", {}, value))],
    ),
  );
}

function copyButton() {
  const done = h("span", { class: "hint", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      say(done, "Copied. Whoever opens it needs the same API key.");
    } catch {
      say(done, location.href);
    }
  };
  return h(
    "p",
    { class: "row" },
    h("button", { type: "button", class: "quiet", onclick: copy }, "Copy the link"),
    done,
  );
}

/** @param {Environment} game */
function environment(game) {
  const best = game.runs.reduce((one, other) => (other.score > one.score ? other : one));
  const more = game.runs.length - RUNS_SHOWN;
  return h(
    "section",
    { class: "panel game" },
    h("h2", {}, `${game.title} `, h("code", {}, game.id)),
    h(
      "p",
      { class: "score" },
      h("b", {}, percent(game.score)),
      ` · ${game.levels_completed} of ${game.level_count} levels completed`,
      ` · ${game.actions} actions, ${game.resets} of them resets`,
    ),
    h(
      "p",
      {},
      `${winnings(game.casino)}, ${game.casino.hands} hands · not available: `,
      `${share(game.casino.unavailable_share)} of the actions`,
      game.casino.opponent_defaults
        ? ` · ${game.casino.opponent_defaults} decisions of the opponent by default`
        : "",
    ),
    levelTable(best),
    runTable(game.runs.slice(0, RUNS_SHOWN)),
    more > 0 ? h("p", { class: "hint" }, `${more} more runs are in the JSON.`) : null,
  );
}

/** @param {Run} run */
function levelTable(run) {
  const names = ["Level", "Actions", "Reference player", "Score"];
  return table(
    "Levels of the best run",
    names,
    run.level_scores.map((score, index) => [
      String(index + 1),
      String(run.level_actions[index] ?? 0),
      String(run.level_baseline_actions[index] ?? 0),
      index < run.levels_completed ? percent(score) : "not completed",
    ]),
  );
}

/** @param {Run[]} runs */
function runTable(runs) {
  const names = ["Run", "State", "Levels", "Actions", "Resets", "Score", "Replay"];
  return table(
    "Runs",
    names,
    runs.map((run, index) => [
      String(index + 1),
      stateWords(run.state),
      String(run.levels_completed),
      String(run.actions),
      String(run.resets),
      percent(run.score),
      h(
        "a",
        { href: replayLink(run.guid), "aria-label": `Replay of run ${index + 1}` },
        run.guid.slice(0, 8),
      ),
    ]),
  );
}

/**
 * Return a table; the first cell of each row names it.
 * @param {string} caption
 * @param {string[]} names
 * @param {(string | Node)[][]} rows
 */
function table(caption, names, rows) {
  return h(
    "div",
    // Where it is wider than the screen, the arrow keys scroll it.
    { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          names.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map(([first, ...rest]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, first),
            rest.map((cell) => h("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
}

function explanation() {
  return h(
    "details",
    { class: "panel" },
    h("summary", {}, "How the score is computed"),
    h(
      "p",
      {},
      "A completed level scores (actions of the reference player ÷ own actions)² × 100, at most 115;",
      " a reset of the level counts as an action. A level that is not completed scores 0.",
    ),
    h(
      "p",
      {},
      "A run is the mean of all its levels, where level k has weight k, and at most the share of the",
      " completed levels. A game is its best run; the scorecard is the mean of its games.",
    ),
    h(
      "p",
      {},
      "bb/100 are big blinds won per 100 hands, with the interval in which the mean lies with 95 %.",
      " It takes the hands of all runs and attempts as independent.",
    ),
  );
}

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
