"""The series of a room's nets, as a reader gets it. Pure."""

from casino_contracts import NetLine, NetSeries

from casino_lobby.domain.room import Room
from casino_lobby.domain.standings.amounts import bounded, exact


def series_of(room: Room) -> NetSeries:
    """Return the nets of a room's players after each step of hands."""
    series = room.results.series
    return NetSeries(
        room_id=room.room_id,
        hands=series.hands,
        first_hand=series.first_hand if series.hands else None,
        hands_per_step=series.hands_per_step,
        last_hands=tuple(series.last_hands),
        players=tuple(
            NetLine(
                player_id=player_id,
                display_name=player.name,
                net=bounded(player.net),
                nets=tuple(
                    None if point is None else exact(point)
                    for point in series.nets.get(player_id, ())
                ),
            )
            for player_id, player in room.results.players.items()
        ),
    )
