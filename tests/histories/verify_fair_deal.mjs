/** Verifies the deal of a room, written from docs/fair-deal.md alone: `node verify_fair_deal.mjs FILE`. */

import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const T = Buffer.from("a2a-casino/fair/v1/");
const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const CARDS = [..."23456789TJQKA"].flatMap((rank) => SUITS.map((suit) => ({ rank, suit })));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const bytes = (text) => Buffer.from(text, "base64url");
const H = (...parts) => createHash("sha256").update(Buffer.concat(parts.map((one) => Buffer.from(one)))).digest();

function number(value, size) {
  const content = Buffer.alloc(size);
  if (size === 8) content.writeBigUInt64BE(BigInt(value));
  else content.writeUInt16BE(value);
  return content;
}

function must(isRight, otherwise) {
  if (!isRight) throw new Error(otherwise);
}

function B(key, use, i) {
  return createHmac("sha256", key).update(Buffer.concat([T, Buffer.from(use), number(i, 8)])).digest();
}

function shuffled(key, use, count) {
  const size = count > 256 ? 4 : 1;
  const most = 256 ** size;
  const order = Array.from({ length: count }, (_, place) => place);
  let [stream, block] = [Buffer.alloc(0), 0];
  for (let place = 0; place < count - 1; place++) {
    const k = count - place;
    let draw = most;
    while (draw >= most - (most % k)) {
      if (stream.length === 0) stream = B(key, use, block++);
      draw = stream.readUIntBE(0, size);
      stream = stream.subarray(size);
    }
    const other = place + (draw % k);
    [order[place], order[other]] = [order[other], order[place]];
  }
  return order;
}

