"""Scenes of poker for two: hold'em, and the games with fixed bets."""

from typing import Any

from casino_evaluator.domain.moment import Moment
from casino_evaluator.frames.scene import Card, Row, Scene, Side
from casino_evaluator.frames.values import by_player, fields, items, text, whole

Json = dict[str, Any]
BOARD = 5
_WORDS = {"check": "CHK", "raise": "RAIS", "all-in": "ALL"}


def poker_scene(moment: Moment, public: Json, private: Json) -> Scene:
    """Return the scene of `texas-holdem`, `kuhn_poker` or `leduc_poker`."""
    own = _cards_of(private)
    shown = items(fields(public.get("results")).get("shown")) or items(public.get("shown"))
    own = own or _cards_of(by_player(shown, moment.player_id))
    others = _cards_of(by_player(shown, moment.opponent_id))
    hidden: tuple[Card, ...] = (None,) * len(own)
    return Scene(
        opponent=_side(public, moment.opponent_id, others or hidden),
        own=_side(public, moment.player_id, own),
        rows=_board(public),
        label="POT",
        amount=whole(public.get("pot")),
    )


def _cards_of(holder: Json) -> tuple[Card, ...]:
    """Return the cards of a private state, or of a hand that was shown."""
    cards = items(holder.get("hole_cards")) or items(holder.get("cards")) or [holder.get("card")]
    return tuple(filter(None, map(text, cards)))


def _board(public: Json) -> tuple[Row, ...]:
    """Return the open cards, with empty places for those to come."""
    if "community_cards" in public:
        cards = [text(card) for card in items(public["community_cards"])]
        return (Row((*cards, *[""] * (BOARD - len(cards)))),)
    if public.get("game_type") == "kuhn_poker":
        return ()
    return (Row((text(public.get("public_card")),)),)


def _side(public: Json, player_id: str, cards: tuple[Card, ...]) -> Side:
    player = by_player(public.get("players"), player_id)
    bet = whole(player.get("bet"))
    return Side(
        cards=cards,
        stack=whole(player.get("stack")),
        bet=whole(player.get("paid")) if bet is None else bet,
        note=_note(public, player, player_id),
        has_button=_button(public) == player_id,
        is_turn=public.get("current_player") == player_id,
    )


def _button(public: Json) -> object:
    """Return who acts last: the button, in games without one the second player."""
    if "button" in public:
        return public["button"]
    return fields(([{}, *items(public.get("players"))])[-1]).get("player_id")


def _note(public: Json, player: Json, player_id: str) -> str:
    """Return the newest action of a player."""
    if player.get("status") == "folded":
        return "FOLD"
    for entry in reversed(items(public.get("history"))):
        if fields(entry).get("player_id") == player_id:
            action = text(fields(entry).get("action")).lower()
            return _WORDS.get(action, action.upper())
    return ""
