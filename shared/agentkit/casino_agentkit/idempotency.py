"""A bounded memory of answered questions: asked again, the same question gets the same answer.

A caller that lost the reply asks again.
What makes it the same question is the id that the caller gave it, in a field that the service names
(`requestId`), together with the rest of the input and the caller's token: nobody learns from an
answer's speed, or from the answer, what another caller was told.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import orjson

from casino_agentkit.authority import caller

Key = tuple[str, str, bytes]
AnswerT = TypeVar("AnswerT")


class IdempotencyCache:
    """Answers by question, the oldest forgotten first.

    `field` names the question in its input; `ignoring` lists fields that may differ when it is
    asked again (what is left of the clock, say).
    A question that is still being answered is not answered twice: the second asker waits.
    Failures are not remembered.
    """

    def __init__(
        self, field: str = "requestId", *, ignoring: Sequence[str] = (), size: int = 1024
    ) -> None:
        self._field = field
        self._ignoring = frozenset(ignoring)
        self._size = size
        self._answers: OrderedDict[Key, asyncio.Future[Any]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._answers)

    def key(self, skill: str, data: object) -> Key | None:
        """Return what identifies a question; None when it has no id, and so is always new."""
        if not isinstance(data, dict):
            return None
        question_id = data.get(self._field)
        if not isinstance(question_id, str):
            return None
        told = {name: value for name, value in data.items() if name not in self._ignoring}
        try:
            content = orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
        except orjson.JSONEncodeError:  # nested too deep to be written again
            return None
        digest = hashlib.blake2b(content, digest_size=16)
        digest.update(caller().token.encode(errors="replace"))
        return skill, question_id, digest.digest()

    async def answer(self, key: Key, ask: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
        """Return the remembered answer, or ask, and remember."""
        known = self._answers.get(key)
        if known is not None:
            self._answers.move_to_end(key)
            answered: AnswerT = await asyncio.shield(known)
            return answered
        future: asyncio.Future[AnswerT] = asyncio.get_running_loop().create_future()
        self._answers[key] = future
        if len(self._answers) > self._size:
            self._answers.popitem(last=False)
        try:
            answer = await ask()
        except BaseException as error:
            self._answers.pop(key, None)
            if isinstance(error, asyncio.CancelledError):
                future.cancel()
            else:
                future.set_exception(error)
                future.exception()  # it is told to whoever waits; nobody may
            raise
        future.set_result(answer)
        return answer
