/** What the fold takes from an event's payload: numbers that are some, lists that are, a whole seat. */

/** What a seat is in no hand. */
export const NO_HAND = Object.freeze({
  bet: 0, committed: 0, isDealt: false, isFolded: false, post: null, last: null, says: "",
  cards: null, rank: "", best: null, won: 0,
});

/** Return the seat of a player that an event tells of. */
export function seatOf(player) {
  const id = String(player.playerId);
  return {
    id,
    name: String(player.displayName ?? id),
    number: Number.isInteger(player.seatNumber) ? player.seatNumber : null,
    stack: amount(player.stack),
    isOut: false,
    finish: null,
    ...NO_HAND,
  };
}

export function list(value) {
  return Array.isArray(value) ? value : [];
}

export function amount(value) {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

export function cards(value) {
  return list(value).map((card) => ({ rank: String(card?.rank), suit: String(card?.suit) }));
}
