/** Who decided, what it thought, and what that cost: as read from events, and in words. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countsLine, faultLine } from "../../services/lobby/casino_lobby/web/faults.js";
import { shownLater } from "../../services/lobby/casino_lobby/web/insight.js";
import { lineOf } from "../../services/lobby/casino_lobby/web/log.js";
import { decisionLine } from "../../services/lobby/casino_lobby/web/me_hand.js";
import { decisionOf, modelOf, whyOf } from "../../services/lobby/casino_lobby/web/reading.js";
import { EMPTY, reduce } from "../../services/lobby/casino_lobby/web/reducer.js";
import { costLines } from "../../services/lobby/casino_lobby/web/results.js";
import {
  costWords,
  faultWords,
  statisticsOf,
} from "../../services/lobby/casino_lobby/web/words.js";

const FAILED = "not decided by the player: model failed";
const ADA = { playerId: "a", displayName: "Ada", seatNumber: 0, stack: 100 };
const BOB = { playerId: "b", displayName: "Bob", seatNumber: 1, stack: 100 };
const MODEL = { ...ADA, profile: { model: "small" } };
const DEFAULTED = { reason: "model_failed" };
const USAGE = {
  model: "large",
  latencyMs: 900,
  inputTokens: 1000,
  outputTokens: 34,
  costUsd: 0.01,
};
const DISCLOSED = [
  { decision: 1, playerId: "a", usage: USAGE, reasoning: "Aces." },
  { decision: 2, playerId: "b", defaulted: { ...DEFAULTED, detail: "HTTP 401" } },
  { decision: 3, playerId: "a", usage: { latencyMs: 1100, inputTokens: 66 } },
];

/** Return the state after the events of a hand; `game` is what other games send with each. */
function after(disclosed, { game = {}, players = [MODEL, BOB], ...rest } = {}) {
  const act = (playerId, more = {}) => [
    "action_taken",
    { handNumber: 1, playerId, action: "check", outcome: "ok", ...game, ...more },
  ];
  return [
    ["hand_started", { handNumber: 1, players, posted: [], ...game }],
    act("a"),
    act("b", { outcome: "defaulted", defaulted: DEFAULTED }),
    act("a"),
    ["hand_completed", { handNumber: 1, disclosed, pots: [], stacks: [], ...game, ...rest }],
  ]
    .map(([eventType, payload]) => ({ eventType, message: "", payload }))
    .reduce(reduce, EMPTY);
}

const notes = ({ hand }) => hand.log.filter(({ kind }) => kind === "note").map(({ text }) => text);
const actions = ({ hand }) => hand.log.filter(({ kind }) => kind === "action");

describe("a hand of models", () => {
  const games = { "Hold'em": {}, "another game": { game: { state: {}, scores: {} } } };
  for (const [name, options] of Object.entries(games))
    test(`in ${name} says who decided at once, and the rest with its end`, () => {
      const state = after(DISCLOSED, options);
      assert.equal(state.seats.get("a").model, "small");
      const lines = actions(state);
      assert.deepEqual(
        lines.map(({ why, model }) => [why, model]),
        [
          ["", "small"],
          ["model failed", ""],
          ["", "small"],
        ],
      );
      assert.ok(lineOf(lines[1]).endsWith(` (${FAILED})`));
      assert.deepEqual(
        state.hand.decisions.map(({ id, reasoning, detail }) => [id, reasoning, detail]),
        [
          ["a", "Aces.", ""],
          ["b", "", "HTTP 401"],
          ["a", "", ""],
        ],
      );
      const cost = "Cost of Ada’s 2 decisions: large · 1,100 tokens · 2.0 s";
      assert.deepEqual(notes(state), [cost], "no dollars, as one decision has no price");
      assert.equal(shownLater(state).decisions, state.hand.decisions, "and in a replay all along");
    });

  test("that says nothing of them shows nothing", () => {
    const state = after(undefined, { players: [ADA, BOB] });
    assert.equal(state.seats.get("a").model, "");
    assert.deepEqual([state.hand.decisions, notes(state)], [[], []]);
    assert.equal(shownLater(state), null);
  });

  test("takes the model that a newer registration names", () => {
    const state = after(DISCLOSED);
    const payload = { ...ADA, profile: { model: "new" } };
    const next = reduce(state, { eventType: "player_registered", message: "", payload });
    assert.equal(next.seats.get("a").model, "new");
  });

  test("whose start was missed does not guess whose thoughts they are", () => {
    const payload = { handNumber: 1, disclosed: DISCLOSED };
    const state = reduce(EMPTY, { eventType: "hand_completed", message: "", payload });
    assert.deepEqual(state.hand.decisions, []);
  });
});

