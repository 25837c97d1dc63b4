/**
 * The page's check of a hundred hands of Hold'em, beside ten thousand hashes of two blocks each by
 * its own SHA-256, in the same run. Prints one JSON line: milliseconds of processors for both, each
 * the median of nine. Limits: 1.5 times what the hashes take, and 300 ms.
 */

import { readFileSync } from "node:fs";
import { CommittedBlock } from "../services/lobby/casino_lobby/web/fair/fair.js";
import { sha256 } from "../services/lobby/casino_lobby/web/fair/sha256.js";

const [HANDS, HASHES, RUNS] = [100, 10_000, 9];
const [MOST_OF_FLOOR, MOST_MS] = [1.5, 300];
const [proof] = JSON.parse(
  readFileSync(new URL("../tests/web/fair_proofs.json", import.meta.url), "utf8"),
);
const content = new Uint8Array(64);

/** Return the milliseconds of processors that a call takes. */
function msOf(act) {
  const start = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function checkHands() {
  const block = new CommittedBlock(proof.commitment, proof.contributed);
  for (let hand = 0; hand < HANDS; hand += 1) block.check(proof.events);
}

function hash() {
  for (let count = 0; count < HASHES; count += 1) sha256(content);
}

const first = msOf(checkHands);
const runs = Array.from({ length: RUNS }, () => [msOf(checkHands), msOf(hash)]);
const [hands, floor] = [0, 1].map((part) => {
  const sorted = runs.map((run) => run[part]).sort((left, right) => left - right);
  return sorted[Math.floor(RUNS / 2)];
});
const missed = [];
if (hands > MOST_OF_FLOOR * floor) missed.push("slower than the hashes by half");
if (hands > MOST_MS) missed.push(`more than ${MOST_MS} ms`);
const [ms, hashesMs, firstMs] = [hands, floor, first].map((value) => Math.round(value * 10) / 10);
console.log(JSON.stringify({ bench: "fair_hands", ms, hashesMs, firstMs, missed }));
process.exitCode = missed.length > 0 ? 1 : 0;
