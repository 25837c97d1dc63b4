/** The lines of the nets, the band of luck, and statistics in words. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bandOf, netLinesOf, rangeOf } from "../../services/lobby/casino_lobby/web/net_lines.js";
import {
  factorWords,
  shareWords,
  statisticsOf,
} from "../../services/lobby/casino_lobby/web/words.js";

const series = (players, rest = {}) => ({
  firstHand: 1,
  lastHands: [4, 8, 9],
  players: Object.entries(players).map(([playerId, [net, ...nets]]) => ({ playerId, net, nets })),
  ...rest,
});
const points = (line) => line.map((part) => part.map(({ x, y }) => [x, y]));

describe("a player's line", () => {
  test("begins at 0, has both extremes of a step, and ends at the net", () => {
    const { first, last, lines } = netLinesOf(series({ a: [5, -3, 9, 12, 2, 5, 5] }));
    assert.deepEqual([first, last], [0, 9]);
    assert.deepEqual(points(lines.get("a")), [
      [
        [0, 0],
        [2, -3],
        [4, 9],
        [6, 12],
        [8, 2],
        [9, 5],
      ],
    ]);
  });

  test("has a gap where the player was not there, and goes on with the same net", () => {
    const { lines } = netLinesOf(
      series({ a: [7, -3, 9, null, null, 8, 8], b: [4, null, null, 4, 4] }),
    );
    assert.deepEqual(points(lines.get("a")), [
      [
        [0, 0],
        [2, -3],
        [4, 9],
      ],
      [
        [8, 9],
        [9, 8],
        [9, 7],
      ],
    ]);
    assert.deepEqual(points(lines.get("b")), [
      [
        [4, 0],
        [6, 4],
        [8, 4],
      ],
    ]);
  });

  test("is not there without a hand", () => {
    const nets = netLinesOf({ lastHands: [], players: [{ playerId: "a", net: 0, nets: [] }] });
    assert.deepEqual([nets.first, nets.last, nets.lines.get("a")], [0, 0, []]);
  });
});

test("the band is as wide at the end as the interval of the net, and grows with the root", () => {
  const { lines } = netLinesOf(series({ a: [5, 1, 1, 2, 2, 5, 5] }));
  const band = bandOf(lines.get("a"), { hands: 9, halfInterval95: 200 }, 2);
  assert.deepEqual(band[0], { x: 0, y: 0 });
  assert.deepEqual(band.at(-1), { x: 9, y: 36 }, "200 big blinds of 2 in 100 hands, in 9");
  assert.ok(Math.abs(band[6].y - 18) < 1e-9, "half of it after a quarter");
  assert.deepEqual(bandOf(lines.get("a"), { hands: 9, halfInterval95: null }, 2), []);
  assert.deepEqual(bandOf([], { hands: 9, halfInterval95: 3 }, 2), []);
  assert.deepEqual(rangeOf(lines.values(), band), { low: -36, high: 36 });
  assert.deepEqual(rangeOf(lines.values(), []), { low: 0, high: 5 });
});

test("statistics have their samples", () => {
  assert.equal(shareWords({ count: 31, of: 120 }), "26 % of 120");
  assert.equal(shareWords({ count: 0, of: 0 }), "–");
  assert.equal(factorWords({ count: 31, of: 20 }), "1.6");
  assert.equal(factorWords({ count: 3, of: 0 }), "3 to 0");
  assert.equal(factorWords({ count: 0, of: 0 }), "–");
  const tally = { count: 1, of: 2 };
  const statistics = Object.fromEntries(
    ["vpip", "pfr", "threeBet", "cBet", "aggression", "wentToShowdown", "wonAtShowdown"].map(
      (name) => [name, tally],
    ),
  );
  const lines = statisticsOf({ statistics, latency: { decisions: 1200, p50: 4, p95: 3100 } });
  assert.deepEqual(
    lines.map(([term, , value]) => `${term} ${value}`),
    [
      "VPIP 50 % of 2",
      "PFR 50 % of 2",
      "3B 50 % of 2",
      "CB 50 % of 2",
      "AF 0.5",
      "WTSD 50 % of 2",
      "W$SD 50 % of 2",
      "p50 4 ms",
      "p95 3,100 ms",
    ],
  );
  assert.deepEqual(statisticsOf({}), []);
});
