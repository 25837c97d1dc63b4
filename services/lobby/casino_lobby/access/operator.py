"""Who may command the lobby and see what others may not: whoever has the operator's key."""

from casino_agentkit import CommandRefused, bearer
from casino_agentkit.authority import is_token
from starlette.requests import Request

SETTING = "CASINO_LOBBY_OPERATOR_TOKEN"
SCHEME = "operator"
"""The key's name among the security schemes of the agent card and of the OpenAPI document."""


class NotAdmitted(CommandRefused):
    """The lobby itself refuses a caller, which no refusal of another agent can pass for."""


class Operator:
    """Knows the operator's key; with `reads_too` what is only read needs it as well.

    A lobby without a key takes commands from everybody who reaches it, so it must be reached from
    its own machine only; cards that were not shown it shows to nobody.

    >>> Operator("sesame").admit("sesame")
    """

    def __init__(self, key: str | None, *, reads_too: bool = False) -> None:
        self._key = key or None
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

    @staticmethod
    def _compare(token: str, key: str) -> None:
        if not is_token(token, key):
            raise NotAdmitted(
                "UNAUTHORIZED", "Send the operator's key: `Authorization: Bearer <key>`."
            )


def bearer_token(authorization: str | None) -> str:
    """Return the token of an `Authorization` header, empty where it holds no bearer's token.

    >>> bearer_token("Bearer sesame")
    'sesame'
    """
    return bearer(authorization or "")


def is_of_operator(request: Request, operator: Operator) -> bool:
    """Tell whether a request shows the operator's key; without one nobody is the operator."""
    try:
        operator.admit_to_all_cards(bearer_token(request.headers.get("authorization")))
    except CommandRefused:
        return False
    return True
