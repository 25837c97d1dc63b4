"""A bot's function, called in this process with the question that a table would send.

Two versions of a bot are compared by two folders, and both may have a `strategy.py`. So the modules
of a folder are in `sys.modules`, and the folder in `sys.path`, while a function of it runs.
"""

import asyncio
import inspect
import sys
import time
from collections.abc import Callable
from copy import deepcopy
from datetime import timedelta
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Final, Protocol

from casino_agentkit import Malformed
from casino_agentkit.accepted_json import shown
from casino_contracts import (
    FAULT_REASON_LIMIT,
    ActionResponse,
    Defaulted,
    Outcome,
    Rejection,
    Usage,
)
from casino_contracts.player_messages import usage_of_both
from casino_play.bot_file import Function, failure_of, file_of, is_fault, load_function, split_spec
from casino_play.errors import BotFileFailed, IllegalAnswer
from casino_play.hand_questions import HandQuestions
from casino_play.turn import outcome_of

from casino_match.domain.plan import Entrant
from casino_match.errors import PlayerFailed, PlayerWrong
from casino_match.players.answer_check import Chosen, choice, plain_choice, read_answer
from casino_match.players.match_player import NOWHERE, Decided, HandPlace, default_of
from casino_match.players.remote_calls import RetryWait, only_a_default, unseen


class BotFolder:
    """The modules that bots of one folder have imported from it."""

    _current: ClassVar["BotFolder | None"] = None

    def __init__(self, path: str) -> None:
        """Begin without modules; what the program has imported from it before is everybody's."""
        self._path = path
        self._modules: dict[str, ModuleType] = {}
        self._others: frozenset[str] | None = None
        self._count = 0

    def enter(self) -> None:
        """Make the modules of this folder the current ones."""
        current = BotFolder._current
        if current is self:
            return
        if current is not None:
            current.leave()
        if self._others is None:
            self._others = frozenset(sys.modules)
        sys.modules.update(self._modules)
        sys.path.insert(0, self._path)
        self._count = len(sys.modules)
        BotFolder._current = self

    def leave(self) -> None:
        """Keep the modules of this folder for the next time."""
        if len(sys.modules) != self._count:
            self._modules = {
                name: module
                for name, module in sys.modules.items()
                if name not in (self._others or ()) and self._has(name)
            }
        for name in self._modules:
            sys.modules.pop(name, None)
        if self._path in sys.path:
            sys.path.remove(self._path)

    def _has(self, name: str) -> bool:
        """Return whether a module, or the package that it is in, lies in the folder itself."""
        top = sys.modules.get(name.partition(".")[0])
        paths = getattr(top, "__path__", None)
        places = [*paths] if paths is not None else [getattr(top, "__file__", None) or ""]
        return any(str(Path(place).parent) == self._path for place in places if place)


@cache
def folder_of(file: Path) -> BotFolder:
    """Return the folder of a file, the same for all files in it."""
    return _folder(str(file.resolve().parent))


@cache
def _folder(path: str) -> BotFolder:
    return BotFolder(path)


class FunctionSource(Protocol):
    """Gives the function of a player."""

    @property
    def spec(self) -> str:
        """What the author calls it, such as `bots/mine.py:act`."""

    @property
    def file(self) -> Path:
        """The file that defines it."""

    def enter(self) -> None:
        """Prepare the process for a call of the function."""

    def loaded(self) -> Function:
        """Return the function, as new as the source has it; raises PlayerFailed."""

    def check_unchanged(self) -> None:
        """Raise PlayerFailed if the source is no longer what it was at first."""


class FunctionFile:
    """The file of an entrant, relative to a folder; each load executes it anew."""

    def __init__(self, entrant: Entrant, folder: Path) -> None:
        self._name = entrant.name
        file, function = split_spec(entrant.player)
        self.file = folder / file
        self._folder = folder_of(self.file)
        self.spec = f"{self.file}:{function}"
        self._arguments = entrant.arguments
        self._content: bytes | None = None

    def enter(self) -> None:
        self._folder.enter()

    def loaded(self) -> Function:
        """Return the function of a new execution of the file; raises PlayerFailed."""
        self._folder.enter()
        try:
            function = load_function(self.spec, deepcopy(self._arguments))
        except BotFileFailed as error:
            raise PlayerFailed(f"{self._name}: {error}") from error
        if self._content is None:
            self._content = self.file.read_bytes()
        return function

    def check_unchanged(self) -> None:
        if not self.file.is_file() or self.file.read_bytes() != self._content:
            raise PlayerFailed(
                f"{self._name}: {self.file} has changed since the match began: put the version of"
                " the plan back, or start a new match"
            )


