/** Hands whose tables committed to their decks: honest ones, which Python dealt, and cheats. */

import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, mock, test } from "node:test";
import { checkedLine, marksLine } from "../../services/lobby/casino_lobby/web/fair/explanation.js";
import {
  CommittedBlock,
  canonical,
  DealFault,
  shuffled,
} from "../../services/lobby/casino_lobby/web/fair/fair.js";
import { HandChecks } from "../../services/lobby/casino_lobby/web/fair/hand_checks.js";
import {
  hmac,
  ofText,
  sha256,
  toText,
  whole,
} from "../../services/lobby/casino_lobby/web/fair/sha256.js";
import { EMPTY, reduce } from "../../services/lobby/casino_lobby/web/reducer.js";

/** Hands 201 to 204 of Hold'em, and one hand each of roulette, blackjack and a game of others. */
const PROOFS = JSON.parse(readFileSync(new URL("fair_proofs.json", import.meta.url), "utf8"));

/** Check a proof as the page does. */
async function check({ commitment, contributed, events }) {
  const block = new CommittedBlock(commitment, contributed);
  await block.unsigned();
  block.check(events);
}

/** Return base64url of which one bit differs. */
function flipped(text) {
  const bytes = Buffer.from(text, "base64url");
  bytes[0] ^= 1;
  return bytes.toString("base64url");
}

/** Return a proof in which what a path leads to is another value, or what a function makes of it. */
function changed(proof, path, value) {
  const copy = structuredClone(proof);
  const [started, completed] = [copy.events[0].payload, copy.events.at(-1).payload];
  let place = Object.assign(copy, { started, completed, opening: completed.opening });
  const names = path.split(".");
  const last = names.pop();
  for (const name of names) place = place[name];
  if (value === undefined) delete place[last];
  else place[last] = typeof value === "function" ? value(place[last]) : value;
  return copy;
}

/** Return the events of a room that commits, hears the contributors, and plays these hands. */
function eventsOf({ commitment, contributed }, ...proofs) {
  return [
    { eventType: "table_status", payload: { kind: "deal_committed", commitment } },
    { eventType: "table_status", payload: { kind: "deal_contributed", contributed } },
    ...proofs.flatMap(({ events }) => events),
  ].map((event, index) => ({ epoch: 1, sequence: index + 1, ...event }));
}

test("hashes are those of other implementations, at every length", () => {
  for (let size = 0; size < 200; size += 1) {
    const [content, key] = [randomBytes(size), randomBytes(size % 65)];
    const hex = (bytes) => Buffer.from(bytes).toString("hex");
    assert.equal(hex(sha256(content)), createHash("sha256").update(content).digest("hex"));
    assert.equal(hex(hmac(key, content)), createHmac("sha256", key).update(content).digest("hex"));
    assert.equal(toText(content), content.toString("base64url"));
    assert.deepEqual([...ofText(toText(content))], [...content]);
  }
  for (const text of ["a", "a+b/", "ab==", "ä", 7, null]) assert.equal(ofText(text), null);
  assert.equal(Buffer.from(whole(2 ** 40 + 5, 8)).readBigUInt64BE(), 2n ** 40n + 5n);
  assert.equal(
    canonical({ b: [1, { "": "\u2028" }], a: "é", A: true }),
    '{"A":true,"a":"é","b":[1,{"":"\u2028"}]}',
  );
});

test("every number has a place, in small decks and large ones", () => {
  for (const count of [0, 1, 2, 52, 256, 257, 312]) {
    const order = shuffled(sha256("key"), "values", count);
    assert.deepEqual(
      order.toSorted((left, right) => left - right),
      [...Array(count).keys()],
    );
  }
});

test("honest hands of all kinds of games are right, and their signature too", async () => {
  for (const proof of PROOFS) await check(proof);
  const unsigned = PROOFS.map((one) =>
    new CommittedBlock(one.commitment, one.contributed).unsigned(),
  );
  assert.deepEqual(await Promise.all(unsigned), [
    "",
    "",
    "",
    "",
    ...Array(3).fill("the table’s card has no key"),
  ]);
});

