/** What an operator may know of a hand that is over: hidden cards, odds by street, thoughts. */

import { cardsIn } from "./game_state.js";
import { fields } from "./reading.js";

/** Return a hand's record as the views ask for it: maps by player id. */
export function insightOf(record) {
  const odds = (record.odds ?? []).map((street) => [
    street.bettingRound,
    new Map(street.odds.map(({ playerId, win, tie }) => [playerId, { win, tie }])),
  ]);
  return {
    handId: record.handId,
    cards: new Map([
      ...fields(record.privateStates)
        .map(([id, told]) => [id, cardsIn(told, "")])
        .filter(([, cards]) => cards.length > 0),
      ...(record.holeCards ?? []).map(({ playerId, cards }) => [playerId, cards]),
    ]),
    odds: new Map(odds),
    decisions: record.decisions ?? [],
  };
}
