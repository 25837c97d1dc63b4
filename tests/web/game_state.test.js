/** What is shown of a public state, whatever the game. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  cardsBySeat,
  cardsIn,
  factsOf,
  gameWords,
  wordsOf,
} from "../../services/lobby/casino_lobby/web/game_state.js";
import { seatOf } from "../../services/lobby/casino_lobby/web/reading.js";

const SEATS = new Map(
  ["Ada", "Bob", "Cleo", "Dan"].map((displayName, number) => [
    `p${number}`,
    seatOf({ playerId: `p${number}`, displayName, seatNumber: number }),
  ]),
);
const facts = (state, first = null, told = []) => factsOf({ state, first, told }, SEATS);
const Q_OF_SPADES = { rank: "Q", suit: "spades" };

test("names of the wire become words", () => {
  for (const name of ["to_call", "toCall", "TO_CALL", "to-call_"]) {
    assert.equal(wordsOf(name), "to call");
  }
  assert.equal(gameWords("kuhn_poker"), "kuhn poker");
  assert.equal(gameWords("texas-holdem"), null);
  assert.equal(gameWords(null), null);
});

describe("cards", () => {
  test("are found by their look, or by the name of their field", () => {
    assert.deepEqual(cardsIn("10h", "x"), [{ rank: "T", suit: "hearts" }]);
    assert.deepEqual(cardsIn(["Qs", "nothing"], "x"), [Q_OF_SPADES]);
    assert.deepEqual(cardsIn([7, "K"], "cards"), [
      { rank: "7", suit: "" },
      { rank: "K", suit: "" },
    ]);
    assert.deepEqual(cardsIn([7], "dealer_hand"), [{ rank: "7", suit: "" }]);
    assert.deepEqual(cardsIn([7, "K"], "points"), []);
    assert.deepEqual(cardsIn(100, "card"), [], "no card has such a number");
  });

  test("are not looked for too deep, and not without end", () => {
    const deep = (levels) => (levels === 0 ? "Qs" : [deep(levels - 1)]);
    assert.deepEqual(cardsIn(deep(5), "x"), [Q_OF_SPADES]);
    assert.deepEqual(cardsIn(deep(6), "x"), []);
    assert.equal(cardsIn(Array(99).fill("Qs"), "x").length, 12);
  });

  test("lie at the seats of players that the state names", () => {
    const state = {
      hands: { p0: ["Qs"] },
      players: [{ player_id: "p0", card: "Qs" }, { player_id: "p1" }],
      others: { nobody: ["Qs"] },
      history: { p2: ["Qs"] },
    };
    assert.deepEqual(cardsBySeat(state, SEATS), new Map([["p0", [Q_OF_SPADES, Q_OF_SPADES]]]));
    assert.deepEqual(cardsBySeat("state", SEATS), new Map());
  });
});

describe("facts", () => {
  test("are ordered: cards, what changed, players, what is fixed", () => {
    const state = { limit: 5, points: { p0: 1, p1: 2 }, pot: 7, board: ["Qs"] };
    assert.deepEqual(facts(state, { limit: 5, pot: 2 }), [
      { label: "board", parts: [Q_OF_SPADES], of: "cards" },
      { label: "pot", parts: ["7"], of: "table" },
      { label: "points", parts: ["Ada 1 · Bob 2"], of: "players" },
      { label: "limit", parts: ["5"], of: "rules" },
    ]);
  });

  test("are the game's own sentences, with its cards, if it has any", () => {
    const state = { pot: 7, dealer: { cards: ["Qs"], total: 10 }, points: { p0: 1, p1: 2 } };
    assert.deepEqual(facts(state, null, ["The dealer has 22 and <b>busts</b>."]), [
      { label: "dealer", parts: [Q_OF_SPADES], of: "cards" },
      { label: "", parts: ["The dealer has 22 and <b>busts</b>."], of: "told" },
    ]);
    const [long, ...more] = facts({}, null, Array(9).fill("🎲".repeat(999)));
    assert.equal(long.parts[0], `${"🎲".repeat(299)}…`);
    assert.equal(more.length, 3);
  });

  test("leave out what the seats show, what is hidden, and what is empty", () => {
    const state = {
      players: { p0: { stack: 1, hand: "Qs" } },
      current_player: "p0",
      a: null,
      b: "",
    };
    assert.deepEqual(facts(state), []);
  });

  test("name players and say yes and no", () => {
    const state = { leader: "p1", done: true, open: false, many: { x: 1, y: ["p0", 2] } };
    assert.deepEqual(
      facts(state).map(({ parts }) => parts),
      [["Bob"], ["yes"], ["no"], ["x 1", "y Ada, 2"]],
    );
    assert.equal(facts({ points: { p0: 1, p1: 2, p2: 3, p3: 4 } })[0].of, "many");
  });

  test("are few and short, whatever the state is", () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, number) => [`k${number}`, 1]));
    assert.equal(facts(many).length, 12);
    const [fact] = facts({ ["a".repeat(9000)]: "b".repeat(9000) });
    assert.deepEqual([fact.label.length, fact.parts[0].length], [40, 40]);
    const [list] = facts({ numbers: Array.from({ length: 5000 }, (_, number) => number) });
    assert.equal(list.parts[0], "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …");
    assert.deepEqual(facts({ rows: [{}, {}, {}] })[0].parts, ["3"]);
    assert.deepEqual(facts("state"), []);
    assert.deepEqual(facts([1]), []);
  });

  test("of hostile names are text", () => {
    const hostile = JSON.parse('{"__proto__": {"x": 1}, "toString": 1, "p0": "<img>"}');
    const labels = facts(hostile).map(({ label }) => label);
    assert.deepEqual(labels.sort(), ["p0", "proto", "to string"]);
    assert.deepEqual(facts({ "<img>": "<b>" })[0], { label: "<img>", parts: ["<b>"], of: "table" });
  });
});
