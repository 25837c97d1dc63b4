"""Agents that are added and removed while the process runs, each at a path of its own."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn

from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Receive, Scope, Send

from casino_agentkit.agent import Agent
from casino_agentkit.bounded_state import LruDict
from casino_agentkit.metrics import CallMetrics
from casino_agentkit.protocol import (
    CARD_PATH,
    ENTRYPOINTS_PATH,
    OLDER_CARD_PATH,
    REST_PATH,
    RPC_PATH,
)
from casino_agentkit.server.served_agent import CARDS, AgentRouter, ServedAgent

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TYPED_CALLS: Final = frozenset({RPC_PATH, RPC_PATH + "/"})
_ADDRESSES: Final = (CARD_PATH, OLDER_CARD_PATH, RPC_PATH, REST_PATH, ENTRYPOINTS_PATH)
_SERVED: Final = 64
"""Agents whose card, request handler and routes are kept: up to 200 KB each."""


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _Hosted:
    agent: Agent
    is_available: Callable[[], bool]


class HostedAgents(BaseRoute):
    """The agents below one path, as `{path}/{name}`; a route of the service.

    They are served like other agents, over HTTP. What only slow calls need (card, request handler,
    routes) is made at their first use and kept for the `kept` most recently used agents.
    """

    def __init__(self, path: str, *, kept: int = _SERVED) -> None:
        self._path = path
        self._agents: dict[str, _Hosted] = {}
        self._kept = LruDict[str, AgentRouter](kept)
        self._serve: Callable[[Agent, str], ServedAgent] | None = None
        self._calls: CallMetrics | None = None

    def __len__(self) -> int:
        return len(self._agents)

    def add(self, name: str, agent: Agent, is_available: Callable[[], bool] = _always) -> str:
        """Serve an agent from now on; returns its base path.

        While it is not available, its card is answered with 503; calls are answered.
        Raises ValueError if the name is taken or not of letters, digits, "-" and "_", or if the
        agent has tasks, which end with its request handler.
        """
        if not _NAME.fullmatch(name) or name in self._agents:
            raise ValueError(f"the name {name!r} is taken, or not of letters, digits, - and _")
        if agent.executor is not None:
            raise ValueError("a hosted agent has typed entrypoints only")
        if self._calls is not None:
            self._calls.know(agent.entrypoints)
        self._agents[name] = _Hosted(agent, is_available)
        return f"{self._path}/{name}"

    def remove(self, name: str) -> None:
        """Serve an agent no longer. Raises KeyError if there is none."""
        del self._agents[name]
        self._kept.remove(name)

    def serve_with(self, serve: Callable[[Agent, str], ServedAgent], calls: CallMetrics) -> None:
        """Use what the service makes of an agent at a base path, and its metrics."""
        self._serve, self._calls = serve, calls
        for hosted in self._agents.values():
            calls.know(hosted.agent.entrypoints)

    def called_at(self, path: str) -> Agent | None:
        """Return the agent whose JSON-RPC endpoint a path is, if it may take the fast path."""
        name, rest = self._split(path)
        hosted = self._agents.get(name)
        if hosted is None or rest not in _TYPED_CALLS or hosted.agent.required_extensions:
            return None
        return hosted.agent

    def is_address(self, path: str) -> bool:
        """Return whether a path is a card or an interface of an agent."""
        name, rest = self._split(path)
        return name in self._agents and rest.startswith(_ADDRESSES)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a request is for an agent."""
        if scope["type"] == "http" and self._split(scope["path"])[0] in self._agents:
            return Match.FULL, {}
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for an agent."""
        name, rest = self._split(scope["path"])
        hosted = self._agents[name]
        if rest in CARDS and not hosted.is_available():
            await _unavailable(scope, receive, send)
            return
        kept = self._kept.get(name)
        if kept is None:
            assert self._serve is not None  # noqa: S101  the service serves this route
            kept = AgentRouter(self._serve(hosted.agent, f"{self._path}/{name}"))
            self._kept.put(name, kept)
        await kept.answer(rest, scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: object) -> NoReturn:
        """Raise NoMatchFound: the routes have no names."""
        raise NoMatchFound(name, path_params)

    def _split(self, path: str) -> tuple[str, str]:
        """Return the agent's name in a path, and what follows; "" if it is not below this one."""
        base, slash, rest = path.removeprefix(self._path).partition("/")
        if base or not slash or not path.startswith(self._path):
            return "", ""
        name, slash, rest = rest.partition("/")
        return name, slash + rest


async def _unavailable(scope: Scope, receive: Receive, send: Send) -> None:
    problem = {
        "type": "about:blank",
        "title": "Service Unavailable",
        "status": 503,
        "detail": "The agent is not available now; retry later.",
    }
    headers = {"retry-after": "5", "cache-control": "no-store"}
    response = JSONResponse(
        problem, status_code=503, headers=headers, media_type="application/problem+json"
    )
    await response(scope, receive, send)
