/** Smaller pure parts of the page: seats around a table, the chart's scale, status, insight. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { countsLine, faultLine } from "../../services/lobby/casino_lobby/web/faults.js";
import { insightOf } from "../../services/lobby/casino_lobby/web/insight.js";
import { apart, EDGE, HEIGHT, scaleOf } from "../../services/lobby/casino_lobby/web/net_lines.js";
import { seatsAround } from "../../services/lobby/casino_lobby/web/places.js";
import { statusWord, waitLine } from "../../services/lobby/casino_lobby/web/room_facts.js";

test("seats are around the oval, clockwise from the middle of its bottom", () => {
  for (const aspect of [2.1, 0.66]) {
    const places = seatsAround(4, aspect).map(({ x, y }) => [x, y].map(Math.round));
    assert.deepEqual(places.map(String), ["0,1", "-1,0", "0,-1", "1,0"], String(aspect));
  }
  assert.equal(seatsAround(10, 2.1).length, 10);
});

test("the chart's grid has round steps around 0", () => {
  const scale = scaleOf({ first: 3, last: 9, low: -130, high: 410 }, 600);
  assert.deepEqual([scale.bottom, scale.step, scale.top], [-200, 200, 600]);
  assert.equal(scale.x(3), EDGE.left);
  assert.equal(scale.x(9), 600 - EDGE.right);
  assert.equal(scale.y(-200), HEIGHT - EDGE.bottom);
  assert.equal(scale.y(600), EDGE.top);
  const few = scaleOf({ first: 0, last: 1, low: -10, high: 10 }, 600);
  assert.deepEqual([few.bottom, few.step, few.top], [-10, 5, 10], "the whole height");
  const flat = scaleOf({ first: 0, last: 1, low: 0, high: 0 }, 600);
  assert.ok(flat.bottom < 0 && flat.top > 0);
});

test("labels keep a distance, and stay in the drawing", () => {
  const labels = [200, 199, 198, 5].map((y, index) => ({ id: String(index), y }));
  const heights = apart(labels).map(({ y }) => y);
  const sorted = [...heights].sort((low, high) => low - high);
  for (let index = 1; index < sorted.length; index += 1) {
    assert.ok(sorted[index] - sorted[index - 1] >= 14, heights.join());
  }
  assert.ok(sorted[0] >= EDGE.top);
  assert.ok(sorted.at(-1) <= HEIGHT - EDGE.bottom + 6);
});

test("a room's state says more than its table's status", () => {
  assert.equal(statusWord({ status: "running" }), "playing");
  assert.equal(statusWord({ status: "running", state: "paused" }), "paused");
  const waits = [
    { reason: "no-table", since: "2026-11-29", what: "<b>lost</b>", fix: "start one" },
  ];
  assert.equal(statusWord({ status: "running", state: "waits-for-table", waits }), "no table");
  assert.match(
    waitLine({ waits }),
    /^Waiting: <b>lost<\/b>, since [0-9:]+\. What helps: start one\.$/,
  );
  assert.equal(waitLine({ waits: [] }), "");
  const part = { ...waits[0], reason: "provider-away", what: "a model", playsOn: true };
  assert.equal(statusWord({ status: "running", waits: [part] }), "playing");
  assert.match(waitLine({ waits: [part] }), /a model/, "it is told all the same");
  assert.equal(statusWord({ status: "running", waits: [part, ...waits] }), "no table");
  assert.equal(statusWord({ status: "error" }), "failed");
  assert.equal(statusWord({ status: "idle", state: null }), "idle");
});

test("a hand's record becomes maps by player", () => {
  const card = { rank: "A", suit: "hearts" };
  const insight = insightOf({
    handId: "t1/1",
    odds: [{ bettingRound: "flop", odds: [{ playerId: "a", win: 0.5, tie: 0.1 }] }],
    privateStates: { a: { card: "Qs" }, b: { nothing: 1 } },
    holeCards: [{ playerId: "c", cards: [card] }],
    decisions: [{ reasoning: "why not" }],
  });
  assert.deepEqual(insight.odds.get("flop").get("a"), { win: 0.5, tie: 0.1 });
  assert.deepEqual(
    [...insight.cards],
    [
      ["a", [{ rank: "Q", suit: "spades" }]],
      ["c", [card]],
    ],
  );
  assert.equal(insight.decisions[0].reasoning, "why not");
  assert.deepEqual(insightOf({ handId: "t1/2" }).decisions, []);
});

test("failed decisions are counted in words, and proper ones are left out", () => {
  assert.equal(countsLine({ ok: 12 }), null);
  assert.equal(countsLine({}), null);
  assert.equal(
    countsLine({ ok: 3, retried: 1, illegal: 2, sitting_out: 7, other: 1 }),
    "second try 1, illegal answer 2, sits out 7, other 1",
  );
});

test("a failed decision says where, how and how fast", () => {
  const fault = { handNumber: 7, bettingRound: "flop", outcome: "illegal", turns: 1, latencyMs: 0 };
  assert.equal(faultLine(fault), "hand 7 · flop · illegal answer · 0 ms");
  const { handNumber } = fault;
  assert.equal(faultLine({ handNumber, outcome: "timeout", turns: 1 }), "hand 7 · too late");
  assert.equal(faultLine({ outcome: "sitting_out", turns: 3 }), "sits out, 3 turns");
  const outcomes = ["malformed", "unreachable", "disconnected", "retried"];
  const lines = outcomes.map((outcome) => faultLine({ outcome, turns: 1 }));
  assert.deepEqual(lines, ["unreadable answer", "unreachable", "no answer", "second try"]);
});
