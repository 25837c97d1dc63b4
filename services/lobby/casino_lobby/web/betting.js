/**
 * Who has to act next, and which pots there are: as much of Hold'em as a spectator needs.
 * Events do not say it; it follows from them. A seat here is one of the reducer's.
 */

/** Amounts are decimal numbers of the room's config: keep sums as exact as these are. */
export function exact(amount) {
  return Number.isInteger(amount) ? amount : Math.round(amount * 1e6) / 1e6;
}

export function isLive(seat) {
  return seat.isDealt && !seat.isFolded;
}

export function canAct(seat) {
  return isLive(seat) && seat.stack > 0;
}

/** Return the dealt seats clockwise, beginning with the one after seat `number`. */
export function clockwise(seats, number) {
  const dealt = [...seats].filter((seat) => seat.isDealt && seat.number !== null);
  dealt.sort((one, other) => one.number - other.number);
  const start = dealt.findIndex((seat) => seat.number > number);
  return start < 0 ? dealt : [...dealt.slice(start), ...dealt.slice(0, start)];
}

/**
 * Return the ids of those who owe a decision, in nobody's order.
 * `candidates` are ids that may; who is alone against all-ins and has matched them owes none.
 */
export function owing(seats, candidates) {
  const all = [...seats];
  const able = all.filter(canAct);
  if (all.filter(isLive).length < 2) return [];
  if (able.length === 1) {
    const [alone] = able;
    const others = all.filter((seat) => isLive(seat) && seat !== alone);
    if (others.every((seat) => seat.bet <= alone.bet)) return [];
  }
  return able.map((seat) => seat.id).filter((id) => candidates.includes(id));
}

/** Return the id of the one among `due` whom the action reaches first after seat `number`. */
export function nextOf(seats, due, number) {
  return clockwise(seats, number).find((seat) => due.includes(seat.id))?.id ?? null;
}

/**
 * Return main pot and side pots as amounts, once an all-in has split them; else an empty list.
 * A top layer that only one player paid is an unmatched bet and no pot yet.
 */
export function sidePots(seats) {
  const paid = [...seats].filter((seat) => seat.committed > 0);
  const live = paid.filter(isLive);
  const levels = live.filter((seat) => seat.stack === 0).map((seat) => seat.committed);
  if (levels.length === 0) return [];
  levels.push(Math.max(...live.map((seat) => seat.committed)));
  const pots = [];
  let below = 0;
  for (const level of [...new Set(levels)].sort((one, other) => one - other)) {
    const contenders = live.filter((seat) => seat.committed >= level).length;
    const layer = paid.reduce(
      (sum, seat) => sum + Math.max(0, Math.min(seat.committed, level) - below),
      0,
    );
    if (contenders > 1 || pots.length === 0) pots.push(exact(layer));
    below = level;
  }
  return pots.length > 1 ? pots : [];
}
