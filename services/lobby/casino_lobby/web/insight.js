/** What an operator may know of a hand that is over: hole cards, odds by street, thoughts. */

/** Return a hand's record as the views ask for it: maps by player id. */
export function insightOf(record) {
  const odds = (record.odds ?? []).map((street) => [
    street.bettingRound,
    new Map(street.odds.map(({ playerId, win, tie }) => [playerId, { win, tie }])),
  ]);
  return {
    handId: record.handId,
    cards: new Map((record.holeCards ?? []).map(({ playerId, cards }) => [playerId, cards])),
    odds: new Map(odds),
    decisions: record.decisions ?? [],
  };
}
