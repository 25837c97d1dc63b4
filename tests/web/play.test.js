/** The logic of the player's controls: choices, amounts, keys and pre-actions. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  actionOf,
  choiceFor,
  choicesOf,
  commandOf,
  hasAmount,
  isForGame,
  keyOf,
  presetsOf,
  priceOf,
  typedAmount,
  within,
} from "../../services/lobby/casino_lobby/web/play/offers.js";

const HOLDEM = choicesOf([
  { type: "fold" },
  { type: "call" },
  { type: "raise", minAmount: 8, maxAmount: 200 },
  { type: "all-in" },
]);
const ROULETTE = choicesOf([
  { type: "PASS" },
  ...["red", "black", "straight-11"].map((bet) => ({
    type: "PLACE_BET",
    bet,
    minAmount: 1,
    maxAmount: 50,
  })),
]);
const STATE = {
  pot: 12,
  current_bet: 4,
  players: [
    { player_id: "a", stack: 198, bet: 2 },
    { player_id: "b", stack: 1, bet: 1 },
  ],
};
const kinds = (choices) => choices.map(({ kind }) => kind);

test("offers become buttons; all chips are the end of a range", () => {
  assert.deepEqual(kinds(HOLDEM), ["fold", "call", "raise"]);
  assert.deepEqual(HOLDEM.map(hasAmount), [false, false, true]);
  assert.deepEqual(kinds(choicesOf([{ type: "fold" }, { type: "all_in" }])), ["fold", "all-in"]);
  assert.deepEqual(actionOf(HOLDEM[2].offers[0], 40), { action: "raise", amount: 40 });
  assert.deepEqual(actionOf(HOLDEM[2].offers[0]), { action: "raise", amount: 8 });
  assert.deepEqual(actionOf(HOLDEM[1].offers[0], 40), { action: "call" });
});

test("offers of one kind are a list to select from, with an amount", () => {
  assert.deepEqual(kinds(ROULETTE), ["pass", "place-bet"]);
  const [, bets] = ROULETTE;
  assert.deepEqual(
    bets.offers.map(({ words }) => words),
    ["red", "black", "straight-11"],
  );
  const action = { action: "PLACE_BET", bet: "straight-11", amount: 5 };
  assert.deepEqual(actionOf(bets.offers[2], 5), action);
});

test("a few offers without an amount are buttons of their own", () => {
  const play = (card) => ({ action_type: "PLAY_CARD", card });
  const few = choicesOf([3, 7].map(play));
  assert.deepEqual(
    few.map(({ words }) => words),
    ["play card 3", "play card 7"],
  );
  assert.deepEqual(actionOf(few[1].offers[0]), { action: "PLAY_CARD", card: 7 });
  assert.equal(choicesOf([1, 2, 3, 4, 5, 6, 7].map(play)).length, 1);
});

test("what is no offer is left out, and no range is no amount", () => {
  assert.deepEqual(choicesOf(undefined), []);
  assert.deepEqual(choicesOf([null, 3, {}, { type: { evil: 1 } }]), []);
  for (const range of [{ min: 9, max: 1 }, { min: "1", max: "9" }, { min: 1 }])
    assert.equal(hasAmount(choicesOf([{ type: "bet", ...range }])[0]), false);
  assert.deepEqual(
    actionOf(choicesOf([{ type: "bet", minAmount: 2, maxAmount: 2 }])[0].offers[0]),
    {
      action: "bet",
      amount: 2,
    },
  );
});

test("a call costs at most the stack; a game without a pot has no price", () => {
  assert.deepEqual(priceOf(STATE, "a"), { pot: 12, bet: 4, toCall: 2, stack: 198 });
  assert.equal(priceOf(STATE, "b").toCall, 1);
  for (const state of [null, {}, { pot: 3 }, { ...STATE, players: [] }])
    assert.equal(priceOf(state, "a"), null);
});

test("presets are shares of the pot after a call, within the range", () => {
  const [{ offers }] = HOLDEM.filter(hasAmount);
  assert.deepEqual(presetsOf(offers[0], priceOf(STATE, "a")), [
    { words: "½ pot", amount: 11 },
    { words: "Pot", amount: 18 },
    { words: "All-in", amount: 200 },
  ]);
  const short = { ...offers[0], min: 15, max: 16 };
  assert.deepEqual(
    presetsOf(short, priceOf(STATE, "a")).map(({ amount }) => amount),
    [15, 16, 16],
  );
  const [, bets] = ROULETTE;
  assert.deepEqual(
    presetsOf(bets.offers[0], null).map(({ amount }) => amount),
    [1, 26, 50],
  );
  assert.deepEqual(presetsOf(HOLDEM[0].offers[0], null), []);
});

test("a typed amount is a whole number of the range", () => {
  const [offer] = HOLDEM[2].offers;
  assert.equal(typedAmount(" 40 ", offer), 40);
  const wide = { ...offer, max: 5_000 };
  assert.equal(typedAmount("1,234", wide), 1234);
  for (const typed of ["", "7", "201", "4.5", "-9", "ten", "1e2", "9".repeat(40)])
    assert.equal(typedAmount(typed, offer), null, typed);
  assert.equal(within(7.6, 8, 9), 8);
});

test("keys take what is offered", () => {
  const chosen = (key, choices) => commandOf(key, choices)?.choice?.kind ?? null;
  assert.equal(chosen("f", HOLDEM), "fold");
  assert.equal(chosen("C", HOLDEM), "call");
  assert.equal(chosen("r", HOLDEM), "raise");
  assert.deepEqual(commandOf("4", HOLDEM), { do: "type", digit: "4" });
  const checking = choicesOf([{ type: "check" }, { type: "bet", minAmount: 1, maxAmount: 9 }]);
  assert.equal(chosen("c", checking), "check");
  assert.equal(chosen("r", checking), "bet");
  assert.equal(chosen("f", checking), null, "nobody folds by mistake for free");
  const cards = choicesOf([{ type: "HIT" }, { type: "STAND" }]);
  assert.equal(chosen("2", cards), "stand");
  for (const key of ["3", "0", "x", "Enter", "F1"]) assert.equal(commandOf(key, cards), null);
});

test("each button shows its key", () => {
  const shown = (choices) => choices.map((choice) => keyOf(choice, choices));
  assert.deepEqual(shown(HOLDEM), ["F", "C", "R"]);
  assert.deepEqual(shown(ROULETTE), [null, null]);
  assert.deepEqual(shown(choicesOf([{ type: "HIT" }, { type: "STAND" }])), ["1", "2"]);
});

test("a pre-action takes the first of its kinds that is offered", () => {
  const taken = (preAction, ...types) =>
    choiceFor(preAction, choicesOf(types.map((type) => ({ type }))))?.kind ?? null;
  assert.equal(taken("check-fold", "fold", "call"), "fold");
  assert.equal(taken("check-fold", "check", "all-in"), "check");
  assert.equal(taken("call-any", "fold", "call"), "call");
  assert.equal(taken("call-any", "CHECK", "BET"), "check");
  assert.equal(taken("call-any", "fold", "all-in"), "all-in");
  assert.equal(taken("check-fold", "HIT", "STAND"), null);
  assert.equal(isForGame(HOLDEM), true);
  assert.equal(isForGame(ROULETTE), false);
});
