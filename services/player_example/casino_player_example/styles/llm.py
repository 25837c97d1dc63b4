"""Style `llm`: asks a language model, in any game.

A hand of Hold'em is told with a record of the opponents (`holdem_prompt.py`). In other games the
adapter builds the prompt and its parser reads the answer; a game without one is described by its
specification, and one without either by the raw state and the available actions.
An invalid answer is asked for once more with the reason. After that, and without time, tokens or a
model, the default action is played. The model's thoughts go into `reasoning`, which is private
until the hand's record, never into `message`, which is public at once.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import structlog
from casino_contracts import GameActionRequest, GameActionResponse, HandNotice
from casino_games.action_parser import ActionParseError, ActionParser, JsonActionParser
from casino_games.errors import GameError
from casino_games.registry import action_parser, state_adapter
from casino_games.state_adapter import StateAdapter
from casino_gamespec import GameSpec, is_offered

from casino_player_example.chat import Chat, Completion
from casino_player_example.errors import ChatError, OutOfTokens
from casino_player_example.holdem_prompt import holdem_prompt
from casino_player_example.opponent_memory import OpponentMemory, SeenOpponent
from casino_player_example.rulebook import Rulebook
from casino_player_example.styles.generic_player import time_to_think

Message = dict[str, str]
_SECTIONS = ("Overview", "Rules", "Actions", "Strategy Hints")
_BESIDE_ADAPTER = ("Rules", "Strategy Hints")
"""What is added to the words of a game's adapter: it names the game and its actions itself."""
_MAX_RULES = 12_000
_MAX_STATE = 12_000
_MAX_QUOTE = 4_000
_HOW_TO_ANSWER = """\
Think in a few short sentences, then end with your action: one JSON object in a ```json block, \
with the "action_type" and whatever else the action needs, and nothing after it. \
Choose only from the available actions; where one has "min" and "max", answer with an "amount" \
in between instead of them."""
_SHARE_FOR_READING = 0.2
_ATTEMPTS = 2
_END_OF_THOUGHT = "</think>"

logger = structlog.get_logger(__name__)


def conversation(
    request: GameActionRequest, spec: GameSpec | None, opponents: Mapping[str, SeenOpponent]
) -> list[Message]:
    """Return the prompt; what is the same for all decisions of a game comes first."""
    rules = ""
    if (told := holdem_prompt(request, opponents)) is None:
        if (told := _of_adapter(request)) is not None:
            rules = _rules(spec, _BESIDE_ADAPTER)
        else:
            told, rules = _of_specification(request, spec), _rules(spec, _SECTIONS)
    system, turn = told
    if request.rejected is not None:
        turn += f"\n\nYour last answer was refused: {request.rejected.message:.500}"
    return [
        {"role": "system", "content": "\n\n".join(filter(None, [system, rules, _HOW_TO_ANSWER]))},
        {"role": "user", "content": turn},
    ]


def repair(messages: list[Message], answer: str, fault: str) -> list[Message]:
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
        system += f"\n\nThe JSON Schema of an action: {_json(schema)[:_MAX_QUOTE]}"
    return system, "\n".join(lines)


def _rules(spec: GameSpec | None, titles: Sequence[str]) -> str:
    if spec is None:
        return ""
    sections = [f"## {title}\n\n{text}" for title in titles if (text := spec.text_of(title))]
    return "\n\n".join(sections)[:_MAX_RULES]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class LlmPlayer:
    """Decides turns by a model; `timeout` limits one decision, in addition to the table's."""

    def __init__(self, rulebook: Rulebook, chat: Chat, *, timeout: timedelta) -> None:
        self._rulebook = rulebook
        self._chat = chat
        self._timeout = timeout
        self._memory = OpponentMemory()

    def notice(self, notice: HandNotice) -> None:
        """Remember how the opponents played a hand that is over."""
        self._memory.notice(notice)

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        seconds = min(time_to_think(request.deadline_ms), self._timeout).total_seconds()
        thoughts: list[str] = []
        try:
            async with asyncio.timeout(seconds) as limit:
                spec = await self._rulebook.of(request, within=seconds * _SHARE_FOR_READING)
                if faults := self._rulebook.faults(request, spec):
                    return self._safe(request, f"the state is invalid: {faults[0]}", [])
                action = await self._ask(request, spec, thoughts, limit)
        except TimeoutError:
            return self._safe(request, "the model took too long", thoughts)
        except (ChatError, OutOfTokens) as error:
            return self._safe(request, str(error), thoughts)
        if action is None:
            return self._safe(request, "the model's answers were invalid", thoughts)
        return GameActionResponse(action=action, reasoning=_joined(thoughts))

    async def _ask(
        self,
        request: GameActionRequest,
        spec: GameSpec | None,
        thoughts: list[str],
        limit: asyncio.Timeout,
    ) -> dict[str, Any] | None:
        """Return the model's action, None if it sent no valid one in two attempts."""
        opponents = self._memory.opponents(request.table_id, request.player_id)
        messages = conversation(request, spec, opponents)
        for _ in range(_ATTEMPTS):
            left = (limit.when() or 0.0) - asyncio.get_running_loop().time()
            completion = await self._chat.complete(messages, max_wait=left)
            try:
                return _read(request, spec, completion, thoughts)
            except ActionParseError as error:
                messages = repair(messages, completion.text, str(error))
        return None

    def _safe(
        self, request: GameActionRequest, why: str, thoughts: list[str]
    ) -> GameActionResponse:
        logger.warning("default_action_taken", game=request.game_type, why=why)
        # The reason comes first, because text beyond 4,000 characters is cut.
        reasoning = _joined([f"[the default action: {why}]", *thoughts])
        return GameActionResponse(action=self._rulebook.default(request), reasoning=reasoning)


def _read(
    request: GameActionRequest, spec: GameSpec | None, completion: Completion, thoughts: list[str]
) -> dict[str, Any]:
    """Return the action of an answer and append the model's thoughts; raises ActionParseError."""
    parser = parser_of(request.game_type)
    thought, closed, answer = completion.text.rpartition(_END_OF_THOUGHT)
    reasons = parser.extract_reasoning(answer).removesuffix("```json").strip()
    document = parser.extract_json(answer) or {}
    thoughts += [
        completion.thoughts,
        thought.strip().removeprefix("<think>") if closed else "",
        reasons,
        str(document.get("reasoning", "")),
    ]
    action = parser.parse(answer, list(request.available_actions))
    if not is_offered(action, request.available_actions):
        raise ActionParseError("it is not one of the available actions")
    if spec is not None and (faults := spec.check_action(action)):
        raise ActionParseError(f"it does not match the Action Schema: {faults[0]}")
    return action


def _joined(thoughts: list[str]) -> str | None:
    return "\n".join(filter(None, map(str.strip, thoughts))) or None
