"""A specification that is not true is not built; the error has the path of the fault."""

from dataclasses import replace
from typing import Any, Literal

import pytest
from casino_games import InconsistentSpecification, specification
from casino_games.roulette.spec import PlacedBet, RoulettePublic
from casino_games.spec_document import build
from casino_games.spec_schemas import PARTS
from casino_games.specification import Closed, GameResult, GameState, result_of, state_of
from games.playing import dealt
from games.sealed_bid_spec import SPECIFICATION
from games.specification.specifying import TwoValidators, parse
from pydantic import BaseModel

ROULETTE = specification("roulette")


class PrivateWithoutBet(Closed):
    """Not what roulette's private state is."""


class ShortState(GameState[RoulettePublic, PrivateWithoutBet]):
    """A state in which something is missing."""


class OpenPart(BaseModel):
    """A model that takes what it does not know."""

    bet: PlacedBet | None


class OpenState(Closed):
    """Closed itself, but not all the way down."""

    public: RoulettePublic
    private: OpenPart


class NoPublic(Closed):
    """Not what roulette's public state is."""


class OnlyPass(Closed):
    """An action model that does not know bets."""

    action_type: Literal["PASS"]


class ShortResult(GameResult[NoPublic]):
    """A result in which something is missing."""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"state_model": ShortState}, r"roulette: the game's state .*private\.bet"),
        ({"result_model": ShortResult}, r"roulette: the game's result .*public\."),
        ({"action_model": NoPublic}, r"roulette: an action needs an action_type"),
        ({"action_model": OnlyPass}, r"roulette: the game's action .*action_type"),
        ({"state_model": OpenState}, r"roulette: state/\$defs/OpenPart is open"),
    ],
)
def test_models_that_are_not_the_games_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InconsistentSpecification, match=message):
        build(replace(ROULETTE, **change))


@pytest.mark.parametrize(
    "name", ['A "quoted" name', "no", "Łódź: 100 %", "1.0", "- a list", "null"]
)
def test_front_matter_survives_any_name(name: str) -> None:
    """What YAML would take for something else is quoted."""
    front_matter = parse(build(replace(ROULETTE, name=name, house_edge=name))).front_matter
    assert (front_matter["name"], front_matter["houseEdge"]) == (name, name)


def test_players_of_a_window_are_asked_before_anybody_is_stepped() -> None:
    """In the examples, too, nobody of one window has decided."""
    for example in parse(build(ROULETTE)).blocks("Examples"):
        for turn in example["turns"]:
            assert not any(one["has_decided"] for one in turn["state"]["public"]["players"])


def test_a_third_party_s_game_has_a_specification_like_ours(example: str) -> None:
    document = parse(build(SPECIFICATION))
    held = {part: TwoValidators(document.schema(part)) for part in PARTS}
    game = dealt(example, 3)
    while not game.is_over():
        held["state"].accept(state_of(game, game.get_current_player()))
        game.step(game.default_action(game.get_current_player()))
    held["result"].accept(result_of(game))


def test_winners_are_those_who_won_chips() -> None:
    results = []
    for seed in range(60):
        game = dealt("roulette", 2, seed)
        for bet in ("red", "black"):
            game.step({"action_type": "PLACE_BET", "bet": bet, "amount": 2})
        results.append(result_of(game))
    assert {tuple(result["winners"]) for result in results} == {("p0",), ("p1",), ()}
    for result in results:
        assert result["winners"] == [one for one in ("p0", "p1") if result["scores"][one] > 0]
        assert result["totalRake"] == 0