/** Two numbers in each other's place. */
const swapped = ([one, two, three, ...all]) => [three, two, one, ...all];

/** Another river, in the result alone. */
const withoutRiver = (events) => {
  events.at(-1).payload.communityCards[4].rank = "?";
  return events.filter(({ payload }) => payload.communityCards?.length !== 5 || payload.opening);
};

/** @type {[what: string, fault: RegExp, proof: number, path: string, value: unknown][]} */
const CHEATS = [
  ["another protocol", /protocol is not/, 3, "commitment.protocol", "a2a-casino/fair/v2"],
  ["roots changed afterwards", /signature .* wrong/, 3, "commitment.roots", flipped],
  ["a signature of something else", /signature .* wrong/, 3, "commitment.signature", flipped],
  ["a key without a signature", /signature .* wrong/, 3, "commitment.signature", undefined],
  ["another key", /signature .* wrong/, 3, "commitment.key.x", flipped],
  ["leaves beyond the deck", /no deck of such a size/, 4, "commitment.leaves", [38]],
  ["a leaf of less than nothing", /no deck of such a size/, 4, "commitment.leaves", [-1, 2]],
  [
    "a changed contribution",
    /ada contributed some/,
    3,
    "contributed.contributions.1.entropy",
    flipped,
  ],
  ["a contribution left out", /not as many/, 3, "contributed.contributions", (all) => all.slice(1)],
  [
    "another order",
    /the lobby is not in/,
    3,
    "contributed.contributions",
    (all) => all.toReversed(),
  ],
  ["contributions to another block", /to another block/, 3, "contributed.block", "main/1/4"],
  ["a block that was given up", /was missing/, 3, "contributed.missing", [{ reason: "silent" }]],
  ["no opening", /opened nothing/, 3, "completed.opening", undefined],
  ["an opening of another block", /from another block/, 3, "opening.block", "main/1/4"],
  ["a hand behind the block", /to no such hand/, 3, "completed.handNumber", 205],
  ["a hand before the block", /to no such hand/, 3, "completed.handNumber", 200],
  ["another hand of the block", /decks are not those/, 3, "completed.handNumber", 203],
  ["a player who came later", /not at the table when/, 3, "started.players.0.playerId", "eve"],
  ["another audit deck", /decks are not those/, 3, "opening.audit", flipped],
  ["no audit deck", /its audit has not 32 bytes/, 3, "opening.audit", undefined],
  ["another number", /decks are not those/, 3, "opening.numbers", swapped],
  ["a number twice", /dealt twice/, 3, "opening.numbers", ([_, two, ...all]) => [two, two, ...all]],
  ["a number that is none", /the deck has not/, 3, "opening.numbers.0", 52],
  ["a number too few", /as many cards as its/, 3, "opening.numbers", (all) => all.slice(1)],
  [
    "leaves that do not ascend",
    /leaves that there/,
    3,
    "opening.leaves",
    (all) => all.toReversed(),
  ],
  ["a salt too few", /its salts has not/, 3, "opening.salts", (salts) => salts.slice(22)],
  ["another closed leaf", /decks are not those/, 0, "opening.closed", flipped],
  ["another secret", /decks are not those/, 4, "opening.secret", flipped],
  ["another root of a closed deck", /decks are not those/, 6, "opening.root", flipped],
  ["no root of a closed deck", /its root has not/, 6, "opening.root", undefined],
  ["another river", /the river is not what/, 3, "events", withoutRiver],
  ["a board that changed", /board changed/, 3, "events.1.payload.communityCards.0.rank", "?"],
  ["another card shown", /the hand of cy is not/, 3, "completed.shown.0.cards.0.rank", "?"],
  ["the hand of another", /the hand of \w+ is not/, 3, "completed.shown.0.playerId", "ada"],
  ["a mucked hand opened", /nobody showed/, 3, "completed.shown", (all) => all.slice(1)],
  ["a shown hand not opened", /the hand of cy is not/, 0, "completed.shown.0.playerId", "cy"],
  ["a button elsewhere", /the hand of \w+ is not/, 3, "started.buttonSeat", 2],
];

