"""What others see of a room: summaries, snapshots, public events, standings, nets. Pure."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from casino_contracts import (
    HOLDEM,
    ListedPlayer,
    NetLine,
    NetSeries,
    PlayerProfile,
    PlayerSeat,
    PlayerType,
    RoomSnapshot,
    RoomSummary,
    Standing,
    Standings,
    TableEvent,
    TableSummary,
    holding_up,
)
from casino_contracts.careers import ResultUnit
from casino_contracts.events.content import ActionTaken
from casino_contracts.play_statistics import WinRate, latency_of, statistics_of

from casino_lobby.domain.deal_book import fair_mark
from casino_lobby.domain.player_results import PlayerResults, bounded, exact
from casino_lobby.domain.reported_event import RECENT_EVENTS, DecodedEvent, ReportedEvent, model_of
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_books import NO_FAULTS

_PRIVATE = frozenset({"agentCardUrl", "reasoning", "usage", "disclosed"})
_PRIVATE_OF = {
    "action_taken": _PRIVATE | {"reason"},
    "hand_completed": _PRIVATE - {"disclosed"},
}


def _message(room: Room) -> str:
    """Return a room's message; what hides its play is told in its place, in words of the lobby."""
    if not room.is_over and (wait := holding_up(room.waits.items)) is not None:
        return wait.what
    if room.refused and not room.is_over:
        counts = ", ".join(f"{reason} ({count})" for reason, count in room.refused.items())
        return f"the table's events are refused: {counts}"
    return room.message


def table_summary(room: Room) -> TableSummary:
    seats = sorted(room.seats.values(), key=lambda seat: seat.seat_number)
    return TableSummary(
        table_id=room.table_id,
        status=room.status,
        hand_count=room.hand_count,
        players=tuple(
            seat.model_copy(
                update={
                    "stack": room.stacks[seat.player_id],
                    "player_type": player_type(room, seat),
                    "profile": profile(room, seat),
                }
            )
            for seat in seats
        ),
        message=_message(room),
        state=room.shown_state,
        plays_for=room.plays_for,
        waits=None if room.is_over else room.waits.published(),
    )


def player_type(room: Room, seat: PlayerSeat) -> PlayerType | None:
    """Return who decides for a player: as it said to the lobby, else what its table says."""
    agent = room.agents.get(seat.player_id)
    return agent.player_type if agent and agent.is_invited else seat.player_type


def profile(room: Room, seat: PlayerSeat) -> PlayerProfile | None:
    """Return what a player says of itself: to the lobby, else what its table says."""
    agent = room.agents.get(seat.player_id)
    return agent.profile if agent and agent.is_invited else seat.profile


def room_summary(room: Room) -> RoomSummary:
    has_blinds = room.game_type == HOLDEM
    seats = sorted(room.seats.values(), key=lambda seat: seat.seat_number)
    return RoomSummary(
        room_id=room.room_id,
        table_id=room.table_id,
        game_type=room.game_type,
        table_agent_card_url=room.table_card_url,
        table_base_url=room.table_base_url,
        status=room.status,
        hand_count=room.hand_count,
        player_count=len(room.seats),
        message=_message(room),
        state=room.shown_state,
        seats=None if room.entry == "open" else room.entry,
        seeded=room.is_seeded or None,
        archived_at=room.archived_at,
        waits=None if room.is_over else room.waits.published(),
        players=tuple(
            ListedPlayer(
                player_id=seat.player_id,
                display_name=seat.display_name,
                player_type=player_type(room, seat),
            )
            for seat in seats
        )
        or None,
        max_seats=room.config.max_seats,
        small_blind=room.config.small_blind if has_blinds else None,
        big_blind=room.config.big_blind if has_blinds else None,
    )


def late_snapshot(room: Room) -> RoomSnapshot:
    """Return the room as of before the running hand."""
    snapshot = room_snapshot(room)
    if room.running_since is None:
        return snapshot
    events = tuple(
        event
        for event in snapshot.events
        if (event.epoch or room.epoch, event.sequence or 0) < room.running_since
    )
    summary = table_summary(room).model_copy(
        update={
            "players": tuple(
                seat.model_copy(update={"stack": room.settled[seat.player_id]})
                for seat in table_summary(room).players
            ),
            "message": events[-1].message if events else None,
        }
    )
    return snapshot.model_copy(update={"summary": summary, "events": events})


