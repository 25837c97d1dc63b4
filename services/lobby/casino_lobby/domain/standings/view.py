"""The standings of a room, as a reader gets them. Pure."""

from casino_contracts import HOLDEM, Standing, Standings
from casino_contracts.play_statistics import latency_of, statistics_of

from casino_lobby.domain.room import Room
from casino_lobby.domain.standings.amounts import bounded
from casino_lobby.domain.standings.player_results import PlayerResults

_NO_FAULTS = frozenset({"ok", "away"})
_SHOWN_DECIMALS = 2


def standings_of(room: Room) -> Standings:
    """Return the results of a room's players, the best first."""
    results = room.results
    lines = [_line(player_id, player) for player_id, player in results.players.items()]
    return Standings(
        room_id=room.room_id,
        hands=results.hands,
        unit="bb" if room.game_type == HOLDEM else "chips",
        players=tuple(sorted(lines, key=lambda line: -line.net)),
    )


def _line(player_id: str, player: PlayerResults) -> Standing:
    half_interval = player.rate.half_interval
    return Standing(
        player_id=player_id,
        display_name=player.name,
        hands=player.rate.hands,
        net=bounded(player.net),
        bought=bounded(player.bought),
        stack=bounded(player.stack),
        bb_per_100=_shown(player.rate.per_100),
        half_interval_95=None if half_interval is None else _shown(half_interval),
        faults={
            outcome: count
            for outcome, count in player.outcomes.items()
            if outcome not in _NO_FAULTS
        },
        decisions=sum(player.outcomes.values()),
        statistics=statistics_of(player.play),
        latency=latency_of(player.latency),
        is_guest=player.player_type == "human" or None,
        has_left=not player.is_seated or None,
    )


def _shown(rate: float) -> float:
    return round(bounded(rate), _SHOWN_DECIMALS)
