"""Scenes of simple card: both hands, and the cards of the trick between them."""

from typing import Any

from casino_evaluator.domain.moment import Moment
from casino_evaluator.frames.scene import Card, Row, Scene, Side
from casino_evaluator.frames.values import by_player, fields, items, text, whole

Json = dict[str, Any]
_MOST_HIDDEN = 12


def simple_card_scene(moment: Moment, public: Json, private: Json) -> Scene:
    """Return the scene of `simple_card`.

    Between the two hands is the trick, the opponent's card on the left; before its first card,
    the trick that is over.
    """
    trick = items(public.get("on_table"))
    tricks = items(public.get("tricks"))
    label = "NOW"
    if not trick and tricks:
        trick = items(fields(tricks[-1]).get("cards"))
        label = "LAST"
    players = public.get("players")
    left = whole(by_player(players, moment.opponent_id).get("cards_left")) or 0
    hidden: tuple[Card, ...] = (None,) * max(0, min(_MOST_HIDDEN, left))
    played = tuple(
        text(by_player(trick, player_id).get("card"))
        for player_id in (moment.opponent_id, moment.player_id)
    )
    return Scene(
        opponent=_side(public, moment.opponent_id, hidden, moment.standing.opponent_stack),
        own=_side(
            public,
            moment.player_id,
            _held(private, public, moment.player_id, played[1]),
            moment.standing.stack,
        ),
        rows=(Row(played),),
        label=label,
        amount=whole(public.get("stake")),
    )


def _held(private: Json, public: Json, player_id: str, played: str) -> tuple[Card, ...]:
    """Return the cards in hand, without the newest played one.

    It may still be in the private state, which a player is sent with its own decisions only.
    """
    cards = list(map(text, items(private.get("hand"))))
    left = whole(by_player(public.get("players"), player_id).get("cards_left"))
    if left is not None and len(cards) > left and played in cards:
        cards.remove(played)
    return tuple(cards)


def _side(public: Json, player_id: str, cards: tuple[Card, ...], stack: int) -> Side:
    points = whole(by_player(public.get("players"), player_id).get("points"))
    return Side(
        cards=cards,
        stack=stack,
        note="" if points is None else f"P{points}",
        is_turn=public.get("current_player") == player_id,
    )
