/**
 * Checks that a hand was dealt from a deck to which the table had committed, and as the entropy of
 * all contributors says; docs/fair-deal.md has every byte. Pure, but for the signature.
 */
// @ts-check

/** @import { Card, Fields, TableEvent } from "../types.js" */

import { cards as cardsOf, isRecord, list, records, text, wholeOr } from "../reading.js";
import { hmac, joined, ofText, sha256, toText, whole } from "./sha256.js";

const PROTOCOL = "a2a-casino/fair/v1";
const TAG = `${PROTOCOL}/`;
const HASH = 32;
const SALT = 16;
const [MOST_CARDS, MOST_LEAVES] = [65_535, 64];
const RANKS = "23456789TJQKA";
const SUITS = "cdhs";
const STREETS = ["flop", "turn", "river"];

/** @typedef {Map<number, number[]>} OpenedCards The cards of each opened leaf. */

/** Why a deal cannot be taken for a fair one, as the end of a sentence. */
export class DealFault extends Error {}

/**
 * @param {boolean} isRight
 * @param {string} fault What is said if it is not.
 * @returns {asserts isRight}
 */
function demand(isRight, fault) {
  if (!isRight) throw new DealFault(fault);
}

/**
 * Return a JSON value in canonical form (RFC 8785); its numbers are whole.
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort(); // by UTF-16 code units, as the RFC has it
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/**
 * Return the numbers below `count` in the order that follows from a key and its use.
 * @param {Uint8Array} key
 * @param {string} use
 * @param {number} count
 */
export function shuffled(key, use, count) {
  const order = Array.from({ length: count }, (_, number) => number);
  const size = count > 256 ? 4 : 1;
  const values = 256 ** size;
  let [bytes, next, blocks] = [new Uint8Array(), 0, 0];
  const draw = () => {
    if (next === bytes.length) [bytes, next, blocks] = [stream(key, use, blocks), 0, blocks + 1];
    let number = 0;
    for (const end = next + size; next < end; next += 1) number = 256 * number + (bytes[next] ?? 0);
    return number;
  };
  for (let place = 0; place < count - 1; place += 1) {
    const candidates = count - place;
    let drawn = draw();
    while (drawn >= values - (values % candidates)) drawn = draw();
    const other = place + (drawn % candidates);
    [order[place], order[other]] = [order[other] ?? 0, order[place] ?? 0];
  }
  return order;
}

/**
 * @param {Uint8Array} key
 * @param {string} use
 * @param {number} number
 */
function stream(key, use, number) {
  return hmac(key, joined(TAG, use, whole(number, 8)));
}

/**
 * Return the bytes of a field; throws DealFault.
 * @param {Fields} fields
 * @param {string} name
 * @param {number} size
 */
function bytesIn(fields, name, size) {
  const bytes = ofText(fields[name]);
  demand(bytes?.length === size, `its ${name} has not ${size} bytes`);
  return bytes;
}

/**
 * Return how a log names who has a part in a deal.
 * @param {unknown} playerId
 */
const whoIs = (playerId) => (playerId === undefined ? "the lobby" : text(playerId));

/** What a table committed to for some hands, and the entropy that came after it. */
export class CommittedBlock {
  #commitment;
  #cards;
  /** @type {number[]} */
  #leaves;
  #roots;
  #root;
  #entropy;

