"""Who may command the lobby and see what others may not: whoever has the operator's key."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from casino_agentkit import Refusal

SETTING = "CASINO_LOBBY_OPERATOR_TOKEN"
SCHEME = "operator"
"""The key's name among the security schemes of the agent card and of the OpenAPI document."""


class NotAdmitted(Refusal):
    """The lobby itself refuses a caller, which no refusal of another agent can pass for."""


class Operator:
    """Knows the operator's key; with `reads_too` what is only read needs it as well.

    A lobby without a key takes commands from everybody who reaches it, so it must be reached from
    its own machine only; cards that were not shown it shows to nobody.

    >>> Operator("sesame").admit("sesame")
    """

    def __init__(self, key: str | None, *, reads_too: bool = False) -> None:
        self._key = key.encode() if key else None
        self._reads_too = reads_too

    @property
    def is_known(self) -> bool:
        """Whether there is a key."""
        return self._key is not None

    def admit(self, token: str) -> None:
        """Admit a caller who commands; raises NotAdmitted: UNAUTHORIZED."""
        if self._key is not None:
            self._compare(token, self._key)

    def admit_reader(self, token: str) -> None:
        """Admit a caller who reads what everybody may see; raises NotAdmitted: UNAUTHORIZED."""
        if self._reads_too:
            self.admit(token)

    def admit_to_all_cards(self, token: str) -> None:
        """Admit a caller who reads cards that were not shown.

        Raises NotAdmitted: OPERATOR_ONLY where there is no key, UNAUTHORIZED.
        """
        if self._key is None:
            raise NotAdmitted(
                "OPERATOR_ONLY",
                f"This lobby shows that to nobody; its operator opens it by setting {SETTING}.",
            )
        self._compare(token, self._key)

    @property
    def command_rule(self) -> "KeyRule":
        """The rule of entrypoints that command."""
        return KeyRule(self.admit, SCHEME if self.is_known else None)

    @property
    def reader_rule(self) -> "KeyRule":
        """The rule of entrypoints that only read."""
        return KeyRule(self.admit_reader, SCHEME if self.is_known and self._reads_too else None)

    @staticmethod
    def _compare(token: str, key: bytes) -> None:
        # In the same time for every wrong token, so that none can be guessed letter by letter.
        if not hmac.compare_digest(token.encode(errors="replace"), key):
            raise NotAdmitted(
                "UNAUTHORIZED", "Send the operator's key: `Authorization: Bearer <key>`."
            )


class HasToken(Protocol):
    """A caller, with the token of its `Authorization` header; empty without one."""

    @property
    def token(self) -> str:
        """The token."""


@dataclass(frozen=True)
class KeyRule:
    """Who may call an entrypoint: whoever has the operator's key, where one is set.

    `scheme` names the key in the agent card's security schemes; None: no key is needed.
    """

    check: Callable[[str], None]
    scheme: str | None

    def admit(self, caller: HasToken, _message: object) -> None:
        """Admit a caller; raises NotAdmitted: UNAUTHORIZED."""
        self.check(caller.token)


def bearer_token(authorization: str | None) -> str:
    """Return the token of an `Authorization` header, empty where it holds no bearer's token.

    >>> bearer_token("Bearer sesame")
    'sesame'
    """
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
