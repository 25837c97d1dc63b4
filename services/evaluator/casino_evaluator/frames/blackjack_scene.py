"""Scenes of blackjack: the dealer above, the hand that decides below, other hands between."""

from typing import Any

from casino_evaluator.domain.moment import Moment
from casino_evaluator.frames.scene import Card, Row, Scene, Side
from casino_evaluator.frames.values import by_player, fields, items, text, whole

Json = dict[str, Any]
_MOST_ROWS = 2
_MOST_HIDDEN = 10


def blackjack_scene(moment: Moment, public: Json, _private: Json) -> Scene:
    """Return the scene of `blackjack`."""
    dealer = fields(public.get("dealer"))
    hidden = min(_MOST_HIDDEN, max(0, whole(dealer.get("hidden")) or 0))
    player = by_player(public.get("players"), moment.player_id)
    hands = [fields(hand) for hand in items(player.get("hands"))]
    current = whole(public.get("current_hand")) or 0
    active = hands.pop(current) if 0 <= current < len(hands) else {}
    limit = whole(public.get("max_bet"))
    return Scene(
        opponent=Side((*_cards(dealer), *(None,) * hidden), note=_total(dealer)),
        own=Side(
            cards=_cards(active),
            stack=whole(player.get("stack")),
            bet=whole(active.get("bet")),
            note=_total(active),
            is_turn=public.get("current_player") == moment.player_id,
        ),
        rows=tuple(Row(_cards(hand), _total(hand)) for hand in hands[:_MOST_ROWS]),
        label="" if hands else "MAX",
        amount=None if hands else limit,
    )


def _cards(holder: Json) -> tuple[Card, ...]:
    return tuple(map(text, items(holder.get("cards"))))


def _total(holder: Json) -> str:
    """Return what the cards count, with an S if an ace in them counts 11."""
    if not items(holder.get("cards")):
        return ""
    soft = "S" if holder.get("is_soft") is True else ""
    return f"{soft}{text(holder.get('total'))}"
