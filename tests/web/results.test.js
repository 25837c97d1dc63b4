/** Who wins, and how sure that is; who is who in it. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PlayerNames } from "../../services/lobby/casino_lobby/web/player_names.js";
import { headline, isOpen, rateWords } from "../../services/lobby/casino_lobby/web/results.js";

const player = (bbPer100, halfInterval95, rest = {}) => ({
  playerId: "a",
  displayName: "Ada",
  hands: 400,
  net: 612,
  bought: 200,
  stack: 812,
  bbPer100,
  halfInterval95,
  ...rest,
});

test("a win rate is open while its interval spans 0, or is not known", () => {
  assert.equal(isOpen(player(12, 11.9)), false);
  assert.equal(isOpen(player(-12, 11.9)), false);
  assert.equal(isOpen(player(12, 12)), true);
  assert.equal(isOpen(player(-3, 40)), true);
  assert.equal(isOpen(player(900, null)), true);
  assert.equal(isOpen(player(null, null)), true);
  assert.equal(isOpen(player(900)), true);
});

test("a win rate has its interval, and says so when it has none", () => {
  assert.equal(rateWords(player(12.54, 4)), "+12.5 ± 4");
  assert.equal(rateWords(player(-1804.2, 600.25)), "-1,804 ± 600");
  assert.equal(rateWords(player(0, 3)), "0 ± 3");
  assert.equal(rateWords(player(250, null)), "says nothing yet");
  assert.equal(rateWords(player(null, null)), "says nothing yet");
});

describe("the headline", () => {
  const line = (hands, ...players) => headline({ hands, players }, "bb/100");

  test("names who is ahead, and by how much", () => {
    assert.equal(
      line(2000, player(15.3, 4), player(-15.3, 4)),
      "After 2,000 hands, Ada is ahead with +612: +15.3 ± 4 bb/100.",
    );
  });

  test("makes nothing of luck", () => {
    const luck = "After 1 hand, Ada is ahead with +612: luck alone could do that.";
    assert.equal(line(1, player(30_600, null)), luck);
    assert.equal(line(1, player(3, 40)), luck);
  });

  test("waits for a hand", () => {
    assert.equal(line(0, player(null, null, { net: 0 })), "No hand is over yet.");
    assert.equal(line(0), "No hand is over yet.");
    assert.equal(line(3, player(0, 2, { net: 0 })), "After 3 hands, nobody is ahead.");
  });
});

describe("everybody who has played", () => {
  const seats = (...ids) =>
    new Map(ids.map((id, number) => [id, { id, name: `Name of ${id}`, number: 9 - number }]));

  test("gets a colour round the table, and keeps it", () => {
    const playerNames = new PlayerNames();
    playerNames.seat(seats("a", "b", "c"));
    assert.deepEqual(
      [...playerNames.colors],
      [
        ["c", 0],
        ["b", 1],
        ["a", 2],
      ],
    );
    playerNames.seat(seats("b", "d"));
    assert.equal(playerNames.colors.get("d"), 3);
    assert.equal(playerNames.colors.get("a"), 2);
    assert.equal(playerNames.names.get("a"), "Name of a");
  });

  test("is known by events and standings when nobody is seated any more", () => {
    const playerNames = new PlayerNames();
    playerNames.recall(new Map([["a", "Ada"]]));
    playerNames.rank([
      { playerId: "z", displayName: "Zoe" },
      { playerId: "b", displayName: "Bob" },
      { playerId: "a", displayName: "Older name" },
    ]);
    playerNames.pass({ stacks: new Map([["q", 1]]) });
    playerNames.pass(undefined);
    assert.deepEqual([...playerNames.colors.keys()], ["a", "b", "z", "q"]);
    assert.deepEqual([...playerNames.names.values()], ["Ada", "Bob", "Zoe"]);
  });

  test("shares colours from the eleventh on", () => {
    const playerNames = new PlayerNames();
    for (let number = 0; number < 12; number += 1) playerNames.seat(seats(`p${number}`));
    assert.deepEqual([playerNames.colors.get("p9"), playerNames.colors.get("p10")], [9, 0]);
  });

  test("is told apart where names are equal", () => {
    const playerNames = new PlayerNames();
    playerNames.recall([
      ["player-1", "Caller"],
      ["player-4", "Caller"],
      ["player-5", "Ada"],
      ["left", "Bob"],
      ["right", "Bob"],
    ]);
    const names = ["Caller #1", "Caller #4", "Ada", "Bob #left", "Bob #right"];
    assert.deepEqual([...playerNames.names.values()], names);
    const { names: before } = playerNames;
    playerNames.recall([["player-5", "Ada"]]);
    assert.equal(playerNames.names, before, "unchanged names cost no drawing");
    playerNames.recall([["player-6", "Ada"]]);
    assert.equal(playerNames.names.get("player-5"), "Ada #5");
  });
});
