/**
 * What an operator may see of a completed hand: hidden cards, reasoning, and chances to win.
 *
 * A hand's record has the chances at the beginning of each street; after somebody has folded they
 * follow from the cards: exact once there is a flop, an estimate before it. Cards that nobody knows
 * may still be dealt.
 */
// @ts-check

/** @import { Card, HandRecord, Insight, Odds, TableState } from "./types.js" */

import { isLive } from "./betting.js";
import { cardsIn } from "./game_state.js";
import { decisionOf, fields, records } from "./reading.js";

const RANKS = "23456789TJQKA";
const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const BOARD = 5;
/** The street of a hand whose cards are turned after the last bets: chances would tell who wins. */
export const SHOWDOWN = "Showdown";
/** Boards before the flop: a standard error of at most 0.8 %. */
const TRIALS = 4000;
/** The five lowest bits of a straight, and the wheel. */
const WHEEL = 0b1000000001111;

/**
 * Return what everybody sees by a hand's end, as an insight into all of it: hole cards of Hold'em,
 * and what is said of decisions; null for nothing. Another game's open cards come one by one.
 * @param {TableState | undefined} last The state after the hand.
 * @returns {Insight | null}
 */
export function shownLater(last) {
  if (!last?.hand) return null;
  const { id, game, decisions } = last.hand;
  /** @type {Map<string, Card[]>} */
  const cards = new Map();
  for (const seat of last.seats.values()) if (seat.cards && !game) cards.set(seat.id, seat.cards);
  return cards.size + decisions.length === 0
    ? null
    : { handId: id ?? "", cards, odds: new Map(), decisions };
}

/**
 * Return each player's chance to win now; null if it is not known. The record has the chances at
 * the beginning of a street: they are those of now until one of its players folds. Then they follow
 * from the cards, if those of every player who is still in the hand are open.
 * @param {Insight | null} insight
 * @param {TableState} state
 * @returns {Map<string, Odds> | null}
 */
export function oddsNow(insight, state) {
  const { hand, seats } = state;
  if (hand?.phase !== "betting" || hand.street === SHOWDOWN || hand.game) return null;
  const odds = insight?.odds.get(hand.street);
  const areAllIn = odds && [...odds.keys()].every((id) => seats.get(id)?.isFolded === false);
  return odds && areAllIn ? odds : oddsOfCards(insight ?? NOTHING, state);
}

/** What is known besides the open cards. @type {Readonly<Insight>} */
const NOTHING = { handId: "", cards: new Map(), odds: new Map(), decisions: [] };
/** @type {WeakMap<Insight, { key: string, odds: Map<string, Odds> | null }>} The latest of each. */
const computed = new WeakMap();

/**
 * Return the chances that follow from open cards; they are kept until a street or a fold.
 * @param {Insight} insight
 * @param {TableState} state
 */
function oddsOfCards(insight, { hand, seats }) {
  const live = [...seats.values()].filter(isLive);
  /** @type {Map<string, Card[]>} */
  const open = new Map();
  for (const { id, cards } of live) {
    const own = cards ?? insight.cards.get(id);
    if (own) open.set(id, own);
  }
  if (open.size !== live.length) return null;
  const board = hand?.board ?? [];
  const key = `${hand?.id} ${board.length} ${live.map(({ id }) => id).join()}`;
  const known = computed.get(insight);
  if (known?.key === key) return known.odds;
  const dead = [...insight.cards].filter(([id]) => !open.has(id)).flatMap(([, cards]) => cards);
  const odds = chancesOf(open, board, dead);
  computed.set(insight, { key, odds });
  return odds;
}

/**
 * Return a hand's record as the views use it.
 * @param {HandRecord} record
 * @returns {Insight}
 */
