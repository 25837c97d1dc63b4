"""The seats of a level: the client answers for the candidate, a function for the opponent."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import timedelta
from random import Random
from typing import Any

import structlog
from casino_contracts import Defaulted, GameActionRequest, GameActionResponse, HandNotice
from casino_games.shuffle import derive_seed
from casino_gamespec import default_action
from casino_seats.offered_action import checked
from casino_seats.turns import ANSWERS_KEPT

from casino_evaluator.opponents import Decide
from casino_evaluator.play.level_room import closing_default
from casino_evaluator.play.recorder import Recorder, renamed

Json = dict[str, Any]

logger = structlog.get_logger(__name__)


class CandidateSeat:
    """Gives each question to the recorder, and the client's action to the table."""

    closed = None
    is_asleep = False

    def __init__(
        self, recorder: Recorder, ids: Mapping[str, str], changed: Callable[[], None]
    ) -> None:
        self._recorder = recorder
        self._ids = ids
        self._changed = changed
        self._answers: OrderedDict[str, asyncio.Future[GameActionResponse]] = OrderedDict()
        self._defaults: dict[str, GameActionResponse] = {}
        """Of the questions that are open."""
        self._is_closing = False

    async def ask(self, request: GameActionRequest) -> GameActionResponse:
        """Return the client's action; at the end of the attempt the default action."""
        answer = self._answers.get(request.request_id)
        if answer is None:
            answer = self._open(request)
        return await asyncio.shield(answer)

    def notify(self, notice: HandNotice) -> None:
        if notice.kind == "dealt":
            private = (notice.state or {}).get("private") or {}
            self._recorder.dealt(notice.hand_number, renamed(private, self._ids))
        elif notice.result is not None and notice.record is not None:
            result, private = (
                renamed(part, self._ids) for part in (notice.result, notice.record.private)
            )
            self._recorder.over(notice.hand_number, result, private)
        self._changed()

    def answer(self, request_id: str, action: Json) -> None:
        self._settle(request_id, GameActionResponse(action=action))

    def end(self) -> None:
        """Answer what is open, and all that comes, by default: nobody decides any more."""
        self._is_closing = True
        for request_id, default in list(self._defaults.items()):
            self._settle(request_id, default)

    def _settle(self, request_id: str, response: GameActionResponse) -> None:
        self._defaults.pop(request_id, None)
        answer = self._answers.get(request_id)
        if answer is not None and not answer.done():
            answer.set_result(response)

    def _open(self, request: GameActionRequest) -> asyncio.Future[GameActionResponse]:
        answer: asyncio.Future[GameActionResponse] = asyncio.get_running_loop().create_future()
        self._answers[request.request_id] = answer
        if len(self._answers) > ANSWERS_KEPT:
            _, oldest = self._answers.popitem(last=False)
            oldest.cancel()
        default = closing_default(request)
        if self._is_closing:
            answer.set_result(default)
            return answer
        self._defaults[request.request_id] = default
        if request.rejected is not None:
            self._recorder.lose(f"the table refuses an action: {request.rejected.message:.200}")
        self._recorder.asked_candidate(
            request.hand_number or 0,
            request.request_id,
            renamed(request.state, self._ids),
            [dict(offer) for offer in request.available_actions],
        )
        self._changed()
        return answer


def dice_of(seed: str, hand_number: int, decisions: int) -> Random:
    return Random(derive_seed(seed, "dice", hand_number, decisions))  # noqa: S311  reproducible


def decisions_before(request: GameActionRequest) -> int:
    """Return the number of decisions in the hand before a question, which its id tells."""
    hand = f"{request.hand_id}:"
    number = request.request_id.removeprefix(hand).partition(":")[0]
    return int(number) - 1 if request.request_id.startswith(hand) and number.isdecimal() else 0


class OpponentSeat:
    """Decides each question once, beside the event loop.

    `defaults` counts the decisions that it did not make while the attempt was played.
    `recorder` is None where the candidate is an A2A agent, whose moments nobody is shown.
    """

    closed = None
    is_asleep = False

    def __init__(
        self,
        decide: Decide,
        seed: str,
        pause: timedelta,
        *,
        recorder: Recorder | None,
        ids: Mapping[str, str],
        changed: Callable[[], None],
    ) -> None:
        self._decide = decide
        self._seed = seed
        self._pause_s = pause.total_seconds()
        self._recorder = recorder
        self._ids = ids
        self._changed = changed
        self._answers: OrderedDict[str, asyncio.Task[GameActionResponse]] = OrderedDict()
        self._ending = asyncio.Event()
        self.defaults = 0

    async def ask(self, request: GameActionRequest) -> GameActionResponse:
        answer = self._answers.get(request.request_id)
        if answer is None:
            answer = self._open(request)
        await asyncio.wait([answer])
        if answer.cancelled():  # a later question came; nobody waits for this one
            return _default(request, "timeout", "a later question came")
        return answer.result()

    def notify(self, notice: HandNotice) -> None:
        """Take the result of a hand, in case the candidate's notice is lost."""
        if self._recorder is not None and notice.result is not None:
            self._recorder.over(notice.hand_number, renamed(notice.result, self._ids))
            self._changed()

    def end(self) -> None:
        self._ending.set()

    def _open(self, request: GameActionRequest) -> asyncio.Task[GameActionResponse]:
        # The time of earlier questions is over: the table asks one at a time.
        self.defaults += sum(earlier.cancel() for earlier in self._answers.values())
        state = renamed(request.state, self._ids)
        if self._recorder is not None and request.rejected is None:
            self._recorder.asked_opponent(request.hand_number or 0, state.get("public") or {})
        task = asyncio.create_task(self._answer(request, state))
        self._answers[request.request_id] = task
        if len(self._answers) > ANSWERS_KEPT:
            self._answers.popitem(last=False)
        self._changed()
        return task

    async def _answer(self, request: GameActionRequest, state: Json) -> GameActionResponse:
        offers = tuple(dict(offer) for offer in request.available_actions)
        if self._pause_s:
            try:
                async with asyncio.timeout(self._pause_s):
                    await self._ending.wait()
            except TimeoutError:
                pass
        if self._ending.is_set():
            return closing_default(request)
        if request.rejected is not None:
            self.defaults += 1
            return _default(request, "rejected", "the table refused its first answer")
        dice = dice_of(self._seed, request.hand_number or 0, decisions_before(request))
        try:
            action = checked(await asyncio.to_thread(self._decide, state, offers, dice), offers)
        except Exception as error:
            # A fault of an opponent costs it the decision, and the candidate nothing.
            failure = type(error).__name__  # the error's text may quote its cards
            logger.exception("opponent_failed", error=failure)
            self.defaults += 1
            return _default(request, "failed", failure)
        return GameActionResponse(action=action)


def _default(request: GameActionRequest, reason: str, detail: str) -> GameActionResponse:
    return GameActionResponse(
        action=default_action(request.available_actions),
        defaulted=Defaulted(reason=reason, detail=detail),
    )
