"""Owner of tasks: callers see the tasks that were made with their own token."""

import hashlib

from a2a.auth.user import User
from a2a.server.routes.common import DefaultServerCallContextBuilder
from starlette.requests import Request

from casino_agentkit.authority import caller


class TokenUser(User):
    """The user of the SDK that stands for a bearer token, which nobody has verified."""

    def __init__(self, token: str) -> None:
        self._name = hashlib.sha256(token.encode()).hexdigest() if token else ""

    @property
    def is_authenticated(self) -> bool:
        """False: the rule of an entrypoint or of tasks checks a token."""
        return False

    @property
    def user_name(self) -> str:
        """The token's digest, "" without a token."""
        return self._name


class CallContextBuilder(DefaultServerCallContextBuilder):
    """Takes the user of a service's own middleware, otherwise that of the token."""

    def build_user(self, request: Request) -> User:
        """Return the user of a request."""
        if "user" in request.scope:
            return super().build_user(request)
        return TokenUser(caller().token)
