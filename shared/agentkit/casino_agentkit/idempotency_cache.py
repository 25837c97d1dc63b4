"""Bounded cache of replies by idempotency key: a repeated request gets the same reply.

So a reply that was lost is sent again from here, while the process lives, to a caller that asks an
`Entrypoint` with a `memory` again; for a decision that is `turn.py` of `casino_play`. Replies of
the lobby's commands outlive its process: `command_replies.py`.
A request is the same if it has the same id (in a field such as `requestId`), the same caller's
token and the same content. So neither a reply nor its timing reveals anything about another
caller's requests.
"""

import asyncio
import hashlib
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

import orjson

from casino_agentkit.authority import caller

AnswerT = TypeVar("AnswerT")

_CONTENTS: Final = 8  # requests of one id that are kept, with different contents
_AS_SENT: Final = 8 * 1024
"""Size of an input that is kept as it was sent; of a larger one the digest is."""
_CAPITAL: Final = re.compile(r"[A-Z]")


class RequestId(NamedTuple):
    """Whose request it is, of which skill."""

    skill: str
    request_id: str
    token: str


class Key(NamedTuple):
    """Identifies a request."""

    sent: RequestId
    content: bytes  # the input as it was sent, or the digest of its JSON with sorted keys
    is_digest: bool


class _Remembered(Generic[AnswerT]):
    """A request, and its reply once there is one."""

    __slots__ = ("content", "is_answered", "is_digest", "reply", "waiting")

    def __init__(self, key: Key) -> None:
        self.content = key.content
        self.is_digest = key.is_digest
        self.is_answered = False
        self.reply: AnswerT | None = None
        self.waiting: asyncio.Future[AnswerT] | None = None
        """What repeated requests wait for; None while there are none."""


class IdempotencyCache:
    """Cached replies by request, `size` in all.

    A caller with more than its share of them makes room for its own requests; otherwise the caller
    that has been quiet for longest makes room, so that a flood does not evict another's replies.

    `field` is the input's field with the request's id; `ignoring` lists fields that may differ in
    a repeated request (the time left, for example). A repeated request waits for one in progress.
    Failures are not cached.
    """

    def __init__(
        self, field: str = "requestId", *, ignoring: Sequence[str] = (), size: int = 1024
    ) -> None:
        self._field = field
        self._attribute = _CAPITAL.sub(lambda letter: "_" + letter[0].lower(), field)
        self._ignoring = frozenset(ignoring)
        self._size = size
        self._entries: OrderedDict[str, OrderedDict[RequestId, list[_Remembered[Any]]]] = (
            OrderedDict()
        )
        """By token and id, the requests with it: more than one if their contents differ."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def key(self, skill: str, data: object) -> Key | None:
        """Return the key of a request from its values, None if it has no id and is not cached."""
        if not isinstance(data, dict):
            return None
        request_id = data.get(self._field)
        if not isinstance(request_id, str):
            return None
        try:
            digest = self._digest(data)
        except orjson.JSONEncodeError:  # nested too deep
            return None
        return Key(self._sent(skill, request_id), digest, is_digest=True)

    def key_of_json(self, skill: str, data: bytes, message: Any) -> Key | None:
        """Return the key of a request from its JSON, and from the message with the id in it."""
        request_id = getattr(message, self._attribute, None)
        if request_id is None:
            return None
        if len(data) > _AS_SENT:
            digest = self._digest(orjson.loads(data))
            return Key(self._sent(skill, request_id), digest, is_digest=True)
        return Key(self._sent(skill, request_id), data, is_digest=False)

    def _sent(self, skill: str, request_id: str) -> RequestId:
        return RequestId(skill, request_id, caller().token)

    async def answer(self, key: Key, ask: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
        entry: _Remembered[AnswerT] | None = self._entry(key)
        if entry is None:
            return await self._answered(key, ask)
        if entry.is_answered:
            return cast("AnswerT", entry.reply)
        if entry.waiting is None:
            entry.waiting = asyncio.get_running_loop().create_future()
        return await asyncio.shield(entry.waiting)

    def computed(self, key: Key, compute: Callable[[], AnswerT]) -> AnswerT:
        """Return the cached reply, or compute and cache it; for replies that are not waited for."""
        entry: _Remembered[AnswerT] | None = self._entry(key)
        if entry is None or not entry.is_answered:
            reply = compute()
            entry = self._keep(key)
            entry.reply, entry.is_answered = reply, True
        return cast("AnswerT", entry.reply)

    async def _answered(self, key: Key, ask: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
        entry = self._keep(key)
        try:
            reply = await ask()
        except BaseException as error:
            self._drop(key, entry)
            if entry.waiting is not None:
                if isinstance(error, asyncio.CancelledError):
                    entry.waiting.cancel()
                else:
                    entry.waiting.set_exception(error)
                    entry.waiting.exception()  # marks it as retrieved, in case nobody waits
                entry.waiting = None  # it has the error, whose traceback has this frame
            raise
        entry.reply, entry.is_answered = reply, True
        if entry.waiting is not None:
            entry.waiting.set_result(reply)
        return reply

    def _entry(self, key: Key) -> _Remembered[Any] | None:
        own = self._entries.get(key.sent.token)
        if own is None or (entries := own.get(key.sent)) is None:
            return None
        self._entries.move_to_end(key.sent.token)
        own.move_to_end(key.sent)
        return next((entry for entry in entries if self._is_of(entry, key)), None)

    def _keep(self, key: Key) -> _Remembered[Any]:
        """Return a new entry of a request; the oldest ones make room for it."""
        entry: _Remembered[Any] = _Remembered(key)
        token = key.sent.token
        own = self._entries.setdefault(token, OrderedDict())
        entries = own.setdefault(key.sent, [])
        entries.append(entry)
        self._count += 1
        if len(entries) > _CONTENTS:
            del entries[0]
            self._count -= 1
        self._entries.move_to_end(token)
        own.move_to_end(key.sent)
        if self._count > self._size:
            has_more = len(own) * len(self._entries) > self._size
            quiet = token if has_more else next(iter(self._entries))
            self._count -= len(self._entries[quiet].popitem(last=False)[1])
            if not self._entries[quiet]:
                del self._entries[quiet]
        return entry

    def _drop(self, key: Key, entry: _Remembered[Any]) -> None:
        own = self._entries.get(key.sent.token, OrderedDict())
        entries = own.get(key.sent, [])
        if entry in entries:
            entries.remove(entry)
            self._count -= 1
            if not entries:
                del own[key.sent]
            if not own:
                del self._entries[key.sent.token]

    def _is_of(self, entry: _Remembered[Any], key: Key) -> bool:
        """Return whether an entry is of the same request, however each was written."""
        if entry.content == key.content:
            return True
        if not entry.is_digest:
            entry.content, entry.is_digest = self._digest(orjson.loads(entry.content)), True
        if key.is_digest:
            return entry.content == key.content
        return entry.content == self._digest(orjson.loads(key.content))

    def _digest(self, data: dict[str, Any]) -> bytes:
        """Return the digest of an input, whatever the order of its keys, without ignored fields."""
        fields = {name: value for name, value in data.items() if name not in self._ignoring}
        content = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)
        return hashlib.blake2b(content, digest_size=16).digest()
