"""Deals and plays any game for the tests of the contract, by its registration alone."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from casino_games import (
    GAME_REGISTRY,
    ArenaConfig,
    ArenaPlayer,
    Game,
    create_game,
    game_class,
    offers,
    register_game,
    restore_game,
)

Json = dict[str, Any]
EXAMPLE = "sealed_bid"
"""The game of docs/games.md, which no package of ours knows."""
SEEDS = [f"seed {number}" for number in range(8)]


def register_example() -> None:
    """Add the example, by the dotted paths of the tests."""
    register_game(
        EXAMPLE,
        game_module="games.sealed_bid",
        game_class="games.sealed_bid.game.SealedBidGame",
        game_factory="games.sealed_bid.create_game",
        state_adapter_class="games.sealed_bid.state_adapter.SealedBidStateAdapter",
        action_parser_class="games.sealed_bid.action_parser.SealedBidActionParser",
        config_class="games.sealed_bid.config.SealedBidConfig",
    )


def forget_example() -> None:
    """Take the example out again: other tests list the games that are registered."""
    GAME_REGISTRY.pop(EXAMPLE, None)


def sizes(game_type: str) -> list[int]:
    """Return the smallest and the largest number of players."""
    limits = game_class(game_type)
    return sorted({limits.min_players, limits.max_players})


def new_game(game_type: str, players: int, seed: str | int | None = None, **settings: Any) -> Game:
    """Return a game between `p0`, `p1`, …, which has not been dealt."""
    seats = tuple(ArenaPlayer(f"p{number}") for number in range(players))
    return create_game(game_type, ArenaConfig(seats, seed, settings, game_type))


def dealt(game_type: str, players: int, seed: str | int = "a seed", **settings: Any) -> Game:
    game = new_game(game_type, players, **settings)
    game.reset(seed)
    return game


def copy_of(game: Game) -> Game:
    """Return an equal game, through the text of its snapshot."""
    return restore_game(game.game_type, json.loads(json.dumps(game.serialize())))


def some_answer(available: Sequence[Json], generator: random.Random) -> Json:
    offer = generator.choice(available)
    answer = offers.least_of(offer)
    if offers.has_range(offer):
        answer["amount"] = generator.randint(offer["min"], offer["max"])
    return answer


def some_of(offered: list[Json], generator: random.Random) -> list[Json]:
    """Return what is offered, or some of it where there is much, such as the bets of roulette."""
    return offered if len(offered) <= 6 else generator.sample(offered, 6)


def positions(game: Game, generator: random.Random) -> Iterator[Game]:
    """Play to the end with random answers and yield the game before each of them, and its end."""
    while not game.is_over():
        yield game
        game.step(some_answer(game.get_available_actions(), generator))
    yield game


def playthrough(game_type: str, players: int, seed: str) -> str:
    """Return all that can be seen of one random game, as text."""
    game = dealt(game_type, players, seed)
    generator = random.Random(seed)
    seen: list[Any] = [game.opening_events()]
    while not game.is_over():
        seen += [game.get_state(), game.get_available_actions()]
        seen.append(game.step(some_answer(game.get_available_actions(), generator)))
    seen += [game.get_state(), game.get_winner(), game.serialize()]
    return json.dumps(seen)


def with_other_card(snapshot: Mapping[str, Any], place: int) -> Json:
    """Return a snapshot in which another card lies at a place, one that was not dealt before."""
    if "deck" in snapshot:  # hold'em's holds only the cards that it can use
        deck = snapshot["deck"]
        cards = [deck[start : start + 2] for start in range(0, len(deck), 2)]
        unused = (rank + suit for rank in "A2K3Q4J5" for suit in "shdc")
        cards[place] = next(card for card in unused if card not in cards)
        return {**snapshot, "deck": "".join(cards)}
    order = [*snapshot["order"]]
    order[place], order[-1] = order[-1], order[place]
    return {**snapshot, "order": order}


def games_under_way(game_type: str) -> Iterator[Game]:
    """Yield random games of few and of many players, at every position of each."""
    for players in sizes(game_type):
        for seed in SEEDS:
            yield from positions(dealt(game_type, players, seed), random.Random(seed))


def wrong_answers(available: list[dict[str, Any]]) -> Iterator[Any]:
    yield from (None, [], "CALL", 7, {}, {"action_type": None}, {"action_type": "NO_SUCH"})
    yield {"action_type": [[]]}
    for offer in available:
        kind = offer["action_type"]
        yield {"action_type": [kind]}
        yield offers.least_of(offer) | {"action_type": kind + " "}
        for key in offers.parameters(offer):
            if key != "action_type":
                yield {part: offer[part] for part in offers.parameters(offer) if part != key}
                yield offers.least_of(offer) | {key: "no such value"}
                yield offers.least_of(offer) | {key: None}
        if offers.has_range(offer):
            least = offers.least_of(offer)
            yield {key: least[key] for key in least if key != "amount"}
            wrong: tuple[Any, ...] = (offer["min"] - 1, offer["max"] + 1, None, True, "10", -1)
            yield from (least | {"amount": amount} for amount in (*wrong, least["amount"] + 0.5))
            more: tuple[Any, ...] = (float(offer["min"]), 10**400, [])
            yield from (least | {"amount": amount} for amount in more)


def spoil(value: Any) -> None:
    """Change everything in a value that can be changed."""
    if isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        value.clear()
    elif isinstance(value, list):
        for inner in value:
            spoil(inner)
        value.clear()
    elif isinstance(value, tuple):
        for inner in value:
            spoil(inner)


def rigged(game_type: str, players: int, order: Sequence[int], cards: int, **settings: Any) -> Game:
    """Return a game dealt from chosen cards, the others of `cards` behind them."""
    rest = [card for card in range(cards) if card not in order]
    game = dealt(game_type, players, **settings)
    return restore_game(game_type, game.serialize() | {"order": [*order, *rest]})


def step_all(game: Game, *words: str) -> list[Json]:
    """Step through actions by their `action_type` and return all their events."""
    return [event for word in words for event in game.step({"action_type": word})[0]["events"]]
