"""Every game's specification is true, and is enough to play by it."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from casino_games import GAME_REGISTRY, Game, game_class, specification
from casino_games.spec_document import build
from casino_games.spec_schemas import PARTS, action_schemas, kinds_of, schemas
from casino_games.specification import GameSpecification, result_of, state_of
from casino_gamespec.a2g import a2g_action, a2g_offer, a2g_result
from games.specification.specifying import (
    HEADINGS,
    Document,
    TwoValidators,
    dealt_game,
    decisions,
    parse,
)

HANDS = 60
GAMES = sorted(GAME_REGISTRY)
"""Every game that is registered has a specification."""


@pytest.fixture(scope="module", params=GAMES)
def spec(request: pytest.FixtureRequest) -> GameSpecification:
    return specification(str(request.param))


@pytest.fixture(scope="module")
def document(spec: GameSpecification) -> Document:
    return parse(build(spec))


@pytest.fixture(scope="module")
def held(document: Document) -> dict[str, TwoValidators]:
    """Return its schemas, as the document has them."""
    return {part: TwoValidators(document.schema(part)) for part in PARTS}


class TestTheDocument:
    def test_front_matter_is_yaml_and_complete(
        self, spec: GameSpecification, document: Document
    ) -> None:
        """A YAML parser gives the keys of the protocol, versions as text."""
        assert document.front_matter == spec.front_matter()
        assert list(document.front_matter) == [
            *("gameType", "version", "name", "category", "gameModel"),
            *("players", "houseEdge", "defaultTimeoutAction", "schemaFormat"),
        ]

    def test_sections_are_there_in_their_order(self, document: Document) -> None:
        assert list(document.sections) == HEADINGS
        assert all(document.sections.values())

    def test_it_is_the_same_every_time(self, spec: GameSpecification) -> None:
        assert build(spec).encode() == build(spec).encode()

    def test_it_says_what_the_game_says_of_itself(self, spec: GameSpecification) -> None:
        rules = game_class(spec.game_type)
        assert (spec.players_min, spec.players_max) == (rules.min_players, rules.max_players)
        assert spec.game_model == rules.game_model
        assert spec.default_timeout_action == rules.timeout_action

    @pytest.mark.parametrize("part", PARTS)
    def test_schemas_say_what_they_are(
        self, spec: GameSpecification, document: Document, part: str
    ) -> None:
        """Draft 2020-12, and a name that holds for this version."""
        schema = document.schema(part)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema["$id"] == f"urn:a2a-casino:game:{spec.game_type}:{spec.version}:{part}"
        assert schema == schemas(spec)[part]

    def test_examples_are_whole_hands(
        self, document: Document, held: dict[str, TwoValidators]
    ) -> None:
        """Each message in them fulfils its schema, and chips only change hands."""
        examples = document.blocks("Examples")
        assert len(examples) >= 2
        for example in examples:
            assert example["turns"]
            for turn in example["turns"]:
                held["state"].accept(turn["state"])
                held["action"].accept(turn["action"])
            held["result"].accept(example["result"])
            assert sum(example["result"]["scores"].values()) == 0


class TestThePlay:
    """What the game really says, over many hands of all numbers of players."""

    def test_every_message_of_every_hand_fulfils_its_schema(
        self, spec: GameSpecification, held: dict[str, TwoValidators]
    ) -> None:
        """At every decision, in everybody's view.

        Both validators see what the actor sees and what everybody sees at the end; the views of
        those who wait, which differ by their private part, only the fast one.
        """
        rng = random.Random(spec.game_type)
        for hand in range(HANDS):
            game = dealt_game(spec.game_type, hand)
            for action in decisions(game, rng):
                held["action"].accept(action)
                actor = game.get_current_player()
                held["state"].accept(state_of(game, actor))
                for player_id in set(game.get_players()) - {actor}:
                    held["state"].accept_quickly(state_of(game, player_id))
            for state in everybodys_states(game):
                held["state"].accept(state)
            held["result"].accept(result_of(game))

    def test_payloads_of_a2g_fulfil_the_same_schemas(
        self, spec: GameSpecification, held: dict[str, TwoValidators]
    ) -> None:
        """The state with its offers, the action and the result, as they are translated."""
        rng = random.Random(spec.game_type)
        for hand in range(20):
            game = dealt_game(spec.game_type, hand)
            for action in decisions(game, rng):
                held["action"].accept(a2g_action(action))
                available = game.get_available_actions()
                offered = [a2g_offer(offer) for offer in available]
                state = state_of(game, game.get_current_player())
                held["state"].accept({**state, "availableActions": offered})
            held["result"].accept(a2g_result(result_of(game)))
        assert held["action"].refuses({**a2g_action(action), **action})
        assert held["state"].refuses({**state, "availableActions": [{**offered[0], "more": 1}]})
        assert held["state"].refuses({**state, "availableActions": available})

    def test_schemas_are_closed(
        self, spec: GameSpecification, held: dict[str, TwoValidators]
    ) -> None:
        """A key more or a key less is refused, wherever the schema names the keys."""
        rng = random.Random(7)
        game = dealt_game(spec.game_type, 1)
        state = state_of(game, game.get_current_player())
        action = next(decisions(game, rng))
        for part, message in (("state", state), ("action", action)):
            for spoiled in one_key_off(message):
                assert held[part].refuses(spoiled), spoiled

    def test_every_kind_of_action_is_met(self, spec: GameSpecification) -> None:
        rng = random.Random(11)
        met: set[str] = set()
        for hand in range(200):
            game = dealt_game(spec.game_type, hand)
            met |= {action["action_type"] for action in decisions(game, rng)}
        assert met == set(spec_words(spec))

    def test_the_clock_does_what_the_document_says(self, spec: GameSpecification) -> None:
        """The default action where it is offered, else the first offer; neither needs an amount."""
        rng = random.Random(13)
        taken: set[str] = set()
        for hand in range(50):
            game = dealt_game(spec.game_type, hand)
            for _ in decisions(game, rng):
                offered = game.get_available_actions()
                named = [
                    one for one in offered if one["action_type"] == spec.default_timeout_action
                ]
                default = game.default_action(game.get_current_player())
                assert default == (named or offered)[0]
                taken.add(default["action_type"])
        assert spec.default_timeout_action in taken


def everybodys_states(game: Game) -> list[dict[str, Any]]:
    """Return what each player sees; what several see alike is there once."""
    states = {json.dumps(state_of(game, player_id)) for player_id in game.get_players()}
    return [json.loads(state) for state in states]


def one_key_off(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield copies of a message with one key too many or one too few, somewhere in it.

    Scores are left alone: their keys are players.
    """
    yield message | {"unknown": 1}
    for key, value in message.items():
        yield {other: message[other] for other in message if other != key}
        if isinstance(value, dict) and key != "scores":
            yield from (message | {key: spoiled} for spoiled in one_key_off(value))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from (message | {key: [spoiled, *value[1:]]} for spoiled in one_key_off(value[0]))


def spec_words(spec: GameSpecification) -> list[str]:
    actions = action_schemas(schemas(spec)["action"])
    return [kind for one in actions for kind in kinds_of(spec, one)]
