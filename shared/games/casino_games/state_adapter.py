"""Convert a game's state to a prompt for a language model, on the player's side.

The parameters have the names of the game-interface document and are passed by keyword.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from casino_games.game import Json
from casino_games.spec_schemas import DIALECT

_OPTIONAL = ("format_system_prompt", "format_valid_actions_for_prompt", "format_turn_history")
"""The methods that an adapter may leave out."""


class StateAdapter(ABC):
    """Builds prompts from states."""

    @abstractmethod
    def state_to_prompt(
        self,
        public_state: Json,
        private_state: Json,
        valid_actions: list[Json],
        turn_history: list[Json] | None = None,
    ) -> str:
        """Return the prompt of a turn: the state, the history and the available actions."""

    @abstractmethod
    def get_output_schema(self) -> Json:
        """Return the JSON Schema of the expected answer."""

    def format_system_prompt(self, role: str | None = None, **kwargs: Any) -> str:
        """Return the system prompt; `public_state` and `private_state` are passed by keyword."""
        del kwargs
        return f"You are a {role or 'player'} in a game. You play to win."

    def format_valid_actions_for_prompt(self, valid_actions: list[Json]) -> list[Json]:
        """Return the actions as they appear in the prompt, by default unchanged."""
        return [action.copy() for action in valid_actions]

    def format_turn_history(self, turn_history: list[Json], max_turns: int = 10) -> str:
        """Return the last turns, one per line, oldest first.

        Only player, action and amount are included: a turn's record may hold private states.
        """
        if max_turns < 1:
            return ""
        return "\n".join(map(_past_turn, turn_history[-max_turns:]))


class AdaptedStateAdapter(StateAdapter):
    """A third party's adapter, which may leave out what the base class has."""

    def __init__(self, adapter: Any) -> None:
        self._adapter = adapter
        for name in _OPTIONAL:
            if callable(override := getattr(adapter, name, None)):
                setattr(self, name, override)

    def state_to_prompt(
        self,
        public_state: Json,
        private_state: Json,
        valid_actions: list[Json],
        turn_history: list[Json] | None = None,
    ) -> str:
        prompt = self._adapter.state_to_prompt(
            public_state, private_state, valid_actions, turn_history or []
        )
        return str(prompt)

    def get_output_schema(self) -> Json:
        schema: Json = self._adapter.get_output_schema()
        return schema


class JsonStateAdapter(StateAdapter):
    """Adapter for games whose answers are the JSON of their actions.

    A game defines its `name`, a summary of its `rules` and `describe`; `parameters` are the
    schemas of an answer's keys other than `action_type`.
    """

    name: ClassVar[str]
    rules: ClassVar[str]
    action_types: ClassVar[tuple[str, ...]]
    parameters: ClassVar[Json] = {}

    @abstractmethod
    def describe(self, public_state: Json, private_state: Json) -> Sequence[str]:
        """Return the state in short lines, only from the two arguments."""

    def state_to_prompt(
        self,
        public_state: Json,
        private_state: Json,
        valid_actions: list[Json],
        turn_history: list[Json] | None = None,
    ) -> str:
        lines = [*self.describe(public_state, private_state)]
        if turn_history:
            lines += ["", "What happened, oldest first:", self.format_turn_history(turn_history)]
        lines += ["", "You may now do one of these:"]
        lines += map(_compact, self.format_valid_actions_for_prompt(valid_actions))
        if any("min" in action for action in valid_actions):
            lines += ['Where there is "min" and "max", give an "amount" in between instead.']
        lines += ["", "Answer with one JSON object, in a fenced block, such as:"]
        lines += ["```json", '{"action_type": "…"}', "```"]
        return "\n".join(lines)

    def get_output_schema(self) -> Json:
        return {
            "$schema": DIALECT,
            "type": "object",
            "properties": {
                "reasoning": {"type": "string"},
                "action_type": {"enum": list(self.action_types)},
                **self.parameters,
            },
            "required": ["action_type"],
            "additionalProperties": False,
        }

    def format_system_prompt(self, role: str | None = None, **kwargs: Any) -> str:
        del kwargs
        return f"You are a {role or 'player'} in {self.name}. {self.rules} You play to win chips."


def _past_turn(turn: Json) -> str:
    """Return a line for a turn of a runner's record or of a game's history."""
    action = turn.get("action", turn.get("action_type", ""))
    text = _compact(action) if isinstance(action, dict) else str(action)
    amount = turn.get("amount")
    return f"{turn.get('player_id', '')}: {text}" + ("" if amount is None else f" {amount}")


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
