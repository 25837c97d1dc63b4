"""Owner of tasks: callers see those made with their own token, or from their own network."""

import hashlib

from a2a.auth.user import User
from a2a.server.routes.common import DefaultServerCallContextBuilder
from starlette.requests import Request

from casino_agentkit.authority import Caller, caller
from casino_agentkit.network import network_of


class CallingUser(User):
    """The user of the SDK that stands for a caller, whose token nobody has verified."""

    def __init__(self, sender: Caller) -> None:
        kind, own = ("token", sender.token) if sender.token else ("at", network_of(sender.address))
        self._name = f"{kind}:{hashlib.sha256(own.encode(errors='replace')).hexdigest()}"

    @property
    def is_authenticated(self) -> bool:
        """False: the rule of an entrypoint or of tasks checks a token."""
        return False

    @property
    def user_name(self) -> str:
        """The digest of the token, without one that of the network."""
        return self._name


class CallContextBuilder(DefaultServerCallContextBuilder):
    """Takes the user of a service's own middleware, otherwise the caller."""

    def build_user(self, request: Request) -> User:
        """Return the user of a request."""
        if "user" in request.scope:
            return super().build_user(request)
        return CallingUser(caller())