export function insightOf(record) {
  /** @type {Map<string, Card[]>} */
  const cards = new Map();
  for (const [id, state] of fields(record.privateStates)) {
    const privateCards = cardsIn(state, "");
    if (privateCards.length > 0) cards.set(id, privateCards);
  }
  for (const hole of record.holeCards ?? []) cards.set(hole.playerId, hole.cards);
  /** @type {Map<string, Map<string, Odds>>} */
  const odds = new Map();
  for (const street of record.odds ?? []) {
    const byPlayer = street.odds.map(({ playerId, win, tie }) => ({
      playerId,
      odds: { win, tie },
    }));
    odds.set(street.bettingRound, new Map(byPlayer.map((item) => [item.playerId, item.odds])));
  }
  return {
    handId: record.handId,
    cards,
    odds,
    decisions: records(record.decisions).map(decisionOf),
  };
}

/**
 * Return a card as a number: four times the rank, and the suit; -1 if it is none.
 * @param {Card} card
 */
export function numberOf({ rank, suit }) {
  const [high, kind] = [RANKS.indexOf(rank), SUITS.indexOf(suit)];
  return rank.length !== 1 || high < 0 || kind < 0 ? -1 : high * 4 + kind;
}

/**
 * Return the highest rank of a straight among ranks as bits; -1 if there is none.
 * @param {number} bits
 */
function straightOf(bits) {
  const runs = bits & (bits << 1) & (bits << 2) & (bits << 3) & (bits << 4);
  if (runs !== 0) return 31 - Math.clz32(runs);
  return (bits & WHEEL) === WHEEL ? 3 : -1;
}

/**
 * Return the highest bits, at most `count`, as a number that compares as they do.
 * @param {number} bits
 * @param {number} count
 */
function highest(bits, count) {
  let [rest, value] = [bits, 0];
  for (let place = 0; place < count; place += 1) {
    const high = rest === 0 ? -1 : 31 - Math.clz32(rest);
    value = value * 16 + high + 1;
    if (high >= 0) rest &= ~(1 << high);
  }
  return value;
}

/**
 * Return the ranks of the suit that five or more cards have, as bits; 0 if there is none.
 * @param {number[]} cards
 * @param {number} sizes The number of cards of each suit, four bits for each.
 */
function flushOf(cards, sizes) {
  if (((sizes + 0x3333) & 0x8888) === 0) return 0;
  let flush = 0;
  for (const card of cards) if (((sizes >> ((card & 3) * 4)) & 15) >= 5) flush |= 1 << (card >> 2);
  return flush;
}

/**
 * Return the strength of the best five of some cards: the larger the better.
 * @param {number[]} cards
 */
export function strengthOf(cards) {
  let once = 0;
  let twice = 0;
  let thrice = 0;
  let all = 0;
  let sizes = 0; // four bits for each suit
  for (const card of cards) {
    const bit = 1 << (card >> 2);
    all |= thrice & bit;
    thrice |= twice & bit;
    twice |= once & bit;
    once |= bit;
    sizes += 1 << ((card & 3) * 4);
  }
  const flush = flushOf(cards, sizes);
  const straightFlush = flush === 0 ? -1 : straightOf(flush);
  if (straightFlush >= 0) return worth(8, straightFlush + 1);
  if (all !== 0) {
    const four = top(all);
    return worth(7, (four + 1) * 16 + highest(once & ~(1 << four), 1));
  }
  const three = thrice === 0 ? -1 : top(thrice);
  const pairs = three < 0 ? twice : twice & ~(1 << three);
  if (three >= 0 && pairs !== 0) return worth(6, (three + 1) * 16 + top(pairs) + 1);
  if (flush !== 0) return worth(5, highest(flush, 5));
  const straight = straightOf(once);
  if (straight >= 0) return worth(4, straight + 1);
  if (three >= 0) return worth(3, (three + 1) * 256 + highest(once & ~(1 << three), 2));
  if (twice === 0) return highest(once, 5);
  const first = top(twice);
  const rest = twice & ~(1 << first);
  if (rest === 0) return worth(1, (first + 1) * 4096 + highest(once & ~(1 << first), 3));
  const second = top(rest);
  const kicker = highest(once & ~(1 << first) & ~(1 << second), 1);
  return worth(2, (first + 1) * 256 + (second + 1) * 16 + kicker);
}

