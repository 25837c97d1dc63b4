/** Published matches and leagues: addresses, words, whose point of view, and the running result. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pairLinesOf, within } from "../../services/lobby/casino_lobby/web/matches/match.js";
import {
  headlineOf,
  intervalWords,
  pairSeenBy,
  rankWords,
  seenBy,
  sizeWords,
  timeWords,
  withInterval,
} from "../../services/lobby/casino_lobby/web/matches/match_words.js";
import {
  leagueLink,
  matchHandLink,
  matchLink,
  playerLink,
  resultPlace,
  versusLink,
} from "../../services/lobby/casino_lobby/web/router.js";

const hashOf = (link) => link.slice(link.indexOf("#"));
const ODD = "a/b ёж?#%";

describe("addresses", () => {
  test("every link leads back to what it names, whatever the name has in it", () => {
    const none = { other: "" };
    assert.deepEqual(resultPlace(hashOf(matchLink(ODD))), { view: "match", id: ODD, ...none });
    assert.deepEqual(resultPlace(hashOf(leagueLink(ODD))), { view: "league", id: ODD, ...none });
    assert.deepEqual(resultPlace(hashOf(playerLink(ODD))), { view: "player", id: ODD, ...none });
    const hand = resultPlace(hashOf(matchHandLink(ODD, 12)));
    assert.deepEqual(hand, { view: "hand", id: ODD, other: "12" });
    assert.equal(resultPlace("#/matches/a/hands/0"), null);
    assert.equal(resultPlace("#/matches/a/hands/1/2"), null);
    const versus = resultPlace(hashOf(versusLink(ODD, "b")));
    assert.deepEqual(versus, { view: "versus", id: ODD, other: "b" });
  });

  test("the lists have an address each way, and other addresses are none of results", () => {
    for (const hash of ["#/matches", "#/matches/", "#/leagues"])
      assert.equal(resultPlace(hash)?.view, "lists");
    for (const hash of [
      "",
      "#/",
      "#/rooms/a",
      "#/me/a/b",
      "#/players",
      "#/versus/a",
      "#/matches/a/b",
    ])
      assert.equal(resultPlace(hash), null, hash);
    assert.equal(resultPlace("#/constructor/a"), null);
    assert.equal(resultPlace("#/matches/%E0%A4%A")?.id, "%E0%A4%A");
  });
});

const PAIR = {
  first: "equity",
  second: "tight",
  estimates: [
    { estimator: "plain", bbPer100: 10 },
    {
      estimator: "adjusted",
      bbPer100: 12.5,
      normal: { low: 8, high: 17 },
      bootstrap: { low: 8.1, high: 16.9 },
    },
  ],
  headline: "adjusted",
  simultaneous: { low: 7, high: 18 },
  verdict: "better",
  sentence: "equity is better",
  series: [{ decks: 100, bbPer100: 12, low: -5, high: 29 }],
};

describe("points of view", () => {
  test("the second player sees the opposite, and a stranger nothing", () => {
    const summary = { ...PAIR, bbPer100: 12.5, interval: { low: 8, high: 17 } };
    assert.deepEqual(seenBy(summary, "tight"), {
      opponent: "equity",
      rate: -12.5,
      interval: { low: -17, high: -8 },
      verdict: "worse",
    });
    assert.equal(seenBy(summary, "equity").rate, 12.5);
    assert.equal(seenBy(summary, "loose"), null);
  });

  test("a pair is turned as a whole, and turned twice it is itself", () => {
    const turned = pairSeenBy([PAIR], "tight", "equity");
    assert.deepEqual(headlineOf(turned), { rate: -12.5, interval: { low: -18, high: -7 } });
    assert.deepEqual(turned.series, [{ decks: 100, bbPer100: -12, low: -29, high: 5 }]);
    assert.equal(turned.verdict, "worse");
    assert.deepEqual(pairSeenBy([turned], "equity", "tight"), PAIR);
    assert.equal(pairSeenBy([PAIR], "equity", "loose"), null);
  });
});

describe("words", () => {
  test("a rate has its interval, or says that there is none", () => {
    assert.equal(withInterval(12.53, { low: -8.11, high: 216.9 }), "+12.5 (-8.1 to 217)");
    assert.equal(withInterval(-3, undefined), "no interval yet");
    assert.equal(intervalWords({ low: 0, high: 1 }), "0 to 1");
  });

  test("the interval that decides is the simultaneous one, if there is one", () => {
    assert.deepEqual(headlineOf(PAIR), { rate: 12.5, interval: { low: 7, high: 18 } });
    const { simultaneous: _, ...alone } = PAIR;
    assert.deepEqual(headlineOf(alone).interval, { low: 8.1, high: 16.9 });
  });

  test("ranks are bands, sizes say whether a match goes on, times are days", () => {
    assert.equal(rankWords({ rank: 1, worstRank: 1 }), "1");
    assert.equal(rankWords({ rank: 2, worstRank: 4 }), "2–4");
    const size = { decks: 2000, hands: 4000 };
    assert.equal(sizeWords({ ...size, isComplete: true }), "2,000 decks, 4,000 hands");
    assert.equal(sizeWords({ ...size, isComplete: false }), "2,000 decks, 4,000 hands so far");
    assert.equal(timeWords("2026-11-23T20:00:59Z"), "2026-11-23 20:00 UTC");
    assert.equal(timeWords("whenever"), "");
  });
});

describe("the running result", () => {
  const point = (decks, rate, half) => ({
    decks,
    bbPer100: rate,
    low: rate - half,
    high: rate + half,
  });

  test("the wide band of the first decks does not set the scale", () => {
    const lines = pairLinesOf([point(10, 300, 900), point(500, 20, 30), point(1000, 15, 10)]);
    assert.deepEqual([lines.first, lines.last], [10, 1000]);
    assert.deepEqual([lines.low, lines.high], [-10, 50]);
    assert.deepEqual(within(lines.upper, { bottom: -20, top: 60 }), [
      { x: 10, y: 60 },
      { x: 500, y: 50 },
      { x: 1000, y: 25 },
    ]);
  });

  test("zero is always within, and fewer than two points are no line", () => {
    const lines = pairLinesOf([point(500, 20, 5), point(1000, 20, 5)]);
    assert.deepEqual([lines.low, lines.high], [0, 25]);
    assert.equal(pairLinesOf([point(500, 20, 5)]), null);
    assert.equal(pairLinesOf(undefined), null);
    assert.equal(pairLinesOf([point(500, 20, 5), point(500, 20, 5)]), null);
  });
});
