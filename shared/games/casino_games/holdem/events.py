"""Public data of a hand: its events and state.

The only cards are the dealt board and the shown hands.
"""

from collections.abc import Mapping, Sequence

from casino_games.cards import NAMES, Card
from casino_games.game import Json
from casino_games.holdem.hand import BOARD_SIZE, Hand
from casino_games.holdem.ranking import best_five, class_name
from casino_games.holdem.record import RIVER, Action, Seat, Street

ROUNDS = ("preflop", "flop", "turn", "river")
"""The name of each street."""
_STATUS = ("folded", "all-in", "active")
"""Neither live nor with chips, live without chips, both."""
_name_of = NAMES.__getitem__


def names(cards: Sequence[Card]) -> list[str]:
    """Return the names of cards."""
    return list(map(_name_of, cards))


def players_now(hand: Hand, seats: Mapping[str, Seat]) -> list[Json]:
    """Return stack, bet of this round and status of each player, in the order of `seats`."""
    stacks, bets, live, with_chips = hand.stacks, hand.bets, hand.live, hand.with_chips
    return [
        {
            "player_id": player_id,
            "stack": stacks[seat],
            "bet": bets[seat],
            "status": _STATUS[(live >> seat & 1) + (with_chips >> seat & 1)],
        }
        for player_id, seat in seats.items()
    ]


def forced_bets(hand: Hand, ids: Sequence[str]) -> list[Json]:
    """Return the paid antes and blinds; `ids` are the players by seat."""
    return [
        {"event": "forced_bet", "player_id": ids[seat], "kind": kind, "amount": paid}
        for seat, kind, paid in hand.forced_bets
        if paid
    ]


def action_taken(action: Action, ids: Sequence[str]) -> Json:
    """Return the event of one decision."""
    seat, street, kind, amount, paid, stack, pot = action
    return {
        "event": "action",
        "player_id": ids[seat],
        "betting_round": ROUNDS[street],
        "action": kind,
        "amount": amount,
        "paid": paid,
        "stack": stack,
        "pot": pot,
    }


def past_action(taken: Json) -> Json:
    """Return the entry of the history for the event of a decision."""
    return {
        "player_id": taken["player_id"],
        "betting_round": taken["betting_round"],
        "action": taken["action"],
        "amount": taken["amount"],
    }


def street_dealt(hand: Hand, street: Street) -> Json:
    """Return the event of a dealt street, with all community cards so far."""
    return {
        "event": "street_dealt",
        "betting_round": ROUNDS[street],
        "community_cards": names(hand.board[: BOARD_SIZE[street]]),
    }


def hands_shown(hand: Hand, ids: Sequence[str]) -> list[Json]:
    """Return the shown hands, in showing order, ranked on the full board."""
    board = hand.board
    shown: list[Json] = []
    for seat in hand.shown:
        hole = hand.hole_of(seat)
        rank = hand.ranks[seat]
        shown.append(
            {
                "player_id": ids[seat],
                "cards": names(hole),
                "rank": rank,
                "rank_name": class_name(rank),
                "best_five": names(best_five((*hole, *board), rank)),
            }
        )
    return shown


def pots_awarded(hand: Hand, ids: Sequence[str]) -> list[Json]:
    """Return the pots and their winners, main pot first."""
    return [
        {
            "amount": pot.amount,
            "eligible": [ids[seat] for seat in pot.eligible],
            "winners": [{"player_id": ids[seat], "amount": amount} for seat, amount in pot.winners],
        }
        for pot in hand.awards
    ]


def ending(hand: Hand, ids: Sequence[str]) -> list[Json]:
    """Return the events after the last decision of a completed hand.

    The uncalled bet is returned. All-in hands are shown, without a rank before the river, and the
    board is run out; otherwise hands are shown at the river. The pots are awarded.
    """
    events: list[Json] = []
    if hand.uncalled:
        seat, amount = hand.uncalled
        events.append({"event": "uncalled_returned", "player_id": ids[seat], "amount": amount})
    shown = hands_shown(hand, ids)
    if shown and hand.betting_ended_on < RIVER:
        unranked = {"rank": None, "rank_name": None, "best_five": None}
        events.append({"event": "hands_shown", "hands": [entry | unranked for entry in shown]})
        streets = range(hand.betting_ended_on + 1, RIVER + 1)
        events += [street_dealt(hand, street) for street in streets]
    elif shown:
        events.append({"event": "hands_shown", "hands": shown})
    events += [{"event": "pot_awarded", **pot} for pot in pots_awarded(hand, ids)]
    stacks = dict(zip(ids, hand.stacks, strict=True))
    events.append({"event": "hand_over", "stacks": stacks, "shown": shown})
    return events


def results(hand: Hand, ids: Sequence[str]) -> Json:
    """Return the results of a completed hand, for the public state."""
    uncalled: Json | None = None
    if hand.uncalled:
        seat, amount = hand.uncalled
        uncalled = {"player_id": ids[seat], "amount": amount}
    return {
        "uncalled_returned": uncalled,
        "pots": pots_awarded(hand, ids),
        "shown": hands_shown(hand, ids),
    }