/** RFC 8785 for what a commitment has: texts, whole numbers, lists, objects. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)}}`;
}

const leafHash = (c, leaf, numbers, salt) =>
  H("leaf", c, number(leaf, 2), ...numbers.map((one) => number(one, 2)), salt);

class Deck {
  constructor(secret, c, cards, leaves) {
    this.order = shuffled(secret, "order", cards);
    let start = 0;
    const hashes = leaves.map((size, leaf) => {
      const salt = H("salt", secret, number(leaf >> 1, 2)).subarray(16 * (leaf % 2), 16 * (leaf % 2) + 16);
      return leafHash(c, leaf, this.order.slice(start, (start += size)), salt);
    });
    this.root = leaves.length ? H("deck", ...hashes) : H("whole", c, secret);
  }
}

function openedLeaves(opening, c, leaves) {
  const numbers = [...opening.numbers];
  let [salts, closed] = [bytes(opening.salts), bytes(opening.closed)];
  const found = {};
  const hashes = leaves.map((size, leaf) => {
    if (!opening.leaves.includes(leaf)) {
      const hash = closed.subarray(0, 32);
      closed = closed.subarray(32);
      return hash;
    }
    const salt = salts.subarray(0, 16);
    salts = salts.subarray(16);
    found[leaf] = numbers.splice(0, size);
    return leafHash(c, leaf, found[leaf], salt);
  });
  must(!numbers.length && !salts.length && !closed.length, "the opening has more than its leaves");
  return [H("deck", ...hashes), found];
}

class Verifier {
  block = null;
  E = null;
  started = null;
  checked = 0;
  last = 0;

  take({ eventType, payload = {} }) {
    if (payload.kind === "deal_committed") this.commit(payload.commitment);
    else if (payload.kind === "deal_contributed") this.contribute(payload.contributed);
    else if (eventType === "hand_started") this.start(payload);
    else if (eventType === "hand_completed" && this.block) this.complete(payload);
  }

  commit(block) {
    const before = this.block;
    const [, epoch, count] = /^(.*\/)(\d+)$/.exec(block.block);
    if (before?.block.startsWith(epoch)) {
      must(+count === +before.block.slice(epoch.length) + 1, "a block is missing, or there twice");
      const usedUp = this.last + 1 >= before.firstHand + bytes(before.roots).length / 32;
      const isNew = block.seats.some((one) => !before.seats.includes(one));
      const isOther = block.gameType !== before.gameType || block.cards !== before.cards;
      must(usedUp || isNew || isOther || !this.E, "a block was given up for no reason");
    }
    const { signature, ...plain } = block;
    this.root = H(canonical(plain));
    if (block.key) {
      const key = createPublicKey({ key: block.key, format: "jwk" });
      const isSigned = verify("sha256", this.root, { key, dsaEncoding: "ieee-p1363" }, bytes(signature));
      must(isSigned, "the signature is wrong");
    }
    [this.block, this.E] = [block, null];
  }

  contribute({ block, contributions, missing }) {
    must(block === this.block?.block && !this.E, "contributions without their commitment");
    if (missing) return;
    const given = contributions.map((one) => [one.playerId, H(bytes(one.entropy)).toString("base64url")]);
    const asked = this.block.commitments.map((one) => [one.playerId, one.commitment]);
    must(same(given, asked), "contributions are not those that were committed to");
    this.E = H(T, "entropy/", this.root, ...contributions.map((one) => bytes(one.entropy)));
  }

  start(hand) {
    must(hand.handNumber > this.last, "a hand was dealt twice");
    must(!this.block || this.E, "a hand began before the contributions");
    [this.started, this.last] = [hand, hand.handNumber];
  }

  complete(hand) {
    const { opening, handNumber } = hand;
    const { block, cards, leaves, firstHand, roots, gameType } = this.block;
    must(opening.block === block, "a hand was opened from another block");
    const K = B(this.E, "hand", handNumber);
    const isB = K[0] & 1;
    const name = H(T, "block/", block).subarray(0, 16);
    const [c, other] = (isB ? "BA" : "AB").split("").map((side) => Buffer.concat([name, number(handNumber, 8), Buffer.from(side)]));
    const audit = new Deck(bytes(opening.audit), other, cards, leaves).root;
    const values = shuffled(K, "values", cards);
    let [root, found, dealt] = [null, {}, []];
    if (opening.secret) {
      const deck = new Deck(bytes(opening.secret), c, cards, leaves);
      [root, dealt] = [deck.root, deck.order.map((one) => values[one])];
    } else if (opening.leaves) [root, found] = openedLeaves(opening, c, leaves);
    else root = bytes(opening.root);
    const place = 32 * (handNumber - firstHand);
    const committed = bytes(roots).subarray(place, place + 32);
    must(H("hand", ...(isB ? [audit, root] : [root, audit])).equals(committed), "its decks are others");
    const seen = Object.fromEntries(Object.entries(found).map(([leaf, own]) => [leaf, own.map((x) => CARDS[values[x]])]));
    if (gameType === "texas-holdem") this.compare(hand, seen, leaves.length);
    if (gameType === "roulette") must(hand.result.public.pocket === dealt[0], "its pocket is another one");
    this.checked++;
  }

  compare(hand, seen, count) {
    const { players, buttonSeat } = this.started;
    const after = (one) => (one.seatNumber > buttonSeat ? 0 : 1);
    const order = players.toSorted((a, b) => after(a) - after(b) || a.seatNumber - b.seatNumber);
    const streets = [0, 3, 4, 5].indexOf(hand.communityCards.length);
    const board = Array.from({ length: streets }, (_, n) => count - 3 + n);
    must(same(board.flatMap((leaf) => seen[leaf] ?? [null]), hand.communityCards), "its board is another");
    const shown = hand.shown.map((one) => order.findIndex((each) => each.playerId === one.playerId));
    must(same([...shown, ...board].sort((a, b) => a - b), Object.keys(seen).map(Number)), "more or less is opened than was seen");
    for (const [n, one] of hand.shown.entries())
      must(seen[shown[n]].every((card) => one.cards.some((own) => same(own, card))), `${one.playerId} has other cards`);
  }
}

const verifier = new Verifier();
try {
  const found = JSON.parse(readFileSync(process.argv[2], "utf8"));
  if (found.commitment) verifier.commit(found.commitment);
  if (found.commitment) verifier.contribute(found.contributed);
  for (const event of found.events) verifier.take(event);
  console.log(`fair: ${verifier.checked}`);
} catch (fault) {
  console.log(`UNFAIR: hand ${verifier.last}: ${fault.message}`);
  process.exitCode = 1;
}
