/**
 * A game's public state, whatever the game, in brief: cards, and facts of a line each.
 *
 * The state comes from third parties and may be anything. Two levels of it are read, and long
 * values are cut. What looks like a card becomes one, and a player's id becomes the name.
 */
// @ts-check

/** @import { Card, GameState, Seats } from "./types.js" */

import { fields, isRecord, text } from "./reading.js";
import { chips } from "./words.js";

/** @typedef {string | Card} Part A text or a card of a fact. */
/** @typedef {{ label: string, parts: Part[], of: string }} Fact `of` is the kind of its subject. */

/** The wire's name of Texas hold'em. */
export const HOLDEM = "texas-holdem";
const ORDER = ["cards", "told", "table", "players", "many", "rules"];
const MOST_FACTS = 12;
const MOST_ITEMS = 10;
const MOST_TEXT = 40;
const MOST_TOLD = 4;
const MOST_OF_A_SENTENCE = 300;
const MOST_CARDS = 12;
const DEEPEST = 4;
const SUITS = new Map([
  ["h", "hearts"],
  ["d", "diamonds"],
  ["c", "clubs"],
  ["s", "spades"],
]);
const CARD = /^(10|[2-9TJQKA])([hdcs])$/;
const RANK = /^(10|[2-9TJQKA])$/;
const HIDDEN = new Set([
  "game_type",
  "gameType",
  "current_player",
  "currentPlayer",
  "player_id",
  "playerId",
  "history",
]);

/**
 * Return a name of the wire as words: "to_call", "toCall" and "TO_CALL" → "to call".
 * @param {string} name
 */
export function wordsOf(name) {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[\s_-]+/g, " ")
    .trim()
    .toLowerCase();
}

/**
 * Return the name of a game other than Hold'em as words; null for Hold'em and without a game.
 * @param {string | null | undefined} gameType
 */
export function gameWords(gameType) {
  return gameType && gameType !== HOLDEM ? cut(wordsOf(text(gameType))) : null;
}

/**
 * Return the cards that lie open before each player, by player id.
 * @param {unknown} state
 * @param {Seats} seats
 */
export function cardsBySeat(state, seats) {
  /** @type {Map<string, Card[]>} */
  const cardsById = new Map();
  for (const [key, value] of fields(state)) {
    if (HIDDEN.has(key)) continue;
    for (const [id, item] of byPlayer(value, seats) ?? []) {
      const cards = cardsIn(item, key);
      if (cards.length > 0)
        cardsById.set(id, [...(cardsById.get(id) ?? []), ...cards].slice(0, MOST_CARDS));
    }
  }
  return cardsById;
}

/**
 * Return whether a player's part of a state says, down to a few levels, that it went bust.
 * @param {unknown} state
 * @param {string} id
 */
export function wentBust(state, id) {
  for (const [, value] of fields(state)) {
    const pairs = Array.isArray(value) ? value.map(withPlayer) : fields(value);
    for (const [player, part] of pairs) if (player === id && saysBust(part)) return true;
  }
  return false;
}

/**
 * @param {unknown} value
 * @param {number} [depth]
 * @returns {boolean}
 */
function saysBust(value, depth = 0) {
  if (!isRecord(value) || depth > DEEPEST) return false;
  const items = Object.entries(value).slice(0, MOST_ITEMS);
  return items.some(([key, item]) =>
    key === "status" ? /^bust(ed)?$/i.test(text(item)) : saysBust(item, depth + 1),
  );
}

/**
 * Return the facts of a game's state. Cards come first, then the game's own sentences; without any
 * what changed since the hand started, then what each player has, then what is fixed. Cards at the
 * seats, empty values and zeros within a value are left out.
 * @param {GameState} game
 * @param {Seats} seats
 */
export function factsOf({ state, first, told }, seats) {
  /** @type {Fact[]} */
  const facts = told
    .slice(0, MOST_TOLD)
    .map((words) => ({ label: "", parts: [cut(words, MOST_OF_A_SENTENCE)], of: "told" }));
  /** @type {(label: string, parts: Part[], of: string) => void} */
  const add = (label, parts, of) => {
    const cards = parts.filter((part) => typeof part === "object");
    const shown = told.length > 0 ? cards : parts;
    if (shown.length > 0)
      facts.push({ label: cut(wordsOf(label)), parts: shown, of: cards.length > 0 ? "cards" : of });
  };
  const firstValues = new Map(fields(first));
  for (const [key, value] of fields(state)) {
    if (HIDDEN.has(key)) continue;
    const players = byPlayer(value, seats);
    if (players) {
      for (const [label, texts] of columns(players, key, seats))
        add(label, [cut(texts.join(" · "), 90)], players.length > 3 ? "many" : "players");
    } else add(key, partsOf(value, key, seats), firstValues.get(key) === value ? "rules" : "table");
  }
  return ORDER.flatMap((kind) => facts.filter(({ of }) => of === kind)).slice(0, MOST_FACTS);
}

