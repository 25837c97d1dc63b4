/** What the fold takes from an event's payload: numbers that are some, lists that are, a whole seat. */

/** What a seat is in no hand. */
export const NO_HAND = Object.freeze({
  bet: 0,
  committed: 0,
  isDealt: false,
  isFolded: false,
  post: null,
  last: null,
  says: "",
  cards: null,
  rank: "",
  best: null,
  won: 0,
  score: null,
});

/** What a hand is of which nothing is known yet. `game` is what another game than Hold'em tells. */
export const NEW_HAND = Object.freeze({
  number: 0,
  id: null,
  buttonSeat: null,
  smallBlind: 0,
  bigBlind: 0,
  ante: 0,
  street: "preflop",
  board: [],
  pot: 0,
  pots: [],
  currentBet: 0,
  due: [],
  actor: null,
  returned: null,
  phase: "betting",
  stacks: new Map(),
  log: [],
  game: null,
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

/** Return the seats at the beginning of a hand, and the stacks of those who are dealt in. */
export function dealtIn(before, players) {
  const [seats, stacks] = [new Map(), new Map()];
  for (const [id, seat] of before) {
    if (seat.finish === null) seats.set(id, { ...seat, ...NO_HAND });
  }
  for (const player of list(players)) {
    const dealt = seatOf(player);
    stacks.set(dealt.id, dealt.stack);
    const isOut = seats.get(dealt.id)?.isOut ?? false;
    seats.set(dealt.id, { ...dealt, isOut, isDealt: true });
  }
  return { seats, stacks };
}

/** Return a stranger's object as pairs; what is none has no fields. */
export function fields(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.entries(value)
    : [];
}

/** Return a short value as text; "" for what is none. */
export function text(value) {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function signed(value) {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function amount(value) {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

export function cards(value) {
  return list(value).map((card) => ({ rank: String(card?.rank), suit: String(card?.suit) }));
}
