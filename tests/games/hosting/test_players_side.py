"""Adapters and parsers that have the methods of the document without our base classes."""

from typing import Any

import pytest
from casino_games import ActionParseError, action_parser, state_adapter
from games.hosting.pile_game import PileGame, registered

ACTIONS: list[dict[str, Any]] = [{"action_type": "TAKE"}]


class OverridingAdapter:
    """An adapter with one optional override."""

    def state_to_prompt(self, *_parts: Any) -> str:
        return "a prompt"

    def get_output_schema(self) -> dict[str, Any]:
        return {}

    def format_system_prompt(self, role: str, **_parts: Any) -> str:
        return f"be a {role}"


class Overridden(PileGame):
    """A class for the adapter's registration."""


class FallbackParser:
    """A parser whose constructor takes the fallback."""

    def __init__(self, *, fallback_to_random: bool = True) -> None:
        self.fallback_to_random = fallback_to_random

    def parse(self, raw_output: str, valid_actions: list[dict[str, Any]]) -> Any:
        del raw_output
        return valid_actions[0] if self.fallback_to_random else None


def test_an_adapter_has_the_defaults_of_what_it_leaves_out() -> None:
    with registered() as game_type:
        adapter = state_adapter(game_type)
    prompt = adapter.state_to_prompt(
        public_state={"left": 3}, private_state={"taken": 1}, valid_actions=ACTIONS
    )
    assert prompt == f"3 1 {ACTIONS} []"
    assert adapter.get_output_schema() == {"type": "object"}
    assert "player" in adapter.format_system_prompt(role="player", public_state={})
    assert adapter.format_valid_actions_for_prompt(ACTIONS) == ACTIONS
    assert adapter.format_turn_history([{"player_id": "a", "action": "x"}], 1) == "a: x"
    path = {"state_adapter_class": f"{__name__}.OverridingAdapter"}
    with registered(Overridden, **path) as game_type:
        own = state_adapter(game_type)
    assert own.format_system_prompt("dealer", public_state={}) == "be a dealer"
    assert own.state_to_prompt({}, {}, []) == "a prompt"


class Parsed(PileGame):
    """A class for the parser's registration."""


def test_a_parser_is_made_with_what_its_constructor_takes() -> None:
    """None, or the fallback; its own errors become `ActionParseError`."""
    with registered() as game_type:
        assert action_parser(game_type).parse("?", ACTIONS) == ACTIONS[0]
        strict = action_parser(game_type, fallback_to_random=False)
    assert strict.parse("first", ACTIONS) == ACTIONS[0]
    with pytest.raises(ActionParseError, match="unreadable"):
        strict.parse("?", ACTIONS)
    with registered(Parsed, action_parser_class=f"{__name__}.FallbackParser") as game_type:
        assert action_parser(game_type).parse("?", ACTIONS) == ACTIONS[0]
        with pytest.raises(ActionParseError, match="no action"):
            action_parser(game_type, fallback_to_random=False).parse("?", ACTIONS)
