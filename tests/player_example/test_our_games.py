"""Players of any game at every game of ours: by its real specification, prompts and parser."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from casino_contracts import HOLDEM, GameActionRequest, GameActionResponse
from casino_games import ArenaConfig, ArenaPlayer, create_game
from casino_games.game import Game
from casino_games.registry import game_types, specification
from casino_games.spec_document import build
from casino_games.specification import result_of, state_of
from casino_gamespec import GameSpec, Lobby, Specifications
from casino_player_example.any_game import AnyGamePlayer, open_llm_player
from casino_player_example.rulebook import Rulebook
from casino_player_example.settings import PlayerSettings
from casino_player_example.styles.generic_player import GenericPlayer
from casino_player_example.styles.llm import conversation
from support.players.model_server import ModelServer, sensible
from support.specifications import LobbySide

SOON = timedelta(seconds=10)
HANDS = 20
MOST_DECISIONS = 500

pytestmark = pytest.mark.parametrize("game_type", game_types())


def deal(game_type: str, seed: str) -> Game:
    """Return a hand of the players and settings that a specification is made with."""
    spec = specification(game_type)
    players = tuple(ArenaPlayer(player) for player in spec.example_players)
    game = create_game(
        game_type,
        ArenaConfig(players, game_config=dict(spec.example_config), game_type=game_type),
    )
    game.reset(seed)
    return game


def question(game: Game, number: int, version: str) -> GameActionRequest:
    """Return what a table asks the one whose turn it is; over the wire, as JSON."""
    player = game.get_current_player()
    asked = {
        "tableId": "t1",
        "gameType": game.game_type,
        "specVersion": version,
        "requestId": f"t1/1:{number}:1",
        "playerId": player,
        "state": state_of(game, player),
        "availableActions": game.get_available_actions(),
        "deadlineMs": 60_000,
    }
    return GameActionRequest.model_validate_json(json.dumps(asked))


def lobby_of(game_type: str) -> LobbySide:
    return LobbySide(**{game_type: build(specification(game_type))})


def rulebook_at(side: LobbySide) -> Rulebook:
    lobby = Lobby(side.client(), "http://lobby", timeout=SOON)
    return Rulebook(Specifications(lobby, clock=lambda: 0.0))


async def play(
    game_type: str, player: AnyGamePlayer, check: Callable[[GameActionResponse], None]
) -> None:
    """Play hands with one player in every seat; the game refuses what is illegal."""
    spec = GameSpec.parse(build(specification(game_type)))
    for hand in range(HANDS):
        game = deal(game_type, f"{game_type} {hand}")
        for number in range(MOST_DECISIONS):
            if game.is_over():
                break
            asked = question(game, number + 1000 * hand, spec.about.version)
            assert spec.check_state(asked.state) == ()
            answer = await player.act(asked)
            assert spec.check_action(answer.action) == ()
            check(answer)
            game.step(answer.action)
        assert game.is_over()
        assert spec.check_result(result_of(game)) == ()


async def test_the_generic_player_plays_hands_to_the_end(game_type: str) -> None:
    """It never needs the default action."""
    side = lobby_of(game_type)

    def drawn(answer: GameActionResponse) -> None:
        assert answer.reasoning is None  # it never had to take the default

    await play(game_type, GenericPlayer(rulebook_at(side)), drawn)
    assert len(side.asked) == 2


async def test_a_model_plays_hands_to_the_end(game_type: str) -> None:
    """With the game's own adapter and parser."""
    server = ModelServer(sensible)
    settings = PlayerSettings.load(
        {}, style="llm", llm_model="openai:stand-in", llm_api_key="none", llm_token_budget=10**9
    )
    player = open_llm_player(settings, rulebook_at(lobby_of(game_type)), server.transport())

    def thought(answer: GameActionResponse) -> None:
        assert answer.defaulted is None
        assert answer.reasoning is not None
        assert answer.reasoning.startswith("I take what is first.")

    await play(game_type, player, thought)
    await player.close()
    system = server.asked[0].messages[0][1]
    assert ("## Rules" in system) is (game_type != HOLDEM)
    assert player.budget.spent.tokens == 50 * len(server.asked)


def test_the_prompt_is_made_by_the_game_s_adapter(game_type: str) -> None:
    """It is not the bare state that other games get."""
    spec = GameSpec.parse(build(specification(game_type)))
    asked = question(deal(game_type, "one"), 1, spec.about.version)
    turn = conversation(asked, spec, {})[1]["content"]
    assert "All that you may know:" not in turn
