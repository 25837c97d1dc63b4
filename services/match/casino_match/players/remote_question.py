"""The question of a match to an agent: exactly that of a table, in the format that it supports."""

from collections.abc import Sequence
from typing import Any

from casino_contracts import HOLDEM, Unit
from casino_games import specification
from casino_games.cards import NAMES, Card, cards_to_text
from casino_games.holdem import Hand, HoldemGame
from casino_games.holdem.actions import legal_actions
from casino_play.generic_question import GameMoment, GameQuestion
from casino_play.holdem_fields import ROUNDS, HoldemFields
from casino_play.holdem_question import HoldemQuestion, Situation
from pydantic_core import to_json

from casino_match.domain.plan import Rules


def holdem_question(fields: HoldemFields) -> HoldemQuestion:
    """Return the question to the seat that decides now."""
    hand, names = fields.hand, fields.names
    me = names.players[hand.actor]
    values = fields.values(0)
    return HoldemQuestion(
        Situation(
            table_id=names.table_id,
            unit=Unit(),
            hand_id=names.hand_id,
            hand_number=names.hand_number,
            question_id=fields.question_id,
            button_seat=names.players[-1].seat_number,
            player_id=me.player_id,
            seat_number=me.seat_number,
            state={
                "betting_round": ROUNDS[hand.street],
                "community_cards": _names(hand.board),
                "pot": hand.pot,
                "minimum_raise": hand.min_raise,
                "current_bet": hand.price,
                "players": _players(fields),
            },
            private={"hole_cards": _names(hand.hole_of(hand.actor))},
            players=[to_json(view) for view in values["players"]],
            history=[to_json(past) for past in values["history"]],
        ),
        legal_actions(hand),
    )


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


def _players(fields: HoldemFields) -> list[dict[str, Any]]:
    hand = fields.hand
    return [
        {"player_id": player.player_id, "bet": hand.bets[seat], "stack": hand.stacks[seat]}
        for seat, player in enumerate(fields.names.players)
    ]


def _names(cards: Sequence[Card]) -> list[str]:
    return [NAMES[card] for card in cards]