/** @param {number} bits */
function top(bits) {
  return 31 - Math.clz32(bits);
}

/**
 * @param {number} kind
 * @param {number} detail Below 16 ** 5.
 */
function worth(kind, detail) {
  return kind * 1048576 + detail;
}

/**
 * Return each hand's chances on all completions of the board; before the flop on a sample, which
 * is always the same for the same cards. Returns null for cards that cannot be.
 * @param {Map<string, Card[]>} hands Two cards of every player who has not folded, by player id.
 * @param {Card[]} board
 * @param {Card[]} dead Known cards that cannot be dealt.
 * @returns {Map<string, Odds> | null}
 */
export function chancesOf(hands, board, dead) {
  const holes = [...hands.values()].map((cards) => cards.map(numberOf));
  const shared = board.map(numberOf);
  const all = holes.map((hole) => [...hole, ...shared]);
  const strengths = holes.map(() => 0);
  const seen = [...holes.flat(), ...shared, ...dead.map(numberOf)];
  const isPossible =
    holes.length > 1 &&
    holes.every((hole) => hole.length === 2) &&
    [0, 3, 4, 5].includes(shared.length) &&
    !seen.includes(-1) &&
    new Set(seen).size === seen.length;
  if (!isPossible) return null;
  const unseen = Array.from({ length: 52 }, (_, card) => card).filter((c) => !seen.includes(c));
  const wins = holes.map(() => 0);
  const ties = holes.map(() => 0);
  let boards = 0;
  /** @param {number[]} rest */
  const count = (rest) => {
    let [best, bestCount] = [-1, 0];
    all.forEach((cards, index) => {
      for (let place = 0; place < rest.length; place += 1)
        cards[2 + shared.length + place] = rest[place] ?? 0;
      const strength = strengthOf(cards);
      strengths[index] = strength;
      bestCount = strength > best ? 1 : bestCount + (strength === best ? 1 : 0);
      best = Math.max(best, strength);
    });
    const into = bestCount > 1 ? ties : wins;
    for (let index = 0; index < strengths.length; index += 1)
      if (strengths[index] === best) into[index] = (into[index] ?? 0) + 1;
    boards += 1;
  };
  if (shared.length === 0) sample(unseen, seen, count);
  else every(unseen, BOARD - shared.length, count);
  const odds = [...hands.keys()].map((id, index) => {
    const [win, tie] = [(wins[index] ?? 0) / boards, (ties[index] ?? 0) / boards];
    const share = shared.length === 0 ? { win, tie, isAbout: true } : { win, tie };
    return /** @type {const} */ ([id, share]);
  });
  return new Map(odds);
}

/**
 * Call for every choice of at most two cards.
 * @param {number[]} unseen
 * @param {number} missing
 * @param {(rest: number[]) => void} count
 */
function every(unseen, missing, count) {
  if (missing === 0) return count([]);
  for (const [index, first] of unseen.entries()) {
    if (missing === 1) count([first]);
    else for (const second of unseen.slice(index + 1)) count([first, second]);
  }
  return undefined;
}

/**
 * Call for a sample of boards.
 * @param {number[]} unseen
 * @param {number[]} seen Where the pseudorandom numbers begin.
 * @param {(rest: number[]) => void} count
 */
function sample(unseen, seen, count) {
  let state = seen.reduce((sum, card) => (Math.imul(sum, 31) + card + 1) >>> 0, 7);
  /** @param {number} below Mulberry32: short, and good enough for a sample. */
  const random = (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
  const deck = [...unseen];
  for (let trial = 0; trial < TRIALS; trial += 1) {
    for (let place = 0; place < BOARD; place += 1) {
      const other = place + random(deck.length - place);
      const card = deck[other] ?? 0;
      deck[other] = deck[place] ?? 0;
      deck[place] = card;
    }
    count(deck.slice(0, BOARD));
  }
}
