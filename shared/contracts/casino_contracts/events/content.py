"""What a table event says: its payload, read field by field.

A table that knows only the protocol document leaves fields out or writes them in another shape.
A field that cannot be read is None or empty; the others still count, so a reader decides what it
needs. `PAYLOADS` holds the models of what our own tables write.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, Self

from casino_contracts.base import displayed
from casino_contracts.events import payload_fields as read
from casino_contracts.events.payload_fields import Field, Fields, HasPayload
from casino_contracts.events.payloads import AwardedPot, PlayerPoints, PotShare, ShownHand
from casino_contracts.events.table_event import EventType
from casino_contracts.player_messages import PlayerType
from casino_contracts.table_commands import PlayerSeat

_displayed = lru_cache(maxsize=1_024)(displayed)  # every hand names the same few players


class ReportedSeat(NamedTuple):
    """A player at the table, as an event describes it."""

    player_id: str
    seat_number: int | None
    display_name: str | None
    stack: float | None
    player_type: PlayerType | None = None

    @property
    def name(self) -> str:
        """The display name, or the id where there is none."""
        return self.display_name or self.player_id

    @property
    def complete(self) -> PlayerSeat | None:
        """The seat with defaults for its name and stack; None without a seat number."""
        if self.seat_number is None:
            return None
        return PlayerSeat(
            player_id=self.player_id,
            seat_number=self.seat_number,
            display_name=self.name,
            stack=self.stack or 0,
            player_type=self.player_type,
        )


class PlayerStack(NamedTuple):
    """A player's stack after something happened."""

    player_id: str
    stack: float | None


class PostedBet(NamedTuple):
    """A blind or an ante."""

    player_id: str
    kind: str | None
    amount: float | None


def _seat(fields: Fields) -> ReportedSeat | None:
    name = read.player_id(fields.get("playerId"))
    if name is None:
        return None
    return ReportedSeat(
        name,
        read.whole(fields.get("seatNumber")),
        _displayed(read.text(fields.get("displayName")) or "") or None,
        read.amount(fields.get("stack")),
        read.player_type(fields.get("playerType")),
    )


def _seats(value: object) -> tuple[ReportedSeat, ...]:
    return tuple(seat for item in read.objects(value) if (seat := _seat(item)))


def _bets(value: object) -> tuple[PostedBet, ...]:
    return tuple(
        PostedBet(name, read.text(bet.get("kind")), read.amount(bet.get("amount")))
        for bet in read.objects(value)
        if (name := read.player_id(bet.get("playerId"))) is not None
    )


def _stacks(value: object) -> tuple[PlayerStack, ...]:
    return tuple(
        PlayerStack(name, read.amount(item.get("stack")))
        for item in read.objects(value)
        if (name := read.player_id(item.get("playerId"))) is not None
    )


def _amounts(value: object) -> tuple[float | None, ...]:
    return tuple(read.amount(item.get("amount")) for item in read.objects(value))


def _winners(value: object) -> frozenset[str]:
    shares = (share for pot in read.objects(value) for share in read.objects(pot.get("winners")))
    winners = (read.player_id(share.get("playerId")) for share in shares if share.get("amount"))
    return frozenset(winner for winner in winners if winner is not None)