  /**
   * Throws DealFault for anything that is no commitment, or not what was contributed to it.
   * @param {Fields} commitment
   * @param {Fields} contributed
   */
  constructor(commitment, contributed) {
    const { signature: _, ...signed } = commitment;
    this.name = text(commitment.block);
    this.firstHand = wholeOr(commitment.firstHand, 0);
    this.#commitment = commitment;
    this.#cards = wholeOr(commitment.cards, -1);
    this.#leaves = list(commitment.leaves).map((size) => wholeOr(size, -1));
    this.#roots = ofText(commitment.roots) ?? new Uint8Array();
    demand(commitment.protocol === PROTOCOL, `its protocol is not ${PROTOCOL}`);
    const least = this.#leaves.reduce((sum, size) => (size < 0 ? NaN : sum + size), 0);
    demand(least <= this.#cards && this.#cards <= MOST_CARDS, "there is no deck of such a size");
    demand(this.#leaves.length <= MOST_LEAVES, `its deck has more than ${MOST_LEAVES} leaves`);
    this.#root = sha256(canonical(signed));
    this.#entropy = sha256(TAG, "entropy/", this.#root, ...this.#contributions(contributed));
  }

  /** How many hands it has. */
  get size() {
    return this.#roots.length / HASH;
  }

  /** The thumbprint of the key that signs (RFC 7638); that of an empty key without one. */
  get keyThumbprint() {
    const { crv, kty, x, y } = /** @type {Fields} */ (this.#commitment.key ?? {});
    return toText(sha256(canonical({ crv, kty, x, y })));
  }

  /** @param {Fields} contributed */
  #contributions({ block, contributions, missing }) {
    const committed = records(this.#commitment.commitments);
    const given = records(contributions);
    demand(block === this.name, "the contributions are those to another block");
    demand(list(missing).length === 0, "it was dealt though a contribution was missing");
    demand(committed.length > 0, "nobody but the table had a part in the deal");
    demand(given.length === committed.length, "there are not as many contributions as commitments");
    return committed.map(({ playerId, commitment }, index) => {
      const one = given[index] ?? {};
      const entropy = ofText(one.entropy) ?? new Uint8Array();
      demand(
        one.playerId === playerId && entropy.length === HASH,
        `the contribution of ${whoIs(playerId)} is not in its place`,
      );
      const isKept = toText(sha256(entropy)) === commitment;
      demand(isKept, `${whoIs(playerId)} contributed something else than it had committed to`);
      return entropy;
    });
  }

  /**
   * Check the signature; returns why there is none to check, "" if it is right. Throws DealFault
   * for a wrong one.
   */
  async unsigned() {
    const { key, signature } = this.#commitment;
    const { subtle } = globalThis.crypto;
    if (!isRecord(key)) return "the table’s card has no key";
    if (!subtle) return "browsers check one over HTTPS and at localhost only";
    const kind = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const { kty, crv, x, y } = /** @type {JsonWebKey} */ (key);
    const content = ofText(signature) ?? new Uint8Array();
    const isRight = await subtle
      .importKey("jwk", /** @type {JsonWebKey} */ ({ kty, crv, x, y }), kind, false, ["verify"])
      .then((publicKey) => subtle.verify(kind, publicKey, content, this.#root.slice()))
      .catch(() => false);
    demand(isRight, "the signature of the table’s commitment is wrong");
    return "";
  }

  /**
   * Check a completed hand; throws DealFault.
   * @param {TableEvent[]} events All of them, from `hand_started` to `hand_completed`.
   */
  check(events) {
    const payloads = events.map(({ payload }) => payload ?? {});
    const [started, completed] = ["hand_started", "hand_completed"].map((type) => {
      const found = events.findIndex(({ eventType }) => eventType === type);
      return payloads[found] ?? {};
    });
    const { opening, handNumber } = completed ?? {};
    demand(isRecord(opening), "the table opened nothing of it");
    demand(opening.block === this.name, `it was dealt from another block than ${this.name}`);
    const hand = wholeOr(handNumber, 0);
    const start = (hand - this.firstHand) * HASH;
    const committed = this.#roots.subarray(start, start + HASH);
    demand(start >= 0 && committed.length === HASH, "the table committed to no such hand");
    const seats = new Set(list(this.#commitment.seats));
    const isKnown = records(started?.players).every(({ playerId }) => seats.has(playerId));
    demand(isKnown, "somebody played who was not at the table when it committed");

    const key = stream(this.#entropy, "hand", hand);
    const sides = (key[0] ?? 0) & 1 ? ["B", "A"] : ["A", "B"];
    const [played, audited] = sides.map((side) => this.#context(hand, side));
    const roots = [
      this.#openedRoot(opening, played ?? TAG),
      this.#rootOf(bytesIn(opening, "audit", HASH), audited ?? TAG),
    ];
    if (sides[0] === "B") roots.reverse();
    const isCommitted = toText(sha256("hand", ...roots)) === toText(committed);
    demand(isCommitted, "its decks are not those to which the table had committed");
    const values = shuffled(key, "values", this.#cards);
    if (this.#commitment.gameType === "texas-holdem")
      this.#checkCards(started ?? {}, payloads, this.#cardsIn(opening, values));
  }

  /**
   * @param {number} hand
   * @param {string} side
   */
  #context(hand, side) {
    return joined(sha256(TAG, "block/", this.name).subarray(0, 16), whole(hand, 8), side);
  }

  /**
   * Return the root of a deck that follows from its secret.
   * @param {Uint8Array} secret
   * @param {Uint8Array | string} context
   */
  #rootOf(secret, context) {
    if (this.#leaves.length === 0) return sha256("whole", context, secret);
    const order = shuffled(secret, "order", this.#cards);
    let dealt = 0;
    const hashes = this.#leaves.map((size, leaf) => {
      const numbers = order.slice(dealt, dealt + size);
      dealt += size;
      const pair = sha256("salt", secret, whole(leaf >> 1, 2));
      const from = SALT * (leaf & 1);
      return leafHash(context, leaf, numbers, pair.subarray(from, from + SALT));
    });
    return sha256("deck", ...hashes);
  }

  /**
   * Return the root of the played deck, from as much as is opened of it.
   * @param {Fields} opening
   * @param {Uint8Array | string} context
   */
  #openedRoot(opening, context) {
    if (opening.secret !== undefined)
      return this.#rootOf(bytesIn(opening, "secret", HASH), context);
    if (opening.leaves === undefined) return bytesIn(opening, "root", HASH);
    const opened = this.#numbersIn(opening);
    const salts = bytesIn(opening, "salts", SALT * opened.size);
    const closed = bytesIn(opening, "closed", HASH * (this.#leaves.length - opened.size));
    let [salt, shut] = [0, 0];
    const hashes = this.#leaves.map((_, leaf) => {
      const numbers = opened.get(leaf);
      if (!numbers) return closed.subarray(HASH * shut++, HASH * shut);
      return leafHash(context, leaf, numbers, salts.subarray(SALT * salt++, SALT * salt));
    });
    return sha256("deck", ...hashes);
  }

  /**
   * Return the numbers of each opened leaf.
   * @param {Fields} opening
   */
  #numbersIn({ leaves, numbers }) {
    const opened = list(leaves).map((leaf) => wholeOr(leaf, -1));
    const ascend = opened.every((leaf, index) => leaf > (opened[index - 1] ?? -1));
    demand(
      ascend && (opened.at(-1) ?? 0) < this.#leaves.length,
      "it opens leaves that there are not",
    );
    const all = list(numbers).map((number) => wholeOr(number, -1));
    demand(
      all.every((number) => number >= 0 && number < this.#cards),
      "it opens a card that the deck has not",
    );
    demand(new Set(all).size === all.length, "a card of it was dealt twice");
    /** @type {OpenedCards} */
    const found = new Map();
    let end = 0;
    for (const leaf of opened) {
      const size = this.#leaves[leaf] ?? 0;
      found.set(leaf, all.slice(end, end + size));
      end += size;
    }
    demand(end === all.length, "it does not open as many cards as its leaves have");
    return found;
  }

  /**
   * Return the cards of each opened leaf.
   * @param {Fields} opening
   * @param {number[]} values
   */
  #cardsIn(opening, values) {
    /** @type {OpenedCards} */
    const found = new Map();
    if (opening.leaves === undefined) return found;
    for (const [leaf, numbers] of this.#numbersIn(opening))
      found.set(
        leaf,
        numbers.map((number) => values[number] ?? -1),
      );
    return found;
  }

  /**
   * Check that board and shown hands of Hold'em are what was opened, and that this is all.
   * @param {Fields} started
   * @param {Fields[]} payloads Those of the hand.
   * @param {OpenedCards} opened
   */
  #checkCards(started, payloads, opened) {
    const seats = this.#leaves.length - STREETS.length;
    const leaves = [...Array(Math.max(0, seats)).fill(2), 3, 1, 1];
    const isPlan = this.#cards === 52 && `${leaves}` === `${this.#leaves}`;
    demand(isPlan, "its decks are not cut as those of Hold’em");
    const completed = payloads.at(-1) ?? {};
    const board = cardsOf(completed.communityCards).map(cardText);
    const isSame = payloads.every(({ communityCards }) =>
      cardsOf(communityCards).every((card, index) => cardText(card) === board[index]),
    );
    demand(isSame, "its board changed while it was played");
    /** @type {[leaf: number, what: string, cards: string][]} */
    const told = [];
    let dealt = 0;
    for (const [index, street] of STREETS.entries()) {
      const size = leaves[seats + index];
      if (board.length > dealt)
        told.push([seats + index, `the ${street}`, `${board.slice(dealt, dealt + size)}`]);
      dealt += size;
    }
    const order = dealtOrder(started);
    for (const { playerId, cards } of records(completed.shown)) {
      const leaf = order.indexOf(text(playerId));
      told.push([leaf, `the hand of ${text(playerId)}`, `${cardsOf(cards).map(cardText).sort()}`]);
    }
    for (const [leaf, what, cards] of told) {
      const found = (opened.get(leaf) ?? []).map(cardName);
      const isIt = `${leaf < seats ? found.sort() : found}` === cards;
      demand(isIt, `${what} is not what the table had committed to`);
    }
    const isAll = opened.size === new Set(told.map(([leaf]) => leaf)).size;
    demand(isAll, "it opens cards that nobody showed");
  }
}

/**
 * @param {Uint8Array | string} context
 * @param {number} leaf
 * @param {number[]} numbers
 * @param {Uint8Array} salt
 */
function leafHash(context, leaf, numbers, salt) {
  const pairs = [leaf, ...numbers].flatMap((number) => [number >> 8, number & 255]);
  return sha256("leaf", context, Uint8Array.from(pairs), salt);
}

/**
 * Return the ids of a hand's players as their cards are dealt: the button, or who is before it, last.
 * @param {Fields} started
 */
function dealtOrder({ players, buttonSeat }) {
  const button = wholeOr(buttonSeat, 0);
  /** @type {(player: Fields) => number} */
  const turn = ({ seatNumber }) => {
    const seat = wholeOr(seatNumber, 0);
    return seat > button ? seat - 1e6 : seat;
  };
  const sorted = records(players).sort((left, right) => turn(left) - turn(right));
  return sorted.map(({ playerId }) => text(playerId));
}

/** @param {Card} card */
function cardText({ rank, suit }) {
  return rank + suit.slice(0, 1);
}

/** @param {number} card */
function cardName(card) {
  return `${RANKS[card >> 2]}${SUITS[card & 3]}`;
}
