"""A2A clients of the lobby: for tables, for players, and for reading the games of tables.

They are separate, so that unresponsive players delay no call to a table.
"""

from dataclasses import dataclass

from casino_agentkit import AgentClient, CallSlots, HttpTransport, Transport

from casino_lobby.settings import LobbySettings

_MAX_GAME_ORIGINS = 16


@dataclass(frozen=True)
class Clients:
    """One A2A client for each purpose."""

    tables: AgentClient
    players: AgentClient
    games: AgentClient

    async def close(self) -> None:
        """Close all connections."""
        for client in (self.tables, self.players, self.games):
            await client.close()


def clients_of(settings: LobbySettings, transport: Transport | None) -> Clients:
    """Return the lobby's clients; tests pass their own transport.

    Launched tables listen on loopback, so the table client may always call it if tables can be
    launched.
    """
    tls = settings.client_tls()
    outside = settings.outgoing()
    tables = outside.also("loopback") if settings.launch_tables else outside
    return Clients(
        AgentClient(transport or HttpTransport(tables, tls=tls)),
        AgentClient(transport or HttpTransport(outside, tls=tls), slots=CallSlots()),
        AgentClient(
            transport or HttpTransport(outside, tls=tls),
            slots=CallSlots(per_origin=1, in_all=_MAX_GAME_ORIGINS),
        ),
    )