def _size(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


def _scores(value: object) -> Mapping[str, float] | None:
    scores = read.mapping(value)
    if scores is None:
        return None
    numbers = ((read.player_id(key), read.signed(score)) for key, score in scores.items())
    return {key: score for key, score in numbers if key is not None and score is not None}


class Content:
    """What an event says; a field is read when it is first asked for."""

    hand_number = Field(read.whole)

    def __init__(self, payload: Fields | None) -> None:
        self.fields: Fields = payload or {}


class PlayerRegistered(Content):
    """`player_registered`: a player took a seat."""

    agent_card_url = Field(read.text)
    action_skill = Field(read.text)
    plays_any_game = Field(read.is_true)
    clock_ms = Field(read.whole)

    def __init__(self, payload: Fields, seat: ReportedSeat) -> None:
        super().__init__(payload)
        self.seat = seat

    @classmethod
    def of(cls, payload: Fields | None) -> Self | None:
        """Read a payload; None if it does not name the player."""
        seat = _seat(payload) if payload else None
        return cls(payload, seat) if payload and seat else None


class HandStarted(Content):
    """`hand_started`: stacks are as before the forced bets."""

    players = Field(_seats)
    button_seat = Field(read.whole)
    small_blind = Field(read.amount)
    big_blind = Field(read.amount)
    ante = Field(read.amount)
    posted = Field(_bets)
    game_type = Field(read.text)
    state = Field(read.mapping)
    """The public state of a game other than Hold'em, which has None."""


class _OfPlayer(Content):
    """An event about one player."""

    player_id: str

    @classmethod
    def of(cls, payload: Fields | None) -> Self | None:
        name = read.player_id(payload.get("playerId")) if payload else None
        if name is None:
            return None
        content = cls(payload)
        content.player_id = name
        return content


class ActionTaken(_OfPlayer):
    """`action_taken`: one decision, with pot and stack after it."""

    betting_round = Field(read.text)
    action = Field(read.text)
    amount = Field(read.amount)
    """The player's total in this betting round."""
    pot = Field(read.amount)
    stack = Field(read.amount)
    outcome = Field(read.text)
    message = Field(read.text)
    reason = Field(read.text)
    """Why an answer was refused or none came; never public."""
    latency_ms = Field(read.whole)
    details = Field(read.mapping)
    """The whole action of a game other than Hold'em."""
    state = Field(read.mapping)
    """The public state after the action of a game other than Hold'em, which has None."""

    @property
    def fault(self) -> str | None:
        """Why the table acted in the player's place, in words; None if the player decided."""
        if self.outcome is None or self.outcome in {"ok", "retried"}:
            return None
        return self.outcome.replace("_", " ")


class HandCompleted(Content):
    """`hand_completed`: a hand or a round of a game is over and paid."""

    stacks = Field(_stacks)
    community_cards = Field(read.cards)
    board_size = Field(_size, "communityCards")
    pots = Field(read.messages(AwardedPot))
    winners = Field(_winners, "pots")
    """The players who won chips of a pot."""
    pot_amounts = Field(_amounts, "pots")
    """The amount of each pot, None where it cannot be read; winners are not needed."""
    returned = Field(read.message(PotShare))
    shown = Field(read.messages(ShownHand))
    scores = Field(_scores)
    """Chips won or lost by player, in a game other than Hold'em, which has None."""
    points = Field(read.messages(PlayerPoints))
    """The ranking of a game that is played for points, best first; else empty."""
    house = Field(read.signed)
    """What the bank won or, negative, lost."""
    result = Field(read.mapping)
    """The result of a game other than Hold'em."""

    @property
    def public_result(self) -> Fields | None:
        """The public state with which a game other than Hold'em ended."""
        return read.mapping(self.result.get("public")) if self.result else None


class PlayerBusted(_OfPlayer):
    """`player_busted`: a player lost the last chip and the seat."""


class StatusChanged(Content):
    """`table_status`: something about the table or one of its seats changed."""

    kind = Field(read.text)
    status = Field(read.status)
    player_id = Field(read.player_id)
    stack = Field(read.amount)
    amount = Field(read.amount)
    hands_left = Field(read.whole)
    plays_for = Field(read.text)
    betting_round = Field(read.text)
    community_cards = Field(read.cards)


class TableFailed(Content):
    """`table_error`: a failure; it changes nothing but the table's status."""

    status = Field(read.status)


EventContent = (
    PlayerRegistered
    | HandStarted
    | ActionTaken
    | HandCompleted
    | PlayerBusted
    | StatusChanged
    | TableFailed
)


def content_of(event: HasPayload) -> EventContent | None:
    """Return what an event says; None where it does not even name the player that it is about."""
    return _READERS[event.event_type](event.payload)


def hand_number_of(event: HasPayload) -> int | None:
    """Return the number of an event's hand, without reading what else it says."""
    return read.whole((event.payload or {}).get("handNumber"))


def stacks_of(players: Iterable[ReportedSeat | PlayerStack]) -> dict[str, float]:
    return {player.player_id: player.stack for player in players if player.stack is not None}


_READERS: dict[EventType, Callable[[Fields | None], EventContent | None]] = {
    "player_registered": PlayerRegistered.of,
    "hand_started": HandStarted,
    "action_taken": ActionTaken.of,
    "hand_completed": HandCompleted,
    "player_busted": PlayerBusted.of,
    "table_error": TableFailed,
    "table_status": StatusChanged,
}
