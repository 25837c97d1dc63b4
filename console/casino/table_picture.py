"""A table as a spectator sees it: a pure fold of its public events."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from casino_contracts import (
    PAYLOADS,
    ActionTakenPayload,
    Card,
    HandCompletedPayload,
    HandStartedPayload,
    PlayerBustedPayload,
    PlayerRegisteredPayload,
    RoomSnapshot,
    RoomSummary,
    StatusPayload,
    TableConfig,
    TableEvent,
    WireModel,
)
from pydantic import ValidationError

from casino.seat_picture import SeatPicture, Seats, changed, seated, without

TOLD_KEPT = 30
"""So many of the newest lines are kept."""


@dataclass(frozen=True)
class TablePicture:
    """A room and its table at one moment; every change makes a new picture.

    Texts and names are as their authors wrote them: whoever shows them tames them.
    """

    room_id: str
    config: TableConfig
    status: str = "waiting"
    state: str | None = None
    hand: int | None = None
    """The hand that runs, or ran last."""
    button: int | None = None
    pot: float = 0
    board: tuple[Card, ...] = ()
    outcome: str = ""
    """How the hand ended; "" while it runs."""
    seats: Seats = field(default_factory=dict)
    told: tuple[str, ...] = ()
    """The newest lines, what was said at the table among them."""
    news: tuple[str, ...] = ()
    """Those of the last event."""
    hands_seen: int = 0
    before: Mapping[str, float] = field(default_factory=dict)
    """Stacks when the hand began."""
    counted: tuple[int, int] = (0, 0)
    """Epoch and number of the last hand that is in the players' results."""

    @classmethod
    def of(cls, room: RoomSnapshot, known: "TablePicture | None" = None) -> "TablePicture":
        """Return the picture that a snapshot gives.

        What was `known` before an interruption keeps its results: a hand counts once.
        """
        players = room.summary.players if room.summary else ()
        picture = cls(room.room_id, room.config, seats=seated({}, *players))
        if known:
            seats = picture.seats
            for seat in known.seats.values():
                seats = changed(seats, seat.player_id, partial(SeatPicture.wins, chips=seat.won))
            picture = replace(
                picture, seats=seats, hands_seen=known.hands_seen, counted=known.counted
            )
        for event in room.events:
            picture = picture.after(event)
        # The newest events may begin anywhere: who sits there, and with what, the summary knows.
        present = {
            player.player_id: picture.seats[player.player_id].has(player.stack)
            for player in players
            if player.player_id in picture.seats
        }
        status = room.summary.status if room.summary else picture.status
        return replace(picture, seats=present, status=status, state=room.state)

    @property
    def in_order(self) -> list[SeatPicture]:
        """The seats by their numbers."""
        return sorted(self.seats.values(), key=lambda seat: seat.number)

    def name(self, player_id: str) -> str:
        """Return what a player calls himself."""
        seat = self.seats.get(player_id)
        return seat.name if seat else player_id

    def after(self, event: TableEvent) -> "TablePicture":
        """Return the picture after one more event; one that cannot be read is only told."""
        told = [event.message]
        picture = self
        match _payload(event):
            case PlayerRegisteredPayload() as player:
                picture = replace(self, seats=seated(self.seats, player))
            case HandStartedPayload() as payload:
                picture = _begun(self, payload)
            case ActionTakenPayload() as payload:
                act = partial(SeatPicture.acts, payload=payload)
                seats = changed(self.seats, payload.player_id, act)
                picture = replace(self, seats=seats, pot=payload.pot)
                if payload.message:
                    told.append(f"{self.name(payload.player_id)}: “{payload.message}”")
            case HandCompletedPayload() as payload:
                picture = _completed(self, payload, event)
            case PlayerBustedPayload() as payload:
                picture = replace(self, seats=without(self.seats, payload.player_id))
            case StatusPayload() as payload:
                picture = _turned(self, payload)
        return replace(picture, told=(*picture.told, *told)[-TOLD_KEPT:], news=tuple(told))

    def closed(self, room: RoomSummary) -> "TablePicture":
        """Return the picture of a room that is over."""
        return replace(self, status=room.status, state=room.state)


def _payload(event: TableEvent) -> WireModel | None:
    """Return the payload as its kind has it; None for a stranger's that has another shape."""
    try:
        return PAYLOADS[event.event_type].model_validate(event.payload or {})
    except ValidationError:
        return None


def _begun(picture: TablePicture, payload: HandStartedPayload) -> TablePicture:
    seats: Seats = {key: seat.between_hands() for key, seat in picture.seats.items()}
    seats = seated(seats, *payload.players)
    for player in payload.players:
        seats = changed(seats, player.player_id, SeatPicture.dealt_in)
    for forced in payload.posted:
        seats = changed(seats, forced.player_id, partial(SeatPicture.posts, forced=forced))
    return replace(
        picture,
        status="running",
        state=None,
        hand=payload.hand_number,
        button=payload.button_seat,
        pot=sum(bet.amount for bet in payload.posted),
        board=(),
        outcome="",
        seats=seats,
        before={player.player_id: player.stack for player in payload.players},
    )


def _street(picture: TablePicture, board: tuple[Card, ...]) -> TablePicture:
    seats = {key: replace(seat, bet=0) for key, seat in picture.seats.items()}
    return replace(picture, board=board, seats=seats)


def _completed(
    picture: TablePicture, payload: HandCompletedPayload, event: TableEvent
) -> TablePicture:
    hand = (event.epoch or 1, payload.hand_number)
    is_new = hand > picture.counted
    picture = _street(picture, payload.community_cards)
    seats = picture.seats
    for after in payload.stacks:
        won = after.stack - picture.before.get(after.player_id, after.stack) if is_new else 0
        win = partial(SeatPicture.wins, chips=won, stack=after.stack)
        seats = changed(seats, after.player_id, win)
    for shown in payload.shown:
        seats = changed(seats, shown.player_id, partial(SeatPicture.shows, hand=shown))
    return replace(
        picture,
        pot=sum(pot.amount for pot in payload.pots),
        outcome=event.message.partition(": ")[2] or event.message,
        seats=seats,
        hands_seen=picture.hands_seen + is_new,
        counted=max(hand, picture.counted),
    )


def _turned(picture: TablePicture, payload: StatusPayload) -> TablePicture:
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
            for dealt, stack in picture.before.items():
                seats = changed(seats, dealt, partial(SeatPicture.taken_back, stack=stack))
            picture = replace(
                picture, seats=seats, pot=0, board=(), outcome="the hand is cancelled"
            )
        case "started" | "paused" | "finished" | "closed":
            state = None if payload.kind == "started" else payload.kind
            picture = replace(picture, state=state)
    return picture
