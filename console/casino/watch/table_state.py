"""State of one room and its table, projected from the public events."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from casino_contracts import (
    ActionTakenPayload,
    Card,
    GameActedPayload,
    GameCompletedPayload,
    GameStartedPayload,
    HandCompletedPayload,
    HandStartedPayload,
    PlayerBustedPayload,
    PlayerRegisteredPayload,
    RoomSnapshot,
    RoomSummary,
    StatusPayload,
    TableConfig,
    TableErrorPayload,
    TableEvent,
    WireModel,
)
from casino_contracts.event_content import HandCompleted, content_of

from casino.event_payload import payload_of
from casino.formatting import chips
from casino.public_state import action_words, facts_of, game_words
from casino.watch.partial_state import PartialState
from casino.watch.seat_state import SeatPicture, Seats, changed, dealt, paid, seated, without

MAX_LINES = 30
"""Number of the newest lines to keep."""


@dataclass(frozen=True)
class TablePicture:
    """Immutable state of a room and its table; every change returns a new one.

    Texts and names are untrusted: renderers must sanitize them.
    """

    room_id: str
    config: TableConfig
    status: str = "waiting"
    state: str | None = None
    hand: int | None = None
    """Number of the running or last hand."""
    button: int | None = None
    pot: float = 0
    board: tuple[Card, ...] = ()
    game: str = ""
    """Name of a game other than Hold'em, which has facts instead of blinds, board and pot."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """The public state of that game, by label."""
    outcome: str = ""
    """Result of the hand; "" while it runs."""
    seats: Seats = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    """The newest messages of events and players."""
    news: tuple[str, ...] = ()
    """The lines of the last event."""
    hands_seen: int = 0
    before: Mapping[str, float] = field(default_factory=dict)
    """Stacks at the start of the hand."""
    counted: tuple[int, int] = (0, 0)
    """Epoch and number of the last hand counted in the players' results."""

    @classmethod
    def of(cls, room: RoomSnapshot, previous: "TablePicture | None" = None) -> "TablePicture":
        """Return the state of a snapshot.

        Keeps the results of a `previous` state, so that each hand counts once.
        """
        players = room.summary.players if room.summary else ()
        picture = cls(
            room.room_id,
            room.config,
            seats=seated({}, *players),
            game=game_words(room.game_type),
        )
        if previous:
            seats = picture.seats
            for seat in previous.seats.values():
                seats = changed(seats, seat.player_id, partial(SeatPicture.wins, chips=seat.won))
            picture = replace(
                picture, seats=seats, hands_seen=previous.hands_seen, counted=previous.counted
            )
        for event in room.events:
            picture = picture.after(event)
        # The events may start in the middle of a hand: players and stacks are the summary's.
        present = {
            player.player_id: picture.seats[player.player_id].has(player.stack)
            for player in players
            if player.player_id in picture.seats
        }
        status = room.summary.status if room.summary else picture.status
        return replace(picture, seats=present, status=status, state=room.state)

    @property
    def in_order(self) -> list[SeatPicture]:
        """The seats in the order of their numbers."""
        return sorted(self.seats.values(), key=lambda seat: seat.number)

    def name(self, player_id: str) -> str:
        """Return a player's display name, or its id if it has no seat."""
        seat = self.seats.get(player_id)
        return seat.name if seat else player_id

    def after(self, event: TableEvent) -> "TablePicture":
        """Return the state after another event; an unreadable one adds only its message."""
        lines = [event.message]
        payload = payload_of(event)
        if isinstance(payload, ActionTakenPayload | GameActedPayload) and payload.message:
            lines.append(f"{self.name(payload.player_id)}: “{payload.message}”")
        if payload is None or isinstance(payload, TableErrorPayload):
            picture = _after_incomplete(self, event)
        else:
            picture = _after_game(_after(self, payload, event), payload, event)
        return replace(picture, lines=(*picture.lines, *lines)[-MAX_LINES:], news=tuple(lines))

    def closed(self, room: RoomSummary) -> "TablePicture":
        """Return the state of a closed room."""
        return replace(self, status=room.status, state=room.state)


def _after(picture: TablePicture, payload: WireModel | None, event: TableEvent) -> TablePicture:
    match payload:
        case PlayerRegisteredPayload():
            picture = replace(picture, seats=seated(picture.seats, payload))
        case HandStartedPayload():
            picture = _started(picture, payload)
        case ActionTakenPayload():
            act = partial(SeatPicture.acts, payload=payload)
            seats = changed(picture.seats, payload.player_id, act)
            picture = replace(picture, seats=seats, pot=payload.pot)
        case HandCompletedPayload():
            picture = _completed(picture, payload, event)
        case PlayerBustedPayload():
            picture = replace(picture, seats=without(picture.seats, payload.player_id))
        case StatusPayload():
            picture = _after_status(picture, payload)
    return picture