describe("what a stranger's table sends", () => {
  test("is nothing where it cannot be read", () => {
    const odd = [
      null,
      7,
      "x",
      [],
      { decision: 0 },
      { decision: 1e9, playerId: "a" },
      { decision: "1" },
    ];
    for (const disclosed of [odd, "x", 7, {}, null])
      assert.deepEqual(after(disclosed).hand.decisions, [], JSON.stringify(disclosed));
    assert.deepEqual(decisionOf({ playerId: {}, reasoning: [], defaulted: 3, usage: "x" }), {
      id: "",
      reasoning: "",
      why: "",
      detail: "",
      cost: null,
    });
    const usage = { latencyMs: -1, inputTokens: "9", outputTokens: NaN, costUsd: Infinity };
    const { cost } = decisionOf({ usage });
    assert.equal(costWords(cost), "");
  });

  test("is cut, and cannot hide or turn round what stands beside it", () => {
    const bidi = "\u202eevil\u2066\u0000 <b>";
    assert.equal(modelOf({ model: `${bidi}\nsecond line` }), "evil <b> second line");
    const { reasoning, detail } = decisionOf({
      reasoning: `${bidi}\nsecond ${"x".repeat(1e6)}`,
      defaulted: { reason: "failed", detail: `${bidi}${"y".repeat(1e6)}` },
    });
    assert.ok(reasoning.startsWith("evil   <b>\nsecond x") && reasoning.length <= 8000);
    assert.ok(detail.startsWith("evil <b>y") && detail.length <= 1000);
  });

  test("has a reason only if that is a word", () => {
    const reasons = ["model_failed", "x".repeat(41), "<b>", "Model", 7, null, ["failed"]];
    assert.deepEqual(
      reasons.map((reason) => whyOf({ reason })),
      ["model failed", "", "", "", "", "", ""],
    );
  });
});

test("a default is no decision, whatever the outcome says", () => {
  assert.equal(faultWords("defaulted", "model failed"), FAILED);
  assert.equal(faultWords("ok", "model failed"), FAILED);
  assert.equal(faultWords("defaulted"), "not decided by the player");
  assert.equal(faultWords("away", "away"), "nobody there");
  assert.equal(faultWords("ok"), null);
  const fault = { outcome: "defaulted", defaulted: "model_failed", turns: 1 };
  assert.equal(faultLine(fault), FAILED);
  const own = { outcome: "defaulted", defaulted: DEFAULTED, action: "fold", latencyMs: 4 };
  assert.equal(decisionLine(own), `fold · ${FAILED} · 4 ms`);
});

test("defaults are counted by reason, and none twice", () => {
  const defaulted = [
    { reason: "model_failed", count: 3 },
    { reason: "timeout", count: 2 },
    { reason: "away", count: 9 },
    { reason: "constructor", count: 1 },
  ];
  assert.equal(
    countsLine({ ok: 4, timeout: 2, defaulted: 4 }, defaulted),
    "too late 2, not decided by the player 4 (model failed 3, constructor 1)",
  );
  assert.equal(countsLine({ ok: 4 }, defaulted.slice(2, 3)), null);
});

test("costs are said as far as they are known", () => {
  const costs = {
    models: ["small"],
    decisions: 4,
    latencyMs: 0,
    inputTokens: 900,
    outputTokens: 10,
  };
  const all = { ...costs, tokensPer100Hands: 45_500, usdPer100Hands: 1.234, wonPerUsd: 20.06 };
  assert.deepEqual(costLines({ costs: { ...all, wonPer1000Tokens: -0.5 } }, "bb/100"), [
    "100 hands: $1.23 · 45.5K tokens",
    "+20.1 bb/$ · -0.5 bb/1K tokens",
  ]);
  assert.deepEqual(costLines({ costs: { ...costs, tokensPer100Hands: 9 } }, "chips/100"), [
    "100 hands: 9 tokens",
  ]);
  assert.deepEqual(costLines({}, "bb/100"), []);
  const none = { ...costs, tokensPer100Hands: 0, usdPer100Hands: 0 };
  assert.deepEqual(costLines({ costs: none }, "bb/100"), [], "no model answered");
  const terms = statisticsOf({ costs }).map(([term, , value]) => [term, value]);
  assert.deepEqual(terms, [
    ["Models", "small"],
    ["Tokens in", "900"],
    ["Tokens out", "10"],
  ]);
});
