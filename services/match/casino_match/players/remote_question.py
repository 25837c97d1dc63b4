"""The question of a match to an agent: exactly that of a table, in the format that it supports."""

from collections.abc import Sequence
from typing import Any

from casino_contracts import HOLDEM, Unit
from casino_games import specification
from casino_games.cards import Card, cards_to_text
from casino_games.holdem import Hand, HoldemGame
from casino_play.generic_question import GameMoment, GameQuestion
from casino_play.holdem_fields import HoldemFields
from casino_play.holdem_json import HoldemJson
from casino_play.holdem_question import AskedHand, HoldemQuestion

from casino_match.domain.plan import Rules


def holdem_question(fields: HoldemFields) -> HoldemQuestion:
    """Return the question to the seat that decides now."""
    hand, names, unit = fields.hand, fields.names, Unit()
    hand_facts = AskedHand(hand, names, unit, HoldemJson(hand, names, unit))
    return HoldemQuestion(hand_facts, fields.question_id)


def any_game_question(fields: HoldemFields, rules: Rules, deck: Sequence[Card]) -> GameQuestion:
    """Return the question in the format of the game's specification; `deck` is the hand's."""
    names = fields.names
    moment = GameMoment(
        names.table_id,
        names.hand_id,
        names.hand_number,
        fields.question_id,
        specification(HOLDEM).version,
    )
    game = _game(fields, rules, deck)
    return GameQuestion(moment, game, game.get_current_player())


def _game(fields: HoldemFields, rules: Rules, deck: Sequence[Card]) -> HoldemGame:
    """Return the hand as a game, played again up to now."""
    players = [player.player_id for player in fields.names.players]
    return HoldemGame.deserialize(
        {
            "game_type": HOLDEM,
            "players": players,
            "config": {
                "small_blind": rules.small_blind,
                "big_blind": rules.big_blind,
                "ante": rules.ante,
                "button": len(players) - 1,
                "stacks": [rules.stack] * len(players),
            },
            "deck": cards_to_text(deck),
            "actions": _actions(fields.hand),
        }
    )


def _actions(hand: Hand) -> list[dict[str, Any]]:
    return [
        {"action_type": kind, "amount": amount if kind in {"bet", "raise"} else None}
        for _, _, kind, amount, *_ in hand.actions
    ]
