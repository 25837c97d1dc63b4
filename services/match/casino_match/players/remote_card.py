"""The card of a match's agent: its version, read once, and read again when the agent was gone.

The version is the digest of the card, without what changes by itself.
"""

import asyncio
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final, TypeVar

import orjson
from casino_agentkit import (
    AgentClient,
    AgentError,
    HotOutput,
    ProtocolFault,
    RemoteAgent,
    RemoteRefused,
    TimedOut,
)
from casino_agentkit.canonical_json import canonical_json
from casino_contracts.player_messages import CARD_TIMEOUT

from casino_match.domain.plan import Entrant
from casino_match.errors import AgentBusy, InvalidPlan, PlayerFailed

_ADDRESSES: Final = frozenset({"url", "signatures"})
"""At the top of a card: a signature differs each time, and the plan has the address."""
_INTERFACES: Final = ("supportedInterfaces", "additionalInterfaces")

OutputT = TypeVar("OutputT")
BUSY: Final = frozenset({429, 502, 503, 504})
"""Statuses of HTTP with which an agent, or a proxy before it, takes no call now."""


def version_of_card(content: bytes) -> str:
    """Return the version of the agent with this card: `sha256:` and the digest.

    Signatures and addresses do not count. Raises ValueError if the card has no canonical form.

    >>> version_of_card(b'{"name": "A", "url": "http://a"}') == version_of_card(b'{"name":"A"}')
    True
    """
    card = orjson.loads(content)
    if not isinstance(card, dict):
        raise ValueError("the card is no JSON object")  # noqa: TRY004  as of other contents
    kept = {key: value for key, value in card.items() if key not in _ADDRESSES}
    for key in _INTERFACES:
        if isinstance(kept.get(key), list):
            kept[key] = [_without_address(item) for item in kept[key]]
    return "sha256:" + sha256(canonical_json(kept)).hexdigest()


def _without_address(interface: Any) -> Any:
    if not isinstance(interface, dict):
        return interface
    return {key: value for key, value in interface.items() if key != "url"}


async def read_version(client: AgentClient, entrant: Entrant) -> str:
    """Return the version of an agent, by its card; raises PlayerFailed."""
    try:
        return await _version_now(client, entrant.player, CARD_TIMEOUT)
    except AgentError as error:
        raise PlayerFailed(
            f"{entrant.name}: the card of the agent cannot be read: {error}. Start the agent, and"
            " give the URL of its card or of the agent itself"
        ) from error


async def _version_now(client: AgentClient, card_url: str, timeout: timedelta) -> str:
    content = await client.card_content(card_url, timeout=timeout)
    try:
        return version_of_card(content)
    except ValueError as error:
        raise ProtocolFault(card_url, f"its card {error}") from error


class MatchCallee:
    """A player's agent; `AgentBusy` is raised if it is busy, other errors are as they are."""

    def __init__(self, peer: RemoteAgent) -> None:
        self._peer = peer
        self.is_invoke = peer.is_invoke

    async def call(
        self,
        skill: str,
        message: bytes,
        output: type[OutputT] | HotOutput[OutputT],
        **how: Any,
    ) -> OutputT:
        """Return the answer, with the keywords of `RemoteAgent.call`; raises AgentError."""
        try:
            return await self._peer.call(skill, message, output, **how)
        except (ProtocolFault, RemoteRefused) as error:
            if error.status in BUSY:
                raise AgentBusy(error.message, error.retry_after_s) from error
            raise


class MatchCard:
    """The agent of one entrant, whose version is the plan's whenever its card is read."""

    def __init__(self, client: AgentClient, entrant: Entrant) -> None:
        self._client = client
        self._entrant = entrant
        self._callee: MatchCallee | None = None
        self.signer: str | None = None
        """Thumbprint of the key that signed the card when it was read last."""
        self._reading = asyncio.Lock()

    async def peer(self, card_url: str, timeout: timedelta) -> MatchCallee:
        """Return the agent; raises Unreachable, TimedOut, AgentBusy, InvalidPlan for a new card."""
        try:
            async with asyncio.timeout(timeout.total_seconds()), self._reading:
                if self._callee is None:
                    self._callee = await self._read(card_url, timeout)
                return self._callee
        except TimeoutError as error:
            raise TimedOut(card_url, "its card could not be read in time") from error

    async def _read(self, card_url: str, timeout: timedelta) -> MatchCallee:
        try:
            version = await _version_now(self._client, card_url, timeout)
            peer = await self._client.resolve(card_url, timeout=timeout)
        except ProtocolFault as error:
            raise AgentBusy(error.message) from error
        self._check(version)
        self.signer = peer.signer
        return MatchCallee(peer)

    def forget(self, card_url: str) -> None:
        """Let the next `peer` read the card again."""
        del card_url
        self._callee = None

    def _check(self, version: str) -> None:
        entrant = self._entrant
        if entrant.version is not None and version != entrant.version:
            raise InvalidPlan(
                f"players: the card of {entrant.name} at {entrant.player} is another one than when"
                f" the plan was written ({version} instead of {entrant.version}). Serve that"
                " version again to go on, or start a new match with the new one"
            )
