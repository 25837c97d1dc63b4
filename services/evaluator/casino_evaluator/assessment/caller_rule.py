"""Rule: who may ask for an assessment."""

from typing import Any, Protocol

from casino_agentkit import Caller, CommandRefused, KitReason, Scheme
from casino_agentkit.authority import refusal_of
from casino_agentkit.loopback import is_loopback

_SCHEME = Scheme("evaluator", "one of the evaluator's API keys")


class ConfiguredKeys(Protocol):
    """The API keys of the settings."""

    @property
    def has_configured(self) -> bool:
        """Whether there are any."""
        ...

    def is_configured(self, api_key: str) -> bool:
        """Return whether this is one of them; compares in constant time."""
        ...


class KeyOrLoopback:
    """Admits callers with one of the configured keys; without any, those of this machine.

    An evaluator that others reach (`is_reachable`) has no callers of this machine: a proxy passes
    on what anybody sends.
    """

    def __init__(self, keys: ConfiguredKeys, *, is_reachable: bool = False) -> None:
        self._keys = keys
        self._is_reachable = is_reachable

    @property
    def scheme(self) -> Scheme | None:
        """The kind of token on the card."""
        return _SCHEME if self._keys.has_configured else None

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  of every rule
        """Check the caller. Raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        if self._keys.has_configured:
            if not self._keys.is_configured(caller.token):
                raise refusal_of(caller, _SCHEME)
        elif self._is_reachable or caller.is_forwarded or not is_loopback(caller.address):
            raise CommandRefused(
                KitReason.FORBIDDEN,
                "This evaluator has no CASINO_EVALUATOR_API_KEYS, so that it assesses agents only"
                " for callers on its own machine that no proxy passes on, and for nobody if its"
                " host, hosts or public URL let others reach it. Set CASINO_EVALUATOR_API_KEYS.",
            )
