"""Style `llm`: asks a language model, in any game.

A hand of Hold'em is told with a record of the opponents (`holdem_prompt.py`). In other games the
adapter builds the prompt and its parser reads the answer; a game without one is described by its
specification, and one without either by the raw state and the available actions.
An invalid answer is asked for once more with the reason. After that, and without time, budget or a
model, the default action is played, and the reply says that and why (`defaulted`). The model's
thoughts go into `reasoning`, never into `message`, which is public at once.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import reduce
from typing import Any

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import (
    Defaulted,
    GameActionRequest,
    GameActionResponse,
    HandNotice,
    PlayerProfile,
    Reason,
    Usage,
)
from casino_contracts.player_messages import usage_of_both
from casino_games.action_parser import ActionParseError, ActionParser, JsonActionParser
from casino_games.errors import GameError
from casino_games.registry import action_parser, state_adapter
from casino_games.state_adapter import StateAdapter
from casino_gamespec import GameSpec, is_offered

from casino_player_example.errors import BudgetSpent, ModelFailed
from casino_player_example.holdem_prompt import holdem_prompt
from casino_player_example.language_model import Completion, LanguageModel
from casino_player_example.model_costs import Expense
from casino_player_example.opponent_memory import OpponentMemory, SeenOpponent
from casino_player_example.provider_words import cards_in, scrubbed
from casino_player_example.rulebook import Rulebook
from casino_player_example.styles.generic_player import time_to_think
from casino_player_example.transcript import Transcript

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
_CUT = "the answer ends where its tokens end (CASINO_PLAYER_LLM_MAX_TOKENS): "

logger = structlog.get_logger(__name__)


def conversation(
    request: GameActionRequest,
    spec: GameSpec | None,
    opponents: Mapping[str, SeenOpponent],
    advice: str = "",
) -> list[Message]:
    """Return the prompt; what is the same for all decisions of a game comes first.

    `advice` is the owner's.
    """
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
        {
            "role": "system",
            "content": "\n\n".join(filter(None, [system, rules, advice, _HOW_TO_ANSWER])),
        },
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
    """Decides turns by a model; `timeout` limits one decision, in addition to the table's.

    It takes ownership of model and transcript: `close` it.
    """

    def __init__(
        self,
        rulebook: Rulebook,
        model: LanguageModel,
        *,
        timeout: timedelta,
        publishes_reasoning: bool = False,
        advice: str = "",
        transcript: Transcript | None = None,
    ) -> None:
        self.profile = PlayerProfile(model=model.name, publishes_reasoning=publishes_reasoning)
        self.budget = model.budget
        self._rulebook = rulebook
        self._model = model
        self._timeout = timeout
        self._memory = OpponentMemory()
        self._advice = advice
        self._transcript = transcript
        self._probing: asyncio.Task[None] | None = None

    def notice(self, notice: HandNotice) -> None:
        """Remember how the opponents played a hand that is over."""
        self._memory.notice(notice)

    async def probe(self) -> None:
        """Ask the model one question; raises ModelFailed with what to do, and BudgetSpent."""
        await self._model.probe(within_s=self._timeout.total_seconds())

    async def prepare(self, patience: timedelta) -> None:
        """Ask the model one question before the first seat; a slower answer is for the next.

        Raises CommandRefused: AGENT_REFUSED, with the provider's words.
        """
        if self._probing is None:
            self._probing = asyncio.create_task(self.probe())
        probing = self._probing
        done, _ = await asyncio.wait({probing}, timeout=patience.total_seconds())
        if not done:
            why = f"its model has not answered a question within {patience.total_seconds():g} s"
        elif (error := probing.exception()) is None:
            return
        else:
            self._probing, why = None, str(error)
        logger.warning("seat_refused", why=why)
        raise CommandRefused(Reason.AGENT_REFUSED, f"This player cannot play: {why}")

    async def close(self) -> None:
        if self._probing is not None:
            self._probing.cancel()
        await self._model.close()
        if self._transcript is not None:
            self._transcript.close()

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        seconds = min(time_to_think(request.deadline_ms), self._timeout).total_seconds()
        thoughts: list[str] = []
        costs: list[Expense] = []
        try:
            async with asyncio.timeout(seconds) as limit:
                spec = await self._rulebook.of(request, within=seconds * _SHARE_FOR_READING)
                action = await self._ask(request, spec, thoughts, costs, limit)
                defaulted = None
        except TimeoutError:
            defaulted = _defaulted(request, "timeout", f"no answer within {seconds:g} s")
        except ModelFailed as error:
            reason = "provider_away" if error.is_away else "model_failed"
            defaulted = Defaulted(reason=reason, detail=str(error))
        except BudgetSpent as error:
            defaulted = Defaulted(reason="budget", detail=str(error))
        except _NoDecision as error:
            defaulted = _defaulted(request, *error.args)
        if defaulted is not None:
            action = self._rulebook.default(request)
            game, reason, why = request.game_type, defaulted.reason, defaulted.detail
            logger.warning("default_action_taken", game=game, reason=reason, why=why)
        usages = (cost.usage(self._model.name) for cost in costs)
        usage: Usage | None = reduce(usage_of_both, usages, None)
        reasoning = "\n".join(filter(None, map(str.strip, thoughts))) or None
        return GameActionResponse(
            action=action, reasoning=reasoning, defaulted=defaulted, usage=usage
        )

    async def _ask(
        self,
        request: GameActionRequest,
        spec: GameSpec | None,
        thoughts: list[str],
        costs: list[Expense],
        limit: asyncio.Timeout,
    ) -> dict[str, Any]:
        """Return the model's action; raises _NoDecision if there is nothing to play by."""

        def left_s() -> float:
            return (limit.when() or 0.0) - asyncio.get_running_loop().time()

        if faults := self._rulebook.faults(request, spec):
            raise _NoDecision("state_invalid", str(faults[0]))
        opponents = self._memory.opponents(request.table_id, request.player_id)
        messages = conversation(request, spec, opponents, self._advice)
        fault = ""
        for _ in range(_ATTEMPTS):
            costs.append(cost := Expense())
            completion = Completion()
            result: dict[str, Any] = {"error": "no answer in time"}
            try:
                completion = await self._model.ask(messages, cost, left_s)
                action = _read(request, spec, completion, thoughts)
            except ActionParseError as error:
                fault = (_CUT if completion.is_cut else "") + str(error)
                result = {"error": fault}
            except (ModelFailed, BudgetSpent) as error:
                result = {"error": str(error)}
                raise
            else:
                result = {"action": action}
                return action
            finally:
                self._record(request, messages, completion, result, cost)
            messages = repair(messages, completion.text, fault)
        raise _NoDecision("unparsable", fault, cards_in(message["content"] for message in messages))

    def _record(
        self,
        request: GameActionRequest,
        messages: list[Message],
        answer: Completion,
        result: dict[str, Any],
        cost: Expense,
    ) -> None:
        if self._transcript is None:
            return
        usage = cost.usage(self._model.name)
        self._transcript.write(
            {
                "requestId": request.request_id,
                "table": request.table_id,
                "hand": request.hand_id,
                "player": request.player_id,
                "model": self._model.name,
                "messages": messages,
                "reply": answer.text,
                "calls": answer.calls,
                "thoughts": answer.thoughts,
                **result,
                "usage": usage and usage.model_dump(mode="json", by_alias=True, exclude_none=True),
            }
        )


