"""The shared parts of state adapters."""

from collections.abc import Sequence
from typing import Any, ClassVar

from casino_games import JsonStateAdapter, StateAdapter

TURNS: list[dict[str, Any]] = [
    {
        "player_id": f"p{number}",
        "action": {"action_type": "CALL"},
        "private_states": {"p0": {"card": "SECRET"}},
        "public_state": {"long": "SECRET"},
    }
    for number in range(20)
]


class Plain(StateAdapter):
    """The least that an adapter has to be."""

    def state_to_prompt(
        self,
        public_state: dict[str, Any],
        private_state: dict[str, Any],
        valid_actions: list[dict[str, Any]],
        turn_history: list[dict[str, Any]] | None = None,
    ) -> str:
        return str([public_state, private_state, valid_actions, turn_history])

    def get_output_schema(self) -> dict[str, Any]:
        return {}


class Described(JsonStateAdapter):
    """The least that a game with JSON answers has to be."""

    name: ClassVar[str] = "a game"
    rules: ClassVar[str] = "There are none."
    action_types: ClassVar[tuple[str, ...]] = ("BET", "PASS")

    def describe(self, public_state: Any, private_state: Any) -> Sequence[str]:
        return [f"{public_state['pot']} and {private_state['card']}"]


def test_history_is_who_did_what_the_last_turns_only() -> None:
    """A runner's records hold everybody's private state: it is left out."""
    history = Plain().format_turn_history(turn_history=TURNS, max_turns=3)
    assert history == "\n".join(f'p{n}: {{"action_type": "CALL"}}' for n in (17, 18, 19))
    assert len(Plain().format_turn_history(TURNS).splitlines()) == 10
    assert Plain().format_turn_history(TURNS, max_turns=0) == ""
    assert Plain().format_turn_history([]) == ""


def test_the_system_prompt_has_the_role() -> None:
    assert "spymaster" in Plain().format_system_prompt(role="spymaster", public_state={}, x=1)
    assert "player in a game. There are none." in Described().format_system_prompt()


def test_a_prompt_is_state_history_actions_and_how_to_answer() -> None:
    """In this order; the word about amounts stands only where there is a range."""
    actions: list[dict[str, Any]] = [{"action_type": "PASS"}]
    prompt = Described().state_to_prompt({"pot": 3}, {"card": 7}, actions, TURNS[:1])
    parts = ["3 and 7", 'p0: {"action_type": "CALL"}', '{"action_type": "PASS"}', "```json"]
    places = [prompt.index(part) for part in parts]
    assert places == sorted(places)
    assert "SECRET" not in prompt
    assert '"amount"' not in prompt
    actions.append({"action_type": "BET", "min": 1, "max": 5})
    assert '"amount"' in Described().state_to_prompt({"pot": 3}, {"card": 7}, actions)
