"""Fold a room's snapshot and its public events into a match. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime

from casino_contracts import HOLDEM, RoomSnapshot, TableEvent
from casino_contracts.events.content import (
    ActionTaken,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    ReportedSeat,
    StatusChanged,
    TableFailed,
    content_of,
)

from casino_gateway.domain.match import Match, Opponent

_OUTSIDE_A_HAND = {"waiting": "waiting", "started": "between_hands"}
_GONE = {"closed", "failed"}
_CURRENT = "current_player"
"""Whose action is awaited, in the public state of our games."""


def match_of(snapshot: RoomSnapshot) -> Match:
    """Return the match of a room as a snapshot describes it, its newest events included."""
    match = Match(room_id=snapshot.room_id, game_type=snapshot.game_type or HOLDEM, config={})
    catch_up(match, snapshot)
    return match


def catch_up(match: Match, snapshot: RoomSnapshot) -> list[TableEvent]:
    """Fold a snapshot into a match that may know a part of it; returns the events that were new."""
    match.config = snapshot.config.model_dump(mode="json", by_alias=True, exclude_none=True)
    new = [event for event in snapshot.events if apply(match, event)]
    summary = snapshot.summary
    if summary is None:
        return new
    before = match.players
    match.players = {}
    for seat in sorted(summary.players, key=lambda seat: seat.seat_number):
        player = before.get(seat.player_id) or Opponent(
            seat.player_id, seat.display_name, seat.seat_number, seat.stack
        )
        player.stack = seat.stack
        player.seat_number = seat.seat_number
        player.kind = "human" if seat.player_type == "human" else player.kind
        match.players[seat.player_id] = player
    oldest = _time(snapshot.events[0]) if snapshot.events else None
    if summary.status == "running":
        _start(match, match.started_at or oldest)
    elif summary.status == "idle" and match.status != "ended":
        _start(match, match.started_at or oldest)
        _end(match, "ended", _newest(snapshot))
    if snapshot.state in _GONE:
        close(match, _newest(snapshot))
    return new


def apply(match: Match, event: TableEvent) -> bool:
    """Fold one event; returns whether it was new. Fields that cannot be read change nothing."""
    epoch, sequence = event.epoch or match.epoch, event.sequence or match.sequence + 1
    if (epoch, sequence) <= (match.epoch, match.sequence):
        return False
    match.epoch, match.sequence = epoch, sequence
    at = _time(event)
    match content_of(event):
        case PlayerRegistered(seat=seat) as content:
            _seat(match, seat, content.fields)
        case HandStarted() as content:
            _start_hand(match, content, at)
        case ActionTaken() as content:
            _act(match, content)
        case HandCompleted() as content:
            _complete_hand(match, content)
        case PlayerBusted(player_id=player_id):
            match.players.pop(player_id, None)
        case StatusChanged() as content:
            _change_status(match, content, at)
        case TableFailed(status="error"):
            _end(match, "abandoned", at)
        case _:
            pass
    return True


def note_question(match: Match, at: datetime) -> None:
    """Note that the table asked for a decision, which may come before its events."""
    if match.status == "waiting":
        _start(match, at)


def close(match: Match, at: datetime | None) -> None:
    """Fold the end of the room: abandoned, unless its session was over."""
    _end(match, "ended" if match.status == "ended" else "abandoned", match.ended_at or at)


def _seat(match: Match, seat: ReportedSeat, fields: Mapping[str, object]) -> Opponent:
    player = match.players.get(seat.player_id)
    if player is None:
        player = Opponent(seat.player_id, seat.name, seat.seat_number or 0, seat.stack or 0)
        match.players[seat.player_id] = player
    if seat.stack is not None:
        player.stack = seat.stack
    if fields.get("playerType") == "human":
        player.kind = "human"
    return player


def _start_hand(match: Match, content: HandStarted, at: datetime | None) -> None:
    _start(match, match.started_at or at)
    match.hand_number = content.hand_number
    match.button_seat = content.button_seat
    for seat in content.players:
        _seat(match, seat, {})
    posted = {bet.player_id: bet.amount or 0 for bet in content.posted}
    for player_id, amount in posted.items():
        if player := match.players.get(player_id):
            player.stack -= amount
    in_hand = [seat.player_id for seat in content.players] or list(match.players)
    match.live = {
        player_id
        for player_id in in_hand
        if (player := match.players.get(player_id)) and player.stack > 0
    }
    match.public = dict(content.state or {})
    if content.state is not None:
        _read_state(match)
        return
    match.phase = "preflop" if match.game_type == HOLDEM else "main"
    blinds = [bet.player_id for bet in content.posted if bet.kind == "big-blind"]
    match.active_player_id = _next(match, _seat_of(match, blinds[-1])) if blinds else None


def _act(match: Match, content: ActionTaken) -> None:
    match.decisions += 1
    player = match.players.get(content.player_id)
    if player is not None and content.stack is not None:
        player.stack = content.stack
    if content.state is not None:
        match.public = dict(content.state)
        _read_state(match)
        return
    if content.betting_round is not None:
        match.phase = content.betting_round
    if content.action == "fold" or (player is not None and player.stack == 0):
        match.live.discard(content.player_id)
    match.active_player_id = _next(match, _seat_of(match, content.player_id))


def _complete_hand(match: Match, content: HandCompleted) -> None:
    for after in content.stacks:
        player = match.players.get(after.player_id)
        if player is not None and after.stack is not None:
            player.stack = after.stack
    if content.result is not None:
        match.result, match.result_hand = dict(content.result), match.hand_number
    if content.public_result is not None:
        match.public = dict(content.public_result)
    _rest(match)


def _change_status(match: Match, content: StatusChanged, at: datetime | None) -> None:
    player = match.players.get(content.player_id or "")
    if player is not None and content.stack is not None:
        player.stack = content.stack
    match content.kind:
        case "started":
            match.started_at, match.ended_at = at, None
            match.status = "started"
            _rest(match)
        case "street_dealt":
            match.phase = content.betting_round or match.phase
            match.active_player_id = _next(match, match.button_seat)
        case "hand_cancelled":
            _rest(match)
        case "sat_out" | "returned" if player is not None:
            player.is_sitting_out = content.kind == "sat_out"
        case "left":
            match.players.pop(content.player_id or "", None)
        case "finished":
            _end(match, "ended", at)
        case "closed":
            close(match, at)
        case _:
            pass


def _start(match: Match, at: datetime | None) -> None:
    if match.status != "started":
        match.status, match.started_at, match.ended_at = "started", at, None
        _rest(match)


def _end(match: Match, status: str, at: datetime | None) -> None:
    match.status = "ended" if status == "ended" else "abandoned"
    match.ended_at = match.ended_at or at
    _rest(match)


def _rest(match: Match) -> None:
    """No hand runs."""
    match.phase = _OUTSIDE_A_HAND.get(match.status, "over")
    match.active_player_id = None
    match.live = set()


def _read_state(match: Match) -> None:
    """Read who is to act and the phase from the game's public state, as far as it says them."""
    phase, current = match.public.get("phase"), match.public.get(_CURRENT)
    if match.game_type == HOLDEM:
        phase = match.public.get("betting_round", phase)
    match.phase = phase if isinstance(phase, str) and phase else "main"
    is_player = isinstance(current, str) and current in match.players
    match.active_player_id = current if is_player else None


def _seat_of(match: Match, player_id: str) -> int | None:
    player = match.players.get(player_id)
    return player.seat_number if player else None


def _next(match: Match, seat_number: int | None) -> str | None:
    """Return who of a Hold'em hand acts after a seat; None if nobody can."""
    if seat_number is None:
        return None
    waiting = [player for player in match.players.values() if player.player_id in match.live]
    # Seats after it, then those before it, then itself.
    waiting.sort(key=lambda player: (player.seat_number <= seat_number, player.seat_number))
    return waiting[0].player_id if waiting else None


def _time(event: TableEvent) -> datetime | None:
    try:
        at = datetime.fromisoformat(event.timestamp)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _newest(snapshot: RoomSnapshot) -> datetime | None:
    return _time(snapshot.events[-1]) if snapshot.events else None
