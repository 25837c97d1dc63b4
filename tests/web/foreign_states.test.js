/** The public states of `tests/vectors` are summarized by the page as by the console. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import {
  cardsBySeat,
  factsOf,
  gameWords,
  wordsOf,
} from "../../services/lobby/casino_lobby/web/game_state.js";
import { seatOf } from "../../services/lobby/casino_lobby/web/reading.js";

const VECTORS = JSON.parse(
  readFileSync(new URL("../vectors/foreign_states.json", import.meta.url), "utf8"),
);
const cardsText = (cards) => cards.map(({ rank, suit }) => rank + suit.slice(0, 1)).join(" ");

/** Return a fact's parts as the console writes them in a line. */
function textOf(parts) {
  if (parts.every((part) => typeof part === "object")) return cardsText(parts);
  return parts.join(", ").replaceAll(" · ", ", ");
}

test("names of the wire become words", () => {
  for (const [name, words] of VECTORS.words) assert.equal(wordsOf(name), words);
});

test("games have names, except Hold'em", () => {
  for (const [gameType, words] of VECTORS.games) assert.equal(gameWords(gameType), words);
});

describe("a state has facts, and cards at the seats", () => {
  for (const { name, players, state, facts, cards } of VECTORS.states) {
    test(name, () => {
      const seats = new Map(
        Object.entries(players).map(([playerId, displayName], seatNumber) => [
          playerId,
          seatOf({ playerId, displayName, seatNumber }),
        ]),
      );
      const found = factsOf({ state, first: null, told: [] }, seats);
      const texts = found.map(({ label, parts }) => [label, textOf(parts)]);
      assert.deepEqual(new Map(texts.sort()), new Map(Object.entries(facts).sort()));
      const atSeats = [...cardsBySeat(state, seats)].map(([id, some]) => [id, cardsText(some)]);
      assert.deepEqual(Object.fromEntries(atSeats), cards);
    });
  }
});
