"""API keys: those of the settings, and anonymous ones for anybody who asks."""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable

from casino_agentkit.bounded_state import RateLimit
from pydantic import SecretStr

from casino_evaluator.errors import ErrorName, RequestRefused
from casino_evaluator.store.evaluator_keys import KeyRows

ANONYMOUS_KEYS = 10_000
"""Anonymous keys that are kept. The oldest without an open scorecard goes, with its closed ones."""
PER_ADDRESS = 20
"""Anonymous keys that one address gets at once; one more every three minutes."""
_PER_SECOND = 1 / 180
_KEY_BYTES = 24
_LONGEST = 1_024


class Keys:
    """Says whose a request is: a key has an id, its SHA-256 digest, that is no secret."""

    def __init__(
        self,
        rows: KeyRows,
        configured: Iterable[SecretStr] = (),
        *,
        anonymous: bool = True,
        most: int = ANONYMOUS_KEYS,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._rows = rows
        self.configured = frozenset(_digest(key.get_secret_value()) for key in configured)
        """The ids of the settings' keys."""
        self._is_anonymous_allowed = anonymous
        self._most = most
        self._limit = RateLimit(_PER_SECOND, PER_ADDRESS, clock)
        self._now = now
        self._anonymous: dict[str, None] = {}
        """In the order in which they were made."""

    async def start(self) -> None:
        if self._is_anonymous_allowed:
            self._anonymous = dict.fromkeys(await self._rows.all())

    @property
    def has_configured(self) -> bool:
        return bool(self.configured)

    def is_configured(self, api_key: str) -> bool:
        return len(api_key) <= _LONGEST and _digest(api_key) in self.configured

    def who(self, api_key: str | None) -> str | None:
        """Return the id of an API key, None if it is none of ours."""
        if not api_key or len(api_key) > _LONGEST:
            return None
        digest = _digest(api_key)
        return digest if digest in self.configured or digest in self._anonymous else None

    async def anonymous(self, address: str) -> str:
        """Return a new API key for anybody at an address; raises RequestRefused, StoreFailed."""
        if not self._is_anonymous_allowed:
            raise RequestRefused(
                ErrorName.SERVER_ERROR,
                "this evaluator gives no anonymous keys; ask its operator",
                404,
            )
        if not self._limit.take(address):
            raise RequestRefused(
                ErrorName.RATE_LIMIT_EXCEEDED,
                "this address has got enough keys for now; use one of them",
                429,
            )
        while len(self._anonymous) >= self._most:
            oldest = await self._rows.oldest_idle()
            if oldest is None:
                self._limit.give_back(address)
                raise RequestRefused(
                    ErrorName.SERVER_ERROR, "all anonymous keys are in use; try again later", 503
                )
            self._anonymous.pop(oldest, None)
            await self._rows.forget(oldest)
        api_key = secrets.token_urlsafe(_KEY_BYTES)
        digest = _digest(api_key)
        await self._rows.add(digest, self._now())
        self._anonymous[digest] = None
        return api_key


def _digest(api_key: str) -> str:
    return hashlib.sha256(api_key.encode("utf-8", "surrogateescape")).hexdigest()