def room_snapshot(room: Room, newest: int = RECENT_EVENTS) -> RoomSnapshot:
    """Return the full room with its newest events, at most `newest`, in their public form."""
    return RoomSnapshot(
        room_id=room.room_id,
        config=room.config.public(),
        summary=table_summary(room),
        table_agent_card_url=room.table_card_url,
        table_base_url=room.table_base_url,
        events=tuple(public(event) for event in room.recent.newest(newest)),
        table_id=room.table_id,
        game_type=room.game_type,
        epoch=room.epoch,
        state=room.shown_state,
        seats=None if room.entry == "open" else room.entry,
        seeded=room.is_seeded or None,
        fair=fair_mark(room),
        archived_at=room.archived_at,
    )


def public(event: ReportedEvent) -> TableEvent:
    """Return an event's public form: without a player's address and the reason of a fault.

    What a hand's end discloses stays, as its table decides; whatever another event says of a
    player's thoughts and costs is left out, and of a default everything but its reason.
    """
    message = model_of(event)
    if _is_public(event):
        return message
    private = _PRIVATE_OF.get(event.event_type, _PRIVATE)
    payload = {key: value for key, value in (message.payload or {}).items() if key not in private}
    if "defaulted" in payload:
        payload["defaulted"] = _public_default(payload)
    return message.model_copy(update={"payload": payload})


def public_json(event: ReportedEvent) -> bytes:
    if isinstance(event, DecodedEvent) and _is_public(event):
        return event.content
    return public(event).wire()


def _is_public(event: ReportedEvent) -> bool:
    payload = event.payload or {}
    if not _PRIVATE_OF.get(event.event_type, _PRIVATE).isdisjoint(payload):
        return False
    return "defaulted" not in payload or payload["defaulted"] == _public_default(payload)


def _public_default(payload: Mapping[str, object]) -> dict[str, str] | None:
    defaulted = ActionTaken(payload).defaulted
    return None if defaulted is None else {"reason": defaulted.reason}


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


_SHOWN_DECIMALS = 2


class CareerIds:
    """The ids of players in the casino: digests of their cards' addresses.

    `key` (at most 64 bytes) is secret: who guesses an address cannot find its player.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, room: Room, player_id: str) -> str | None:
        """Return the id of a room's player; None if its agent is unknown, or shared.

        Players of rooms that a service has opened (exams, practice) have none.
        """
        player = room.results.players.get(player_id)
        address = player.card_url if player else None
        if address is None:  # an older release did not note it
            agent, decisions = room.agents.get(player_id), room.faults.players.get(player_id)
            address = agent.card_url if agent else decisions.agent_card_url if decisions else None
        if not address or room.owner is not None:
            return None
        return blake2b(address.encode(errors="replace"), key=self._key, digest_size=8).hexdigest()


def standings_of(room: Room, careers: CareerIds | None = None) -> Standings:
    """Return the results of a room's players, the best first, with their ids in `careers`."""
    results = room.results
    lines = [
        _line(room, player_id, player, careers.of(room, player_id) if careers else None)
        for player_id, player in results.players.items()
    ]
    return Standings(
        room_id=room.room_id,
        hands=results.hands,
        unit=unit_of(room.game_type),
        players=tuple(sorted(lines, key=lambda line: -line.net)),
    )


def _line(room: Room, player_id: str, player: PlayerResults, career: str | None) -> Standing:
    seat = room.seats.get(player_id)
    defaults = sorted(player.defaults.values(), key=lambda default: -default.count)
    return Standing(
        player_id=player_id,
        display_name=player.name,
        net=bounded(player.net),
        bought=bounded(player.bought),
        stack=bounded(player.stack),
        **shown_result(player.rate),
        faults={
            outcome: count for outcome, count in player.outcomes.items() if outcome not in NO_FAULTS
        },
        decisions=sum(player.outcomes.values()),
        statistics=statistics_of(player.play),
        latency=latency_of(player.latency),
        defaulted=tuple(defaults) or None,
        costs=player.costs.over(player.rate.hands, bounded(player.rate.per_100)),
        profile=player.profile if seat is None else profile(room, seat),
        is_guest=player.player_type == "human" or None,
        has_left=not player.is_seated or None,
        career=career,
    )


def unit_of(game_type: str) -> ResultUnit:
    return "bb" if game_type == HOLDEM else "chips"


def shown_result(rate: WinRate) -> dict[str, Any]:
    """Return the fields of a message that say a result per 100 hands, and of how many."""
    half = rate.half_interval
    return {
        "hands": rate.hands,
        "bb_per_100": shown_rate(rate.per_100),
        "half_interval_95": None if half is None else shown_rate(half),
    }


def shown_rate(rate: float) -> float:
    return round(bounded(rate), _SHOWN_DECIMALS)
