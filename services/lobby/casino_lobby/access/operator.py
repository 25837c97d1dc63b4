"""Authorization by the operator key, for commands and for cards that were not shown."""

from casino_agentkit import Caller, CommandRefused, KitReason, bearer, caller
from casino_agentkit.authority import is_token
from casino_agentkit.process.secret_keys import service_key
from casino_contracts import Reason
from casino_contracts.lobby_messages import Service
from casino_contracts.table_commands import Visitors
from starlette.requests import Request

from casino_lobby.domain.room_limits import SCOPES, SERVICES
from casino_lobby.errors import NotAdmitted

SETTING = "CASINO_LOBBY_OPERATOR_TOKEN"
SCHEME = "operator"
"""Name of the security scheme in the agent card and in the OpenAPI document."""


class Operator:
    """Checks tokens against the operator key; with `reads_too` reading requires it too.

    The services beside a lobby have keys derived from it, each of which allows what its scope says.

    Without a key, every caller may command whom no proxy passes on, so the lobby must listen on
    loopback only; cards that were not shown are then available to no caller.

    >>> Operator("sesame").admit("sesame")
    """

    def __init__(self, key: str | None, *, reads_too: bool = False) -> None:
        self._key = key or None
        self._services = {service_key(key, name): name for name in SERVICES} if key else {}
        self._reads_too = reads_too

    @property
    def is_known(self) -> bool:
        return self._key is not None

    @property
    def guards_reading(self) -> bool:
        return self._reads_too and self.is_known

    @property
    def visitors(self) -> Visitors | None:
        """What others may do at the tables: what they may do here."""
        if not self.is_known:
            return "sit"
        return None if self.guards_reading else "see"

    def admit(self, token: str) -> None:
        """Authorize a command; raises NotAdmitted: UNAUTHORIZED, OPERATOR_ONLY."""
        if self._key is not None:
            self._compare(token, self._key)
        elif caller().is_forwarded:
            raise NotAdmitted(
                Reason.OPERATOR_ONLY,
                "Through a proxy this requires an operator key, and the lobby has none: set"
                f" {SETTING}.",
            )

    def service_of(self, token: str) -> Service | None:
        """Return the service whose key a token is; None for every other token."""
        services = [name for key, name in self._services.items() if is_token(token, key)]
        return services[0] if services else None

    def knows(self, token: str) -> bool:
        if self._key is None:
            return False
        return is_token(token, self._key) or self.service_of(token) is not None

    def admit_command(self, token: str, command: str) -> None:
        """Authorize a command, named by its `operation_id`.

        Raises NotAdmitted: UNAUTHORIZED, and OPERATOR_ONLY for a service beyond its scope.
        """
        service = self.service_of(token)
        if service is None:
            self.admit(token)
        elif command not in SCOPES[service].commands:
            raise NotAdmitted(
                Reason.OPERATOR_ONLY, f"The key of the {service} does not allow {command}."
            )

    def admit_reader(self, token: str) -> None:
        """May raise NotAdmitted: UNAUTHORIZED."""
        if self._reads_too and self.service_of(token) is None:
            self.admit(token)

    def admit_to_all_cards(self, token: str) -> None:
        """Authorize reading cards that were not shown.

        Raises NotAdmitted: OPERATOR_ONLY if no key is configured, UNAUTHORIZED.
        """
        if self._key is None:
            raise NotAdmitted(
                Reason.OPERATOR_ONLY,
                f"This requires an operator key, and the lobby has none: set {SETTING}.",
            )
        self._compare(token, self._key)

    @staticmethod
    def _compare(token: str, key: str) -> None:
        if not is_token(token, key):
            raise NotAdmitted(
                KitReason.UNAUTHORIZED, "Send the operator's key: `Authorization: Bearer <key>`."
            )


def may_command(operator: Operator, sender: Caller, command: str) -> bool:
    """Return whether a caller may send a command, named by its `operation_id`."""
    try:
        operator.admit_command(sender.token, command)
    except CommandRefused:
        return False
    return True


def bearer_token(authorization: str | None) -> str:
    """Return the token of an `Authorization` header, empty if it is no bearer token.

    >>> bearer_token("Bearer sesame")
    'sesame'
    """
    return bearer(authorization or "")


def is_of_operator(request: Request, operator: Operator) -> bool:
    try:
        operator.admit_to_all_cards(bearer_token(request.headers.get("authorization")))
    except CommandRefused:
        return False
    return True


def is_of_casino(request: Request, operator: Operator) -> bool:
    return operator.knows(bearer_token(request.headers.get("authorization")))
