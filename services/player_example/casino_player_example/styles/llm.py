"""Asks a language model: the game's adapter makes the prompt, its parser reads the answer.

What cannot be read is asked for once more with the reason; then, as whenever there is no time, no
token or no model, the safe default action is played.  What the model thinks goes into `reasoning`,
which is private until the hand's record, never into `message`, which everybody reads at once.
"""

import asyncio
from datetime import timedelta
from typing import Any

import structlog
from casino_contracts import GameActionRequest, GameActionResponse
from casino_games.action_parser import ActionParseError
from casino_gamespec import GameSpec, is_offered

from casino_player_example.chat import Chat, ChatError, Completion
from casino_player_example.deadline import time_to_think
from casino_player_example.prompt import conversation, parser_of, repair
from casino_player_example.rulebook import Rulebook
from casino_player_example.tokens import OutOfTokens

logger = structlog.get_logger(__name__)

_SHARE_FOR_READING = 0.2
_ROUNDS = 2
_END_OF_THOUGHT = "</think>"


class LlmPlayer:
    """A model at the table; `timeout` bounds one decision, as the table's clock does."""

    def __init__(self, rulebook: Rulebook, chat: Chat, *, timeout: timedelta) -> None:
        self._rulebook = rulebook
        self._chat = chat
        self._timeout = timeout

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        """Decide one turn, before the clock runs out."""
        seconds = min(time_to_think(request.deadline_ms), self._timeout).total_seconds()
        thoughts: list[str] = []
        try:
            async with asyncio.timeout(seconds) as limit:
                spec = await self._rulebook.of(request, within=seconds * _SHARE_FOR_READING)
                if faults := self._rulebook.faults(request, spec):
                    return self._safe(request, f"the state is not as specified: {faults[0]}", [])
                action = await self._ask(request, spec, thoughts, limit)
        except TimeoutError:
            return self._safe(request, "the model took too long", thoughts)
        except (ChatError, OutOfTokens) as error:
            return self._safe(request, str(error), thoughts)
        if action is None:
            return self._safe(request, "the model's answers could not be read", thoughts)
        return GameActionResponse(action=action, reasoning=_told(thoughts))

    async def _ask(
        self,
        request: GameActionRequest,
        spec: GameSpec | None,
        thoughts: list[str],
        limit: asyncio.Timeout,
    ) -> dict[str, Any] | None:
        """Return the model's action, None when it named none in two rounds."""
        messages = conversation(request, spec)
        for _ in range(_ROUNDS):
            left = (limit.when() or 0.0) - asyncio.get_running_loop().time()
            completion = await self._chat.complete(messages, patience=left)
            try:
                return _read(request, spec, completion, thoughts)
            except ActionParseError as error:
                messages = repair(messages, completion.text, str(error))
        return None

    def _safe(
        self, request: GameActionRequest, why: str, thoughts: list[str]
    ) -> GameActionResponse:
        logger.warning("default_action_taken", game=request.game_type, why=why)
        # The reason first: what is beyond 4,000 characters is cut.
        told = _told([f"[the default action: {why}]", *thoughts])
        return GameActionResponse(action=self._rulebook.default(request), reasoning=told)


def _read(
    request: GameActionRequest,
    spec: GameSpec | None,
    completion: Completion,
    thoughts: list[str],
) -> dict[str, Any]:
    """Return the action in an answer, and note what the model thought; or ActionParseError."""
    parser = parser_of(request.game_type)
    thought, closed, answer = completion.text.rpartition(_END_OF_THOUGHT)
    reasons = parser.extract_reasoning(answer).removesuffix("```json").strip()
    said = parser.extract_json(answer) or {}
    thoughts += [
        completion.thoughts,
        thought.strip().removeprefix("<think>") if closed else "",
        reasons,
        str(said.get("reasoning", "")),
    ]
    action = parser.parse(answer, list(request.available_actions))
    if not is_offered(action, request.available_actions):
        raise ActionParseError("it is not one of the available actions")
    if spec is not None and (faults := spec.check_action(action)):
        raise ActionParseError(f"it is not as the Action Schema says: {faults[0]}")
    return action


def _told(thoughts: list[str]) -> str | None:
    return "\n".join(filter(None, map(str.strip, thoughts))) or None
