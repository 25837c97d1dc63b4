"""The candidate's seat: its questions wait for the client's actions."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from casino_contracts import GameActionRequest, GameActionResponse, HandNotice
from casino_gamespec import default_action

from casino_evaluator.play.recorder import Recorder
from casino_evaluator.play.stable_ids import renamed

Json = dict[str, Any]
ANSWERS_KEPT = 16
"""A question that comes again gets the same answer; a table asks one at a time."""


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
        self._answers: OrderedDict[str, asyncio.Future[Json]] = OrderedDict()
        self._defaults: dict[str, Json] = {}
        """Of the questions that are open."""
        self._is_closing = False

    async def ask(self, request: GameActionRequest) -> GameActionResponse:
        """Return the client's action; at the end of the attempt the default action."""
        answer = self._answers.get(request.request_id)
        if answer is None:
            answer = self._open(request)
        return GameActionResponse(
            action=await asyncio.shield(answer), away=True if self._is_closing else None
        )

    def notify(self, notice: HandNotice) -> None:
        """Take the candidate's cards at the deal, and the result of a hand."""
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
        """Answer an open question."""
        self._defaults.pop(request_id, None)
        answer = self._answers.get(request_id)
        if answer is not None and not answer.done():
            answer.set_result(action)

    def end(self) -> None:
        """Answer what is open, and all that comes, by default: nobody decides any more."""
        self._is_closing = True
        for request_id, action in list(self._defaults.items()):
            self.answer(request_id, action)

    def _open(self, request: GameActionRequest) -> asyncio.Future[Json]:
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._answers[request.request_id] = answer
        if len(self._answers) > ANSWERS_KEPT:
            _, oldest = self._answers.popitem(last=False)
            oldest.cancel()
        default = default_action(request.available_actions)
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
