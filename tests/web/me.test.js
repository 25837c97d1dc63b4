/** My bot: links without the key, decisions in words, questions as commands. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import {
  curlOf,
  decisionLine,
  handFacts,
  netWords,
} from "../../services/lobby/casino_lobby/web/me_hand.js";
import { isUnknown, myLink, myPlace, parse } from "../../services/lobby/casino_lobby/web/router.js";

test("a link names room, player and hand, and may bring the key", () => {
  assert.deepEqual(myPlace("#/me/main/player-1?key=abc"), {
    room: "main",
    player: "player-1",
    hand: null,
    key: "abc",
  });
  assert.deepEqual(myPlace("#/me/a%2Fb/player-1/2.17"), {
    room: "a/b",
    player: "player-1",
    hand: { epoch: 2, number: 17 },
    key: null,
  });
  assert.equal(myPlace("#/me/main/player-1/17")?.hand, null);
  for (const hash of ["", "#/", "#/me", "#/me/main", "#/rooms/main", "#/you/main/player-1"])
    assert.equal(myPlace(hash), null, hash);
});

test("links that the page makes have no key", () => {
  assert.equal(myLink("a/b", "p?key=1"), "#/me/a%2Fb/p%3Fkey%3D1");
  const hand = { epoch: 2, number: 17 };
  const place = myPlace(myLink("a/b", "p?key=1", hand));
  assert.deepEqual(place, { room: "a/b", player: "p?key=1", hand, key: null });
  assert.equal(parse("#/me/main/player-1").room, null);
  assert.equal(isUnknown("#/me/main/player-1"), true);
});

test("a decision says what was done, how, and how long it took", () => {
  const decision = { bettingRound: "flop", action: "raise", amount: 1400, outcome: "ok" };
  assert.equal(decisionLine({ ...decision, latencyMs: 12 }), "flop · raise 1,400 · 12 ms");
  const late = { bettingRound: "flop", action: "fold", outcome: "timeout", latencyMs: 10_000 };
  assert.equal(decisionLine(late), "flop · fold · too late · 10,000 ms");
  assert.match(decisionLine({ action: "fold", outcome: "sitting_out" }), /not asked$/);
  assert.match(decisionLine({ action: "call", outcome: "retried", latencyMs: 3 }), /second try/);
});

test("a hand's facts are short", () => {
  assert.equal(handFacts({ decisions: 1, faults: 0, slowestMs: 7 }), "1 decision · 7 ms");
  assert.equal(handFacts({ decisions: 3, faults: 2 }), "3 decisions · 2 failed");
  assert.equal(netWords({ net: -1200 }), "-1,200");
  assert.equal(netWords({}), "");
});

test("a shell gets the question unchanged, whatever strangers wrote into it", () => {
  const said = "it's $(touch /tmp/x) `id` \\ \" \n \u202E \u{1F0A1} ' ; rm -rf /";
  const command = curlOf({ toCall: 4, history: [{ message: said }] });
  assert.match(command, /^[\n -~]*$/);
  const script = command.replace(/^curl/, "printf '%s\\0'");
  const words = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0");
  const call = JSON.parse(words[words.indexOf("-d") + 1] ?? "");
  assert.equal(call.method, "SendMessage");
  const { parts, metadata, extensions } = call.params.message;
  assert.deepEqual(parts[0].data, { toCall: 4, history: [{ message: said }] });
  assert.deepEqual(metadata[extensions[0]], { skill: "act" });
});
