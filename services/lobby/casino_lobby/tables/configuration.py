"""Configuration of a room's table, as the lobby sends it."""

from dataclasses import dataclass
from datetime import timedelta

from casino_agentkit.protocol import CAPABILITY_PATH, CARD_PATH
from casino_contracts import CasinoCallback, ConfigureTableInput, Continuation, SeatAssignment

from casino_lobby.domain.room import Room

EVENT_SKILL = "recordGameEvent"


@dataclass(frozen=True)
class LobbyIdentity:
    """How a lobby presents itself to tables.

    `fleet_key` authorizes it at free announced tables, `launch_key` at launched ones.
    """

    name: str
    url: str
    fleet_key: str | None = None
    launch_key: str | None = None


def milliseconds(duration: timedelta) -> int:
    """Return whole milliseconds, rounded down."""
    return duration // timedelta(milliseconds=1)


def configuration_of(
    lobby: LobbyIdentity,
    room: Room,
    seats: tuple[SeatAssignment, ...] | None = None,
    continuation: Continuation | None = None,
    lease: timedelta | None = None,
) -> ConfigureTableInput:
    """Return the configuration for a room's table.

    `seats` and `continuation` are those of a table whose play it continues; `lease` is how long it
    may ask players without an answered announcement. A table that does not
    use the room key gets a capability in the callback's URL instead.
    """
    key = room.key()
    capability = "" if room.is_keyed else f"{CAPABILITY_PATH}{key.events}"
    return ConfigureTableInput(
        table_id=room.table_id,
        casino_name=lobby.name,
        config=room.config,
        casino_callback=CasinoCallback(
            agent_card_url=f"{lobby.url}{capability}{CARD_PATH}",
            event_skill=EVENT_SKILL,
            secret=key.secret if room.is_keyed else None,
        ),
        epoch=room.epoch,
        seats=seats,
        continuation=continuation,
        lease_ms=None if lease is None else milliseconds(lease),
        game_type=room.game_type,
        game_config=room.game_config,
    )
