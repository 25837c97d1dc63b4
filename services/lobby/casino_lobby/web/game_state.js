/**
 * A game's public state, whatever game it is, as little to read: cards, and facts of a line each.
 *
 * The state is a stranger's. It is looked into two levels deep, long values are cut, and nothing is
 * asked of it: what looks like a card is drawn as one, what looks like a player's id is his name.
 */

import { chips } from "./money.js";
import { fields, text } from "./reading.js";

export const HOLDEM = "texas-holdem";
const ORDER = ["cards", "table", "players", "many", "rules"];
const MOST_FACTS = 12;
const MOST_ITEMS = 10;
const MOST_TEXT = 40;
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

/** Return a name of the wire as words: "to_call", "toCall" and "TO_CALL" → "to call". */
export function wordsOf(name) {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
}

/** Return the name of a game other than Hold'em as words; null for Hold'em, or nothing. */
export function gameWords(gameType) {
  return gameType && gameType !== HOLDEM ? cut(wordsOf(text(gameType))) : null;
}

/** Return each player's cards that lie open, by player id. */
export function cardsBySeat(state, seats) {
  const found = new Map();
  for (const [key, value] of fields(state)) {
    if (HIDDEN.has(key)) continue;
    for (const [id, item] of byPlayer(value, seats) ?? []) {
      const cards = cardsIn(item, key);
      if (cards.length > 0)
        found.set(id, [...(found.get(id) ?? []), ...cards].slice(0, MOST_CARDS));
    }
  }
  return found;
}

/**
 * Return the facts of a game's state: {label, parts, of}, a part being a text or a card, and `of`
 * what it tells of. Cards come first, then what changed since the hand began, then what each player
 * has, then what is fixed. What lies at the seats, or is empty, is left out.
 */
export function factsOf({ state, first }, seats) {
  const facts = [];
  const add = (label, parts, of) => {
    const isOfCards = parts.some((part) => typeof part === "object");
    if (parts.length > 0)
      facts.push({ label: cut(wordsOf(label)), parts, of: isOfCards ? "cards" : of });
  };
  const begun = new Map(fields(first));
  for (const [key, value] of fields(state)) {
    if (HIDDEN.has(key)) continue;
    const players = byPlayer(value, seats);
    if (players) {
      for (const [label, texts] of columns(players, key, seats))
        add(label, [cut(texts.join(" · "), 90)], players.length > 3 ? "many" : "players");
    } else add(key, partsOf(value, key, seats), begun.get(key) === value ? "rules" : "table");
  }
  return ORDER.flatMap((kind) => facts.filter(({ of }) => of === kind)).slice(0, MOST_FACTS);
}

/** Return the cards in a value, however deep they are. */
export function cardsIn(value, key, depth = 0) {
  const card = cardOf(value, key);
  if (card) return [card];
  if (depth > DEEPEST || value === null || typeof value !== "object") return [];
  const items = Array.isArray(value)
    ? value.map((item) => [inside(key), item])
    : Object.entries(value);
  return items
    .slice(0, MOST_CARDS * 2)
    .flatMap(([name, item]) => cardsIn(item, name, depth + 1))
    .slice(0, MOST_CARDS);
}

/** Return what a value says at its first two levels. */
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
      .flatMap((item) => partsOf(item, inside(key), seats, depth + 1));
    const isCut = value.length > MOST_ITEMS;
    return parts.some((part) => typeof part === "object") || parts.length === 0
      ? parts
      : [cut(parts.join(", ")) + (isCut ? ", …" : "")];
  }
  if (depth > 0) return [];
  return fields(value)
    .slice(0, MOST_ITEMS)
    .flatMap(([name, inner]) => {
      const parts = partsOf(inner, name, seats, depth + 1);
      return parts.length > 0 && typeof parts[0] === "string"
        ? [cut(`${wordsOf(name)} ${parts[0]}`)]
        : parts;
    });
}

/** Return pairs of player id and what is told of him, or null for a value that is not by players. */
function byPlayer(value, seats) {
  if (Array.isArray(value)) {
    const pairs = value.map((item) => [text(item?.player_id ?? item?.playerId), item]);
    return pairs.length > 0 && pairs.every(([id]) => seats.has(id)) ? pairs : null;
  }
  const pairs = fields(value);
  return pairs.length > 0 && pairs.every(([id]) => seats.has(id)) ? pairs : null;
}

/** Return a line for each thing told of the players: ["points", ["Ada 2", "Bob 1"]]. */
function columns(players, key, seats) {
  const lines = new Map();
  for (const [id, item] of players) {
    const told =
      item !== null && typeof item === "object" && !Array.isArray(item)
        ? fields(item)
        : [[key, item]];
    for (const [name, value] of told) {
      const isTold = value !== null && value !== "" && typeof value !== "object";
      if (HIDDEN.has(name) || name === "stack" || !isTold || cardOf(value, name)) continue;
      lines.set(name, [
        ...(lines.get(name) ?? []),
        `${cut(seats.get(id).name, 12)} ${textOf(value, seats)}`,
      ]);
    }
  }
  return lines;
}

/** Return a card, if it looks like one: "Qs" anywhere, a rank or a number where cards are named. */
function cardOf(value, key) {
  const [, rank, suit] = (typeof value === "string" && CARD.exec(value)) || [];
  if (rank) return { rank: rank === "10" ? "T" : rank, suit: SUITS.get(suit) };
  const isRank =
    (typeof value === "string" && RANK.test(value)) ||
    (Number.isInteger(value) && Math.abs(value) < 100);
  return isRank && /card$/i.test(key) ? { rank: String(value), suit: "" } : null;
}

/** Return the name of an item in a list of a name: one of "cards" is a "card", so is one of a "hand". */
function inside(key) {
  return key.replace(/hand$/i, "card").replace(/s$/, "");
}

function textOf(value, seats) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return chips(value);
  return cut(seats.get(value)?.name ?? String(value));
}

function cut(text, most = MOST_TEXT) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
