"""Style `llm`: asks a language model, in any game.

The game's adapter builds the prompt and its parser reads the answer. An invalid answer is asked for
once more with the reason. After that, and without time, tokens or a model, the default action is
played. The model's thoughts go into `reasoning`, which is private until the hand's record, never
into `message`, which is public at once.
"""

import asyncio
from datetime import timedelta
from typing import Any

import structlog
from casino_contracts import GameActionRequest, GameActionResponse
from casino_games.action_parser import ActionParseError
from casino_gamespec import GameSpec, is_offered

from casino_player_example.chat import Chat, Completion
from casino_player_example.deadline import time_to_think
from casino_player_example.errors import ChatError, OutOfTokens
from casino_player_example.prompt import conversation, parser_of, repair
from casino_player_example.rulebook import Rulebook

logger = structlog.get_logger(__name__)

_SHARE_FOR_READING = 0.2
_ATTEMPTS = 2
_END_OF_THOUGHT = "</think>"


class LlmPlayer:
    """Decides turns by a model; `timeout` limits one decision, in addition to the table's."""

    def __init__(self, rulebook: Rulebook, chat: Chat, *, timeout: timedelta) -> None:
        self._rulebook = rulebook
        self._chat = chat
        self._timeout = timeout

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        """Decide one turn before its deadline."""
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
        messages = conversation(request, spec)
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
    request: GameActionRequest,
    spec: GameSpec | None,
    completion: Completion,
    thoughts: list[str],
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