def _after_incomplete(picture: TablePicture, event: TableEvent) -> TablePicture:
    """Return the state after an event whose payload is not complete."""
    content = content_of(event)
    state = PartialState(picture.status, picture.seats).after(content)
    picture = replace(picture, status=state.status, seats=state.seats)
    if not isinstance(content, HandCompleted) or content.hand_number is None:
        return picture
    hand = (event.epoch or 1, content.hand_number)
    is_new = hand > picture.counted
    return replace(
        picture, hands_seen=picture.hands_seen + is_new, counted=max(hand, picture.counted)
    )


def _after_game(
    picture: TablePicture, payload: WireModel | None, event: TableEvent
) -> TablePicture:
    """Return the state after an event of a game other than Hold'em."""
    match payload:
        case GameStartedPayload():
            picture = replace(_dealt(picture, payload), game=game_words(payload.game_type))
            return _with_facts(picture, payload.state)
        case GameActedPayload():
            play = partial(SeatPicture.plays, action=action_words(payload), outcome=payload.outcome)
            seats = changed(picture.seats, payload.player_id, play)
            return _with_facts(replace(picture, seats=seats), payload.state)
        case GameCompletedPayload():
            return _game_completed(picture, payload, event)
    return picture


def _dealt(picture: TablePicture, payload: HandStartedPayload | GameStartedPayload) -> TablePicture:
    return replace(
        picture,
        status="running",
        state=None,
        hand=payload.hand_number,
        button=payload.button_seat,
        pot=0,
        board=(),
        outcome="",
        seats=dealt(picture.seats, *payload.players),
        before={player.player_id: player.stack for player in payload.players},
    )


def _started(picture: TablePicture, payload: HandStartedPayload) -> TablePicture:
    picture = _dealt(picture, payload)
    seats = picture.seats
    for forced in payload.posted:
        seats = changed(seats, forced.player_id, partial(SeatPicture.posts, forced=forced))
    return replace(picture, pot=sum(bet.amount for bet in payload.posted), seats=seats)


def _with_facts(picture: TablePicture, state: Mapping[str, Any]) -> TablePicture:
    names = {seat.player_id: seat.name for seat in picture.seats.values()}
    return replace(picture, facts=facts_of(state, names))


def _street(picture: TablePicture, board: tuple[Card, ...]) -> TablePicture:
    seats = {key: replace(seat, bet=0) for key, seat in picture.seats.items()}
    return replace(picture, board=board, seats=seats)


def _completed(
    picture: TablePicture, payload: HandCompletedPayload, event: TableEvent
) -> TablePicture:
    picture = _paid(_street(picture, payload.community_cards), payload, event)
    seats = picture.seats
    for shown in payload.shown:
        seats = changed(seats, shown.player_id, partial(SeatPicture.shows, hand=shown))
    return replace(picture, pot=sum(pot.amount for pot in payload.pots), seats=seats)


def _game_completed(
    picture: TablePicture, payload: GameCompletedPayload, event: TableEvent
) -> TablePicture:
    picture = _paid(picture, payload, event)
    if payload.house:
        verb = "wins" if payload.house > 0 else "loses"
        bank = f"the bank {verb} {chips(abs(payload.house))}"
        picture = replace(picture, outcome=f"{picture.outcome}, {bank}")
    public = payload.result.get("public")
    return _with_facts(picture, public) if isinstance(public, dict) else picture


def _paid(
    picture: TablePicture, payload: HandCompletedPayload | GameCompletedPayload, event: TableEvent
) -> TablePicture:
    hand = (event.epoch or 1, payload.hand_number)
    is_new = hand > picture.counted
    return replace(
        picture,
        outcome=event.message.partition(": ")[2] or event.message,
        seats=paid(picture.seats, picture.before if is_new else {}, *payload.stacks),
        hands_seen=picture.hands_seen + is_new,
        counted=max(hand, picture.counted),
    )


def _after_status(picture: TablePicture, payload: StatusPayload) -> TablePicture:
    picture = replace(picture, status=payload.status)
    seats, player_id = picture.seats, payload.player_id or ""
    match payload.kind:
        case "street_dealt":
            picture = _street(picture, payload.community_cards or ())
        case "sat_out" | "returned":
            sit = partial(SeatPicture.sits, is_out=payload.kind == "sat_out")
            picture = replace(picture, seats=changed(seats, player_id, sit))
        case "rebought" if payload.stack is not None:
            buy = partial(SeatPicture.has, stack=payload.stack)
            picture = replace(picture, seats=changed(seats, player_id, buy))
        case "left":
            picture = replace(picture, seats=without(seats, player_id))
        case "hand_cancelled":
            for dealt_in, stack in picture.before.items():
                seats = changed(seats, dealt_in, partial(SeatPicture.taken_back, stack=stack))
            picture = replace(
                picture, seats=seats, pot=0, board=(), facts={}, outcome="the hand is cancelled"
            )
        case "started" | "paused" | "finished" | "closed":
            state = None if payload.kind == "started" else payload.kind
            picture = replace(picture, state=state)
    return picture
