"""Build the prompts for a language model: the rules, the turn and the answer format.

A game of `casino_games` is described by its StateAdapter, any other game by its specification, and
a game without either by the raw state and the available actions.
"""

import json
from typing import Any

from casino_contracts import GameActionRequest
from casino_games.action_parser import ActionParser, JsonActionParser
from casino_games.errors import GameError
from casino_games.registry import action_parser, state_adapter
from casino_games.state_adapter import StateAdapter
from casino_gamespec import GameSpec

Message = dict[str, str]

_SECTIONS = ("Overview", "Rules", "Actions", "Strategy Hints")
_MAX_RULES = 12_000
_MAX_STATE = 12_000
_MAX_QUOTE = 4_000
_HOW_TO_ANSWER = """\
Think in a few short sentences, then end with your action: one JSON object in a ```json block, \
with the "action_type" and whatever else the action needs, and nothing after it. \
Choose only from the available actions; where one has "min" and "max", answer with an "amount" \
in between instead of them."""


def conversation(request: GameActionRequest, spec: GameSpec | None) -> list[Message]:
    """Return the messages that ask for one decision."""
    system, turn = _of_adapter(request) or _of_specification(request, spec)
    rules = _rules(spec)
    if request.rejected is not None:
        turn += f"\n\nYour last answer was refused: {request.rejected.message:.500}"
    return [
        {"role": "system", "content": "\n\n".join(filter(None, [system, rules, _HOW_TO_ANSWER]))},
        {"role": "user", "content": turn},
    ]


def repair(messages: list[Message], answer: str, fault: str) -> list[Message]:
    """Return the conversation with an invalid answer and a request to correct it."""
    correction = (
        f"That is not an action that I can take: {fault:.1000}\n"
        "Answer with the JSON object alone, in a ```json block."
    )
    return [
        *messages,
        {"role": "assistant", "content": answer[:_MAX_QUOTE] or "…"},
        {"role": "user", "content": correction},
    ]


def parser_of(game_type: str) -> ActionParser:
    """Return the parser of a game's answers, by default one for JSON actions."""
    try:
        return action_parser(game_type, fallback_to_random=False)
    except GameError:
        return JsonActionParser(fallback_to_random=False)


def _adapter_of(game_type: str) -> StateAdapter | None:
    try:
        return state_adapter(game_type)
    except GameError:
        return None


def _of_adapter(request: GameActionRequest) -> tuple[str, str] | None:
    """Return system prompt and turn from the game's adapter; None if it has none or it fails."""
    adapter = _adapter_of(request.game_type)
    if adapter is None:
        return None
    public, private = (request.state.get(half) for half in ("public", "private"))
    try:
        system = adapter.format_system_prompt(
            role="player", public_state=public, private_state=private
        )
        turn = adapter.state_to_prompt(
            public_state=public,  # type: ignore[arg-type]  # untrusted: may have any type
            private_state=private,  # type: ignore[arg-type]
            valid_actions=list(request.available_actions),
            turn_history=None,
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        # The state is invalid or of another version: continue without the adapter.
        return None
    return system, turn


def _of_specification(request: GameActionRequest, spec: GameSpec | None) -> tuple[str, str]:
    name = (spec.about.name if spec is not None else None) or request.game_type
    system = f"You are the player {request.player_id} in the game {name}. You play to win chips."
    lines = [
        "All that you may know:",
        _json(request.state)[:_MAX_STATE],
        "",
        "The available actions:",
        *map(_json, request.available_actions),
    ]
    if spec is not None:
        schema = {key: part for key, part in spec.action.document.items() if key[0] != "$"}
        lines += ["", "The JSON Schema of an action:", _json(schema)[:_MAX_QUOTE]]
    return system, "\n".join(lines)


def _rules(spec: GameSpec | None) -> str:
    if spec is None:
        return ""
    sections = [f"## {title}\n\n{text}" for title in _SECTIONS if (text := spec.text_of(title))]
    return "\n\n".join(sections)[:_MAX_RULES]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
