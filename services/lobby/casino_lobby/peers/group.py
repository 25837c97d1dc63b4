"""Compose what a lobby needs in a group, from its settings."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from zlib import crc32

from casino_agentkit import HttpTransport, LargeBody, Transport
from casino_agentkit.authority import caller, is_token
from casino_agentkit.client.outgoing import OutgoingPolicy
from casino_agentkit.protocol import BODY_LIMIT
from starlette.routing import BaseRoute

from casino_lobby.access.rules import LobbyRules
from casino_lobby.peers.client import PeerClient
from casino_lobby.peers.endpoint import PeerEndpoint
from casino_lobby.peers.lobby import GroupLobby
from casino_lobby.peers.operations import PATH
from casino_lobby.peers.routing import OwnerRouting
from casino_lobby.service.lobby import LobbyService
from casino_lobby.service.use_cases import UseCases
from casino_lobby.settings import LobbySettings
from casino_lobby.store import Store


class Group:
    """The use cases and routes of a lobby; without a peer key it is in no group."""

    def __init__(
        self,
        settings: LobbySettings,
        lobby: LobbyService,
        store: Store,
        rules: LobbyRules,
        transport: Transport | None,
        clock: Callable[[], float],
        new_id: Callable[[str], str],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.use_cases: UseCases = lobby
        self.routes: Sequence[BaseRoute] = ()
        self.large_bodies: Mapping[str, LargeBody] = {}
        self._lobby = lobby
        self._group: GroupLobby | None = None
        if settings.peer_key is None:
            return
        key = settings.peer_key.get_secret_value()
        # The operator chooses the addresses of all lobbies, so every class of them is allowed.
        outside = HttpTransport(OutgoingPolicy(), tls=settings.client_tls())
        client = PeerClient(transport or outside, key)
        self._group = self.use_cases = GroupLobby(
            lobby,
            store,
            client,
            OwnerRouting(store, client, clock, sleep),
            admit_events=lambda events: rules.recording.admit(caller(), events),
            new_id=new_id,
            sleep=sleep,
        )
        self.routes = (PeerEndpoint(lobby, store, key).route(),)
        large = LargeBody(BODY_LIMIT, lambda sender: is_token(sender.token, key))
        self.large_bodies = {PATH: large}  # events that another lobby got

    async def open(self) -> None:
        """Open the lobby, and begin what it does for the others; raises StoreFailed."""
        await (self._group or self._lobby).open()

    async def stop(self) -> None:
        """Stop what the lobby does for the others."""
        if self._group is not None:
            await self._group.stop()


def table_order(peer_url: str | None) -> Callable[[str], int]:
    """Return the order in which a lobby chooses free tables: another one at each lobby.

    Two lobbies that choose the same table at the same time cost one of them another attempt.
    """
    if peer_url is None:
        return lambda _card_url: 0
    return lambda card_url: crc32(card_url.encode(), crc32(peer_url.encode()))
