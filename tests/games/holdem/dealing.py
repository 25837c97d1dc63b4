"""Deals and plays hands of Hold'em for the tests."""

from collections.abc import Iterable, Sequence
from typing import Any

from casino_games import ArenaConfig, ArenaPlayer
from casino_games.cards import DECK, cards_from_text, cards_to_text
from casino_games.holdem import Hand, HoldemGame
from casino_games.holdem.hand import Board, Hole


def deal_texts(holes: Sequence[str], board: str) -> tuple[list[Hole], Board]:
    """Return hole cards such as `["AhKd", "2c7d"]` and a board of five as the engine has them."""
    dealt = [cards_from_text(hole) for hole in holes]
    return [(first, second) for first, second in dealt], tuple(cards_from_text(board))


def new_hand(
    stacks: Sequence[int],
    holes: Sequence[str] | None = None,
    board: str = "",
    **settings: Any,
) -> Hand:
    """Return a hand with blinds 50/100; without cards given, any are dealt."""
    if holes is None:
        dealt = [(2 * seat, 2 * seat + 1) for seat in range(len(stacks))], tuple(DECK[-5:])
    else:
        dealt = deal_texts(holes, board)
    blinds = settings.pop("blinds", (50, 100))
    return Hand(stacks, blinds, *dealt, **settings)


def play(hand: Hand, *decisions: str) -> Hand:
    """Let the players decide in turn: fold, call (which is also a check), all-in, raise_to N."""
    for decision in decisions:
        match decision.split():
            case ["fold"]:
                hand.fold()
            case ["call"] if hand.to_call:
                hand.call()
            case ["call"]:
                hand.check()
            case ["all-in"]:
                hand.all_in()
            case ["raise_to", amount]:
                hand.raise_to(int(amount))
            case _:
                raise AssertionError(decision)
    return hand


def new_game(
    stacks: Sequence[int], *, seed: int | str | None = "a seed", **settings: Any
) -> HoldemGame:
    """Return a game between players `p0`, `p1`, … that has been dealt."""
    players = tuple(ArenaPlayer(f"p{number}") for number in range(len(stacks)))
    game = HoldemGame(ArenaConfig(players, seed, {"stacks": list(stacks), **settings}))
    game.reset()
    return game


def rigged_game(
    stacks: Sequence[int], holes: Sequence[str], board: str, **settings: Any
) -> HoldemGame:
    """Return a game with chosen cards: `holes` by seat (left of the button first), and a board.

    The last player has the button by default, so that players are in seat order.
    """
    settings.setdefault("button", len(stacks) - 1)
    dealt, (flop_1, flop_2, flop_3, turn, river) = deal_texts(holes, board)
    used = {card for hole in dealt for card in hole} | {flop_1, flop_2, flop_3, turn, river}
    burned = iter([card for card in DECK if card not in used])
    rounds = [*(first for first, _ in dealt), *(second for _, second in dealt)]
    streets = [(flop_1, flop_2, flop_3), (turn,), (river,)]
    deck = [*rounds, *(card for street in streets for card in (next(burned), *street))]
    return HoldemGame.deserialize(
        {
            "game_type": "texas-holdem",
            "players": [f"p{number}" for number in range(len(stacks))],
            "config": {"stacks": list(stacks), **settings},
            "deck": cards_to_text(deck),
            "actions": [],
        }
    )


def step_all(game: HoldemGame, *actions: str | tuple[str, int]) -> list[dict[str, Any]]:
    """Step through actions, `"call"` or `("raise", 300)`, and return all their events."""
    events: list[dict[str, Any]] = []
    for action in actions:
        if isinstance(action, str):
            result, _ = game.step({"action_type": action})
        else:
            kind, amount = action
            result, _ = game.step({"action_type": kind, "amount": amount})
        events += result["events"]
    return events


def kinds(events: Iterable[dict[str, Any]]) -> list[str]:
    return [event["event"] for event in events]
