"""What two hands are compared by: all that every format can say, in millionths of a chip."""

from typing import Any

from casino_histories import HandHistory


def facts(hand: HandHistory) -> dict[str, Any]:
    scale = 10 ** (6 - hand.decimals)
    return {
        "players": [(seat.stack * scale, seat.cards, seat.number) for seat in hand.seats],
        "button": hand.button_number,
        "blinds": (hand.small_blind * scale, hand.big_blind * scale),
        "forced": sorted(
            (bet.seat, bet.kind, bet.amount * scale, bet.is_dead) for bet in hand.forced
        ),
        "actions": [
            (action.seat, action.street, action.kind, action.total * scale, action.is_all_in)
            for action in hand.actions
        ],
        "board": hand.board,
        "shown": [(item.seat, item.cards) for item in hand.shown],
        "won": [won * scale for won in hand.won],
        "rake": hand.rake * scale,
        "is_cancelled": hand.is_cancelled,
        "stacks": [stack * scale for stack in hand.finishing_stacks],
        "returned": hand.returned and (hand.returned.seat, hand.returned.amount * scale),
    }
