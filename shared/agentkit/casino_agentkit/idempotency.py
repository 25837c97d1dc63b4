"""Bounded cache of replies by idempotency key: a repeated request gets the same reply.

The key consists of the caller's id of the request (in a field such as `requestId`), the rest of
the input and the caller's token. So neither a reply nor its timing reveals anything about another
caller's requests.
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
    """Cached replies by request; the least recently used is evicted first.

    `field` is the input's field with the request's id; `ignoring` lists fields that may differ in
    a repeated request (the time left, for example). A repeated request waits for one in progress.
    Failures are not cached.
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
        """Return the idempotency key of a request, None if it has no id and is not cached."""
        if not isinstance(data, dict):
            return None
        request_id = data.get(self._field)
        if not isinstance(request_id, str):
            return None
        fields = {name: value for name, value in data.items() if name not in self._ignoring}
        try:
            content = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)
        except orjson.JSONEncodeError:  # nested too deep
            return None
        digest = hashlib.blake2b(content, digest_size=16)
        digest.update(caller().token.encode(errors="replace"))
        return skill, request_id, digest.digest()

    async def answer(self, key: Key, ask: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
        """Return the cached reply, or await `ask()` and cache its result."""
        cached = self._answers.get(key)
        if cached is not None:
            self._answers.move_to_end(key)
            reply: AnswerT = await asyncio.shield(cached)
            return reply
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
                future.exception()  # marks it as retrieved, in case no caller waits
            raise
        future.set_result(answer)
        return answer