/**
 * Return the cards in a value, down to a few levels.
 * @param {unknown} value
 * @param {string} key The name of the value.
 * @param {number} [depth]
 * @returns {Card[]}
 */
export function cardsIn(value, key, depth = 0) {
  const card = cardOf(value, key);
  if (card) return [card];
  if (depth > DEEPEST || !isRecord(value)) return [];
  /** @type {[string, unknown][]} */
  const items = Array.isArray(value)
    ? value.map((item) => [itemName(key), item])
    : Object.entries(value);
  return items
    .slice(0, MOST_CARDS * 2)
    .flatMap(([name, item]) => cardsIn(item, name, depth + 1))
    .slice(0, MOST_CARDS);
}

/**
 * Return the first two levels of a value as texts and cards.
 * @param {unknown} value
 * @param {string} key The name of the value.
 * @param {Seats} seats
 * @param {number} [depth]
 * @returns {Part[]}
 */
function partsOf(value, key, seats, depth = 0) {
  const card = cardOf(value, key);
  if (card) return [card];
  if (value === null || value === "") return [];
  if (typeof value !== "object") return [textOf(value, seats)];
  if (Array.isArray(value)) {
    const isFlat = value.every((item) => item === null || typeof item !== "object");
    if (!isFlat) return depth === 0 ? [String(value.length)] : [];
    const parts = value
      .slice(0, MOST_ITEMS)
      .flatMap((item) => partsOf(item, itemName(key), seats, depth + 1));
    const isCut = value.length > MOST_ITEMS;
    return parts.some((part) => typeof part === "object") || parts.length === 0
      ? parts
      : [cut(parts.join(", ")) + (isCut ? ", …" : "")];
  }
  if (depth > 0) return [];
  return fields(value)
    .slice(0, MOST_ITEMS)
    .flatMap(([name, inner]) => {
      const parts = inner === 0 ? [] : partsOf(inner, name, seats, depth + 1);
      return parts.length > 0 && typeof parts[0] === "string"
        ? [cut(`${wordsOf(name)} ${parts[0]}`)]
        : parts;
    });
}

/**
 * Return pairs of player id and the player's part of a value; null if it is not by players.
 * @param {unknown} value
 * @param {Seats} seats
 */
function byPlayer(value, seats) {
  const pairs = Array.isArray(value) ? value.map(withPlayer) : fields(value);
  return pairs.length > 0 && pairs.every(([id]) => seats.has(id)) ? pairs : null;
}

/**
 * Return an item of a list with the player id that it names.
 * @param {unknown} item
 * @returns {[string, unknown]}
 */
function withPlayer(item) {
  return [isRecord(item) ? text(item.player_id ?? item.playerId) : "", item];
}

/**
 * Return a line for each value that the players have: "points" → ["Ada 2", "Bob 1"].
 * @param {[string, unknown][]} players Pairs of player id and the player's part.
 * @param {string} key The name of the whole.
 * @param {Seats} seats
 */
function columns(players, key, seats) {
  /** @type {Map<string, string[]>} */
  const lines = new Map();
  for (const [id, item] of players) {
    /** @type {[string, unknown][]} */
    const pairs = isRecord(item) && !Array.isArray(item) ? fields(item) : [[key, item]];
    for (const [name, value] of pairs) {
      const isPlain = value !== null && value !== "" && typeof value !== "object";
      if (HIDDEN.has(name) || name === "stack" || !isPlain || cardOf(value, name)) continue;
      const who = cut(seats.get(id)?.name ?? id, 12);
      const colon = /\d$/.test(who) ? ":" : ""; // "Caller 2 1" would be no two numbers
      lines.set(name, [...(lines.get(name) ?? []), `${who}${colon} ${textOf(value, seats)}`]);
    }
  }
  return lines;
}

/**
 * Return a value as a card if it looks like one: "Qs" anywhere, or a rank or a number in a field
 * whose name ends with "card".
 * @param {unknown} value
 * @param {string} key The name of the value.
 * @returns {Card | null}
 */
function cardOf(value, key) {
  const [, rank, suit] = (typeof value === "string" && CARD.exec(value)) || [];
  if (rank && suit) return { rank: rank === "10" ? "T" : rank, suit: SUITS.get(suit) ?? "" };
  const isRank =
    (typeof value === "string" && RANK.test(value)) ||
    (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 100);
  return isRank && /card$/i.test(key) ? { rank: String(value), suit: "" } : null;
}

/**
 * Return the name of an item of a list: an item of "cards" or of a "hand" is a "card".
 * @param {string} key The name of the list.
 */
function itemName(key) {
  return key.replace(/hand$/i, "card").replace(/s$/, "");
}

/**
 * Return a plain value as text; a player's id as the player's name.
 * @param {unknown} value
 * @param {Seats} seats
 */
function textOf(value, seats) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return chips(value);
  return cut(seats.get(String(value))?.name ?? String(value));
}

/**
 * @param {string} words
 * @param {number} [most] The most characters that stay.
 */
function cut(words, most = MOST_TEXT) {
  const letters = [...words]; // not half of one that takes two places
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : words;
}