class _NoDecision(Exception):
    """The player has to play its default: the reason, its detail, and cards that it may quote."""


def _defaulted(request: GameActionRequest, reason: str, detail: str, cards: str = "") -> Defaulted:
    """Return why a default is played, without what only the player may know."""
    private = _json(request.state.get("private"))
    return Defaulted(reason=reason, detail=scrubbed(detail, prompt=[private, cards]))


def _called(calls: Sequence[tuple[str, dict[str, Any] | None]]) -> str:
    """Return the action of a tool call as text; raises ActionParseError if calls disagree."""
    actions: list[dict[str, Any]] = []
    for name, given in calls:
        if given is None:
            raise ActionParseError("the arguments of the called tool are no JSON object")
        is_whole = given.keys() & {"action", "action_type"}
        actions.append(given if is_whole else {"action_type": name, **given})
    if any(action != actions[0] for action in actions):
        raise ActionParseError(f"the tools are called with {len(actions)} different actions")
    return _json(actions[0])


def _read(
    request: GameActionRequest, spec: GameSpec | None, completion: Completion, thoughts: list[str]
) -> dict[str, Any]:
    """Return the action of an answer and append the model's thoughts; raises ActionParseError."""
    parser = parser_of(request.game_type)
    answer = completion.text
    document = parser.extract_json(answer) or {}
    reasoning = str(document.get("reasoning", ""))
    thoughts += [completion.thoughts, parser.extract_reasoning(answer), reasoning]
    if completion.calls:
        answer = _called(completion.calls)
    action = parser.parse(answer, list(request.available_actions))
    if not is_offered(action, request.available_actions):
        raise ActionParseError("it is not one of the available actions")
    if spec is not None and (faults := spec.check_action(action)):
        raise ActionParseError(f"it does not match the Action Schema: {faults[0]}")
    return action