class GivenFunction:
    """A function of the running program, which is called as it is and forgets nothing."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self.file = file_of(function)
        self.spec = f"{self.file}:{getattr(function, '__name__', type(function).__name__)}"

    def enter(self) -> None:
        """Do nothing: the program has imported what it needs."""

    def loaded(self) -> Function:
        return self._function

    def check_unchanged(self) -> None:
        """Do nothing: the function is in memory."""


_ATTEMPTS: Final = 2
_MS: Final = 1000

Wrong = tuple[Outcome, Rejection]


class _Late(Exception):
    """An asynchronous function gave no answer in time."""


class FunctionPlayer:
    """A function, loaded anew for each block and seating, so that it remembers no deck's cards."""

    runs_code: Final = True

    def __init__(
        self,
        entrant: Entrant,
        clock: timedelta,
        *,
        stops: bool = False,
        patience: timedelta | None = None,
        folder: Path = Path(),
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        source: FunctionSource | None = None,
    ) -> None:
        """Load the function, of `source` or the entrant's file; raises PlayerFailed.

        After a default it is asked again for as long as the `patience`; without, defaults count.
        """
        self.name = entrant.name
        self.busy_since: float | None = None
        self._source = source or FunctionFile(entrant, folder)
        self._clock_s = clock.total_seconds()
        self._clock_ms = round(self._clock_s * _MS)
        self._stops = stops
        self._patience = patience
        self._now = now
        self._sleep = sleep
        self._functions: list[Function] = []
        self._function = self._source.loaded()
        self._runner: asyncio.Runner | None = None
        self.place = NOWHERE

    def begin_block(self, seatings: int) -> None:
        """Load it for each seating; raises PlayerFailed, also for a changed file."""
        self._source.check_unchanged()
        self._functions = [self._source.loaded() for _ in range(seatings)]

    def begin_hand(self, place: HandPlace) -> None:
        self.place = place
        self._function = self._functions[place.seating]

    def end_block(self) -> None:
        self._functions = []
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def decide(self, question: HandQuestions) -> Decided:
        """Return the decision or the default; raises PlayerWrong, and MatchSuspended."""
        decided = self._asked(question, 1)
        if decided.defaulted is not None and self._patience is not None:
            return self._patiently(question, decided, self._patience)
        return decided

    def _patiently(self, question: HandQuestions, decided: Decided, patience: timedelta) -> Decided:
        """Ask until it decides itself, each time under other ids: no memory repeats the default."""
        waits = RetryWait(self.name, self._source.spec, patience, self._now, unseen)
        number, why, spent = 1, decided.defaulted, decided.usage
        while why is not None:
            self._sleep(waits.next_s(only_a_default(why)))
            number += _ATTEMPTS
            decided = self._asked(question, number)
            why, spent = decided.defaulted, usage_of_both(spent, decided.usage)
        return decided._replace(usage=spent)

    def _asked(self, question: HandQuestions, first: int) -> Decided:
        """Ask, once again after a wrong answer; raises PlayerWrong if the match stops at it.

        `first` is the number of the first attempt.
        """
        self.busy_since = began = self._now()
        rejected: dict[str, Any] | None = None
        outcome: Outcome = "ok"
        reason: str | None = None
        defaulted: Defaulted | None = None
        spent: Usage | None = None
        for attempt in range(first, first + _ATTEMPTS):
            asked_at = began if attempt == first else self._now()
            chosen, wrong, response = self._answer(question, attempt, rejected)
            ended_at = self._now()
            if response is not None:
                spent = usage_of_both(spent, response.usage)
            if ended_at - asked_at > self._clock_s or (chosen is None and wrong is None):
                chosen, outcome = None, "timeout"
                reason = f"no answer within {self._clock_s:.3g} s"
                break
            if chosen is not None:
                outcome = "ok" if attempt == first else "retried"
                if response is not None:
                    outcome, defaulted = outcome_of(response, is_second=attempt > first)
                break
            if wrong is not None:
                outcome, rejection = wrong
                reason = rejection.message
                rejected = rejection.model_dump(mode="json", by_alias=True)
        self.busy_since = None
        if chosen is None and self._stops and outcome != "timeout" and rejected is not None:
            raise PlayerWrong(self._wrong(question, rejected))
        if chosen is None or defaulted is not None:
            chosen = default_of(question), 0
        latency_ms = round((ended_at - began) * _MS)
        return Decided(*chosen, outcome, latency_ms, reason, defaulted, spent)

    def _answer(
        self, question: HandQuestions, attempt: int, rejected: dict[str, Any] | None
    ) -> tuple[Chosen | None, Wrong | None, ActionResponse | None]:
        """Return a choice or what is wrong, neither if late, and an answer that says more."""
        values = question.values(self._clock_ms, attempt, rejected)
        self._source.enter()
        try:
            answer = self._function(values)
            if type(answer) is not dict and inspect.isawaitable(answer):
                self._runner = self._runner or asyncio.Runner()
                answer = self._runner.run(self._within_the_clock(answer))
        except _Late:
            return None, None, None
        except BaseException as error:
            if not is_fault(error):
                raise
            why = failure_of(error, self._source.file)
            return None, ("malformed", _rejection(str(why))), None
        hand = question.hand
        if (plain := plain_choice(answer, hand)) is not None:
            return plain, None, None
        response = None
        try:
            response = read_answer(answer)
            return choice(response, hand), None, response
        except Malformed as error:
            return None, ("malformed", _rejection(error.message, error.content)), None
        except IllegalAnswer as error:
            message, refused = error.args
            return None, ("illegal", _rejection(message, refused, "illegal")), response

    async def _within_the_clock(self, answer: Any) -> Any:
        """Await an answer; one that is late is cancelled. Raises _Late."""
        try:
            async with asyncio.timeout(self._clock_s) as limit:
                return await answer
        except TimeoutError as error:
            if limit.expired():
                raise _Late from error
            raise  # the function's own

    def _wrong(self, question: HandQuestions, rejected: dict[str, Any]) -> str:
        return (
            f"{self.name} answered wrongly twice in {self.place}, decision"
            f" {len(question.hand.actions) + 1}: {shown(rejected['message'], FAULT_REASON_LIMIT)}."
            f" Mend {self._source.spec} and start a new match, or set faults.wrong_answer = "
            '"default". To play this hand alone: casino_match.play.match_hand.play_hand(plan, '
            f"Place{tuple(self.place)}, players)"
        )


def _rejection(message: str, answer: Any = None, reason: str = "malformed") -> Rejection:
    return Rejection.model_validate(
        {"reason": reason, "message": message[:FAULT_REASON_LIMIT], "answer": answer}
    )