describe("a cheat is named", () => {
  for (const [what, fault, proof, path, value] of CHEATS)
    test(what, async () => {
      await assert.rejects(check(changed(PROOFS[proof], path, value)), (error) => {
        assert.ok(error instanceof DealFault, String(error));
        assert.match(error.message, fault);
        return true;
      });
    });
});

describe("the hands of a room", () => {
  /** Return the checks of a room, and wait until so many hands are checked. */
  async function checksOf(events, proof = null, mark = null) {
    globalThis.document = { baseURI: "http://lobby/" };
    const asked = [];
    mock.method(globalThis, "fetch", async (target) => {
      asked.push(new URL(target).pathname + new URL(target).search);
      return proof ? Response.json(proof) : Response.json({ detail: "Gone." }, { status: 404 });
    });
    const checks = await new Promise((done) => {
      const found = new HandChecks("main", () => done(found));
      found.mark = mark;
      for (const event of events) found.take(event);
    });
    mock.reset();
    return { checks, asked };
  }

  test("are checked by their events, in any number", async () => {
    const { checks, asked } = await checksOf(eventsOf(PROOFS[0], ...PROOFS.slice(0, 4)));
    await new Promise(setImmediate);
    assert.deepEqual([checks.count, checks.failed, asked], [4, null, []]);
    assert.equal(checkedLine(checks), "4 hands checked here.");
    assert.deepEqual(checks.of(1, 201), { number: 201, fault: "" });
    assert.equal(checks.of(2, 201), null);
  });

  test("are checked by the lobby's proof where the commitment is older", async () => {
    const events = PROOFS[0].events.map((event) => ({ ...event, epoch: 3 }));
    const { checks, asked } = await checksOf(events, PROOFS[0]);
    assert.deepEqual([checks.count, checks.failed], [1, null]);
    assert.deepEqual(asked, ["/v1/rooms/main/hands/201/proof?epoch=3"]);
    const gone = await checksOf(events);
    assert.equal(checkedLine(gone.checks), "0 hands checked here. Gone.");
  });

  test("fail if the table committed late, or twice", async () => {
    const [committed, contributed, started, ...rest] = eventsOf(PROOFS[0], PROOFS[0]);
    const late = await checksOf([started, committed, contributed, ...rest]);
    assert.match(checkedLine(late.checks), /^Hand 201 fails: .*dealt already\.$/);
    const other = changed(PROOFS[0], "commitment.roots", flipped);
    const twice = await checksOf([...eventsOf(other), ...eventsOf(PROOFS[0], PROOFS[0])]);
    assert.match(twice.checks.failed.fault, /committed twice to the block main\/1\/3/);
  });

  test("fail if another key than the table's signed", async () => {
    const { crv, kty, x, y } = PROOFS[0].commitment.key;
    const hash = createHash("sha256").update(JSON.stringify({ crv, kty, x, y }));
    const mark = { block: "main/1/1", contributors: [], key: hash.digest("base64url") };
    const right = await checksOf(eventsOf(PROOFS[0], PROOFS[0]), null, mark);
    assert.equal(right.checks.failed, null);
    const other = { ...mark, key: "other" };
    const { checks } = await checksOf(eventsOf(PROOFS[0], PROOFS[0]), null, other);
    assert.match(checks.failed.fault, /not signed by the key of the table’s card/);
  });

  test("have their deal in the log, and its contributors in the explanation", () => {
    const [committed, contributed] = eventsOf(PROOFS[0]);
    const missing = [{ playerId: "bob", reason: "silent" }];
    contributed.payload.contributed = { ...PROOFS[0].contributed, missing };
    const { between } = [committed, contributed].reduce(reduce, EMPTY);
    assert.deepEqual(
      between.map(({ text }) => text),
      ["Deal committed: 4 hands", "Deal: the lobby, ada and cy contributed; bob was left out"],
    );
    assert.equal(
      marksLine(
        { block: "main/1/3", contributors: ["lobby", "ada"], missing },
        new Map([["ada", "Ada"]]),
      ),
      "Block main/1/3: the lobby and Ada contributed. Left out: bob (no answer in time).",
    );
  });
});
