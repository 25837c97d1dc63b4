"""Paths of a process's agents: whose RPC endpoint a path is, and capability addresses."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from casino_agentkit.agent import Agent
from casino_agentkit.authority import bearer
from casino_agentkit.protocol import (
    CAPABILITY_PATH,
    CARD_PATH,
    ENTRYPOINTS_PATH,
    OLDER_CARD_PATH,
    REST_PATH,
    RPC_PATH,
)
from casino_agentkit.server.hosted_agents import HostedAgents

_OF_AN_AGENT: Final = (CARD_PATH, OLDER_CARD_PATH, RPC_PATH, REST_PATH, ENTRYPOINTS_PATH)
"""Addresses of an agent's card and interfaces, below its base path."""


class OpenedPath(NamedTuple):
    """A path without the prefix of a capability address; prefix and token are "" without one."""

    path: str
    prefix: str = ""
    token: str = ""


class AgentAddresses:
    """The paths of `agents`, which are keyed by the path of their RPC endpoint, and of `hosted`."""

    def __init__(self, agents: Mapping[str, Agent], hosted: HostedAgents | None = None) -> None:
        self._agents = {
            spelling: agent
            for path, agent in agents.items()
            if not agent.required_extensions  # the SDK's handler checks them
            for spelling in (path, path + "/")
        }
        self._addresses = tuple(
            path.removesuffix(RPC_PATH) + address for path in agents for address in _OF_AN_AGENT
        )
        self._hosted = hosted

    def agent_at(self, path: str) -> Agent | None:
        """Return the agent that may answer calls at a path without the SDK, None without one."""
        agent = self._agents.get(path)
        if agent is None and self._hosted is not None:
            return self._hosted.called_at(path)
        return agent

    def opened(self, path: str) -> OpenedPath:
        """Return a path without the prefix of a capability address, and the token in it.

        Only an agent's card and interfaces have such addresses; other paths are not changed.
        """
        if not path.startswith(CAPABILITY_PATH):
            return OpenedPath(path)
        token, slash, rest = path.removeprefix(CAPABILITY_PATH).partition("/")
        inner = slash + rest
        is_address = inner.startswith(self._addresses) or (
            self._hosted is not None and self._hosted.is_address(inner)
        )
        if not token or not is_address:
            return OpenedPath(path)
        return OpenedPath(inner, CAPABILITY_PATH + token, bearer(f"Bearer {token}"))
