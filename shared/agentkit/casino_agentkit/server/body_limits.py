"""How many bytes of a request are read: what its entrypoint or route needs, and no more.

A JSON-RPC body names its skill only within. So more than `INPUT_LIMIT` is read where an agent has a
skill that needs it, and of a caller that may send so many to it, by the head of the request alone.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

import orjson

from casino_agentkit.agent import Agent
from casino_agentkit.authority import Caller
from casino_agentkit.entrypoint import LargeBody
from casino_agentkit.errors import KitError
from casino_agentkit.protocol import ENTRYPOINTS_PATH, INPUT_LIMIT, REST_PATH, RPC_PATH

_A2A: Final = "/a2a/"
_INVALID_REQUEST: Final = -32600
_TOO_LARGE: Final = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
_LARGER: Final = " A larger one needs the token of one who may send it, in the header."

BodyRefusal = Callable[[str, str], Mapping[str, Any] | None]
"""Returns how an interface refuses a body, from path and reason; None if the path is of none."""


class TooLarge(KitError):
    """The body exceeds the named limit; `status` is 401 if other callers may send as much."""

    def __init__(self, message: str, status: HTTPStatus) -> None:
        super().__init__(message)
        self.status = status


class BodyLimits:
    """The limits of a process, whose `agents` are keyed by the path of their RPC endpoint.

    `routes` are what its other paths need, by how they begin.
    """

    def __init__(self, agents: Mapping[str, Agent], routes: Mapping[str, LargeBody]) -> None:
        self._routes = routes
        self._agents = {
            path.removesuffix(RPC_PATH): large
            for path, agent in agents.items()
            if (large := _large_of(agent))
        }

    def of(self, path: str, sender: Caller) -> int:
        at_most = (body.most_bytes for body in self._at(path) if body.may_send(sender))
        return max(at_most, default=INPUT_LIMIT)

    def check(self, size: int, path: str, sender: Caller) -> None:
        """Check the size of a body, in bytes. Raises TooLarge."""
        if size > INPUT_LIMIT and size > (at_most := self.of(path, sender)):
            needs_token = at_most == INPUT_LIMIT and bool(self._at(path))
            status = _TOO_LARGE
            if needs_token and path.startswith(tuple(self._routes)):
                status = HTTPStatus.UNAUTHORIZED
            larger = _LARGER if needs_token else ""
            raise TooLarge(f"The body may have at most {at_most} bytes here.{larger}", status)

    def _at(self, path: str) -> list[LargeBody]:
        for base, skills in self._agents.items():
            if path.startswith((base + _A2A, base + ENTRYPOINTS_PATH)):
                _, invoked, rest = path.rpartition(ENTRYPOINTS_PATH + "/")
                skill = rest.partition("/")[0]
                return [body for name, body in skills.items() if not invoked or name == skill]
        return [body for start, body in self._routes.items() if path.startswith(start)]


def _large_of(agent: Agent) -> dict[str, LargeBody]:
    entrypoints = agent.entrypoints.values()
    return {entry.skill: entry.large for entry in entrypoints if entry.large is not None}


def refusal_of(path: str, refused: TooLarge, own: BodyRefusal) -> tuple[str, bytes]:
    """Return media type and body of the refusal, in the form of the interface that has the path."""
    reason = str(refused)
    content: Mapping[str, Any] | None
    if ENTRYPOINTS_PATH + "/" in path:
        content = {"error": {"code": "body_too_large", "message": reason}}
    elif path.rstrip("/").endswith(RPC_PATH):
        error = {"code": _INVALID_REQUEST, "message": reason}
        content = {"jsonrpc": "2.0", "id": None, "error": error}
    elif REST_PATH + "/" in path:
        error = {"code": _TOO_LARGE, "status": "INVALID_ARGUMENT", "message": reason}
        content = {"error": error}
    elif (content := own(path, reason)) is None:
        title = "Content Too Large" if refused.status == _TOO_LARGE else "Unauthorized"
        problem = {"type": "about:blank", "title": title, "status": refused.status}
        return "application/problem+json", orjson.dumps({**problem, "detail": reason})
    return "application/json", orjson.dumps(content)
