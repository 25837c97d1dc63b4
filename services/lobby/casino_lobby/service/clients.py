"""The lobby's ways to other agents: tables, players, and tables that are asked for their games.

They are apart, so that players who never answer hold up no call to a table.
"""

from dataclasses import dataclass

from casino_agentkit import AgentClient, CallSlots, HttpTransport, Transport, policy_of

from casino_lobby.settings import LobbySettings

_ORIGINS_ASKED_FOR_GAMES = 16


@dataclass(frozen=True)
class Clients:
    """One client for each purpose."""

    tables: AgentClient
    players: AgentClient
    games: AgentClient

    async def close(self) -> None:
        """Close all connections."""
        for client in (self.tables, self.players, self.games):
            await client.close()


def clients_of(settings: LobbySettings, transport: Transport | None) -> Clients:
    """Return the lobby's clients; tests give a transport of their own.

    Tables that the lobby launches are on loopback, whatever else it may call.
    """
    tls = settings.client_tls()
    outside = policy_of(settings.call_addresses, settings.host, (settings.public_url,))
    tables = outside.also("loopback") if settings.launch_tables else outside
    tls = settings.client_tls()
    return Clients(
        AgentClient(transport or HttpTransport(tables, tls=tls)),
        AgentClient(transport or HttpTransport(outside, tls=tls), slots=CallSlots()),
        AgentClient(
            transport or HttpTransport(outside, tls=tls),
            slots=CallSlots(per_origin=1, in_all=_ORIGINS_ASKED_FOR_GAMES),
        ),
    )
