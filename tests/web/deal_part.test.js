/** The person's part in the deal: given first as a hash, and for one commitment of a block alone. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mock, test } from "node:test";
import { DealPart } from "../../services/lobby/casino_lobby/web/play/deal_part.js";
import { MySeat } from "../../services/lobby/casino_lobby/web/play/my_seat.js";
import { A2GServer, settle } from "./a2g_server.js";

const BLOCK = "main/1/0";

/** What a table commits to, with a contributor's commitment in it. */
function committed(commitment, { block = BLOCK, playerId = "p1", roots = "r" } = {}) {
  return { block, commitments: [{ commitment: "lobby's" }, { playerId, commitment }], roots };
}

test("the hash comes first, and the entropy for the first commitment alone", () => {
  const part = new DealPart();
  const { commitment } = part.answer({ block: BLOCK }, "p1");
  assert.deepEqual(
    part.answer({ block: BLOCK }, "p1"),
    { block: BLOCK, commitment },
    "asked twice",
  );
  const first = { block: BLOCK, commitment: committed(commitment) };
  const { entropy } = part.answer(first, "p1");
  const bytes = Buffer.from(entropy, "base64url");
  assert.equal(bytes.length, 32);
  assert.equal(createHash("sha256").update(bytes).digest("base64url"), commitment);
  assert.deepEqual(part.answer(first, "p1"), { block: BLOCK, entropy }, "the same once more");
  const second = committed(commitment, { roots: "of other decks" });
  assert.equal(part.answer({ block: BLOCK, commitment: second }, "p1"), null);
  const other = part.answer({ block: "main/1/1" }, "p1");
  assert.notEqual(other.commitment, commitment, "each block has entropy of its own");
});

test("nothing is revealed for a commitment that has not the own one", () => {
  const part = new DealPart();
  const { commitment } = part.answer({ block: BLOCK }, "p1");
  for (const wrong of [
    committed("another"),
    committed(commitment, { playerId: "p2" }),
    committed(commitment, { block: "main/1/1" }),
    { block: BLOCK },
    { block: BLOCK, commitments: [null, 7] },
    "text",
  ])
    assert.equal(part.answer({ block: BLOCK, commitment: wrong }, "p1"), null);
  const unknown = { block: "main/2/0", commitment: committed(commitment, { block: "main/2/0" }) };
  assert.equal(part.answer(unknown, "p1"), null, "a tab that was loaded again has forgotten it");
  assert.equal(part.answer({ block: 7 }, "p1"), null);
  assert.ok(part.answer({ block: BLOCK, commitment: committed(commitment) }, "p1").entropy);
});

test("the seat of a person answers its own table", async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const server = new A2GServer();
  const storage = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  const { WebSocket, fetch } = server;
  const seat = new MySeat("http://gateway", "t1", { storage, WebSocket, fetch }, () => {});
  await seat.sit({ name: "Ada", buyIn: null, seat: null });
  await settle();
  server.emit("contribution_request", { block: BLOCK, playerId: "p1" });
  const sent = () => server.heard.filter(({ type }) => type === "contribution");
  const [{ tableId, payload }] = sent();
  assert.equal(tableId, "t1");
  const request = { block: BLOCK, commitment: committed(payload.commitment) };
  server.emit("contribution_request", request, { tableId: "another" });
  assert.equal(sent().length, 1);
  server.emit("contribution_request", request);
  assert.equal(sent()[1].payload.entropy.length, 43);
  seat.stop();
  mock.timers.reset();
});
