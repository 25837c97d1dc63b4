"""The seats of the process, found by token, owner and player, for a while also old ones."""

from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from casino_lobby_client.errors import CallRefused
from casino_seats.seat_agent import SeatPlace as AnyPlace
from casino_seats.seat_agent import digest_of

from casino_gateway.errors import RefusedSeat
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.store.seat_rows import StoredSeat

SeatPlace: TypeAlias = AnyPlace[StoredSeat, LiveSeat]


CLOSED_KEPT = 1_000
"""Seats that are given back, and still answer their owner what became of them."""


@dataclass(frozen=True)
class SeatLimits:
    """How many seats may be taken."""

    total: int = 2_000
    per_address: int = 20
    """Of one address (a /64 network for IPv6); 0: any number."""


class SeatIndex:
    """Indexes of seats. Tokens are held as digests only."""

    def __init__(self, limits: SeatLimits) -> None:
        self._limits = limits
        self._places: dict[str, SeatPlace] = {}
        """Seats that are taken or being taken, by id."""
        self._by_token: dict[bytes, SeatPlace] = {}
        self._by_player: dict[tuple[str, str], LiveSeat] = {}
        self._by_owner: dict[str, dict[str, LiveSeat]] = {}
        self._of_address: Counter[str] = Counter()
        self._closed: OrderedDict[str, SeatPlace] = OrderedDict()

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[LiveSeat]:
        return iter([place.seat for place in self._places.values() if place.seat is not None])

    def place(self, seat_id: str) -> SeatPlace | None:
        return self._places.get(seat_id)

    def refuse_beyond(self, address: str) -> None:
        if len(self._places) >= self._limits.total:
            raise CallRefused(
                RefusedSeat.TOO_MANY_SEATS,
                f"All {self._limits.total} seats of this gateway are taken; try again later.",
                503,
            )
        most = self._limits.per_address
        if address and most and self._of_address[address] >= most:
            raise CallRefused(
                RefusedSeat.TOO_MANY_SEATS,
                f"Your address has {most} seats at this gateway; leave one first.",
                429,
            )

    def reserve(self, place: SeatPlace) -> None:
        self._places[place.stored.seat_id] = place
        if place.stored.address:
            self._of_address[place.stored.address] += 1

    def free(self, place: SeatPlace) -> None:
        address = place.stored.address
        if self._places.pop(place.stored.seat_id, None) is not None and address:
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]

    def add(self, place: SeatPlace, seat: LiveSeat) -> None:
        identity = seat.identity
        self._by_token[place.stored.token_digest] = place
        self._by_player[identity.room_id, identity.player_id] = seat
        self._by_owner.setdefault(identity.owner, {})[identity.seat_id] = seat

    def retire(self, place: SeatPlace) -> list[str]:
        """Free a seat, whose token finds it for a while; returns the ids that are found no more."""
        self.free(place)
        self._closed[place.stored.seat_id] = place
        forgotten = []
        while len(self._closed) > CLOSED_KEPT:
            seat_id, oldest = self._closed.popitem(last=False)
            self._forget(oldest)
            forgotten.append(seat_id)
        return forgotten

    def forget_before(self, at: datetime) -> list[str]:
        old = [
            seat_id
            for seat_id, place in self._closed.items()
            if place.seat is None or place.seat.closed is None or place.seat.closed.at < at
        ]
        for seat_id in old:
            self._forget(self._closed.pop(seat_id))
        return old

    def by_token(self, token: str) -> LiveSeat | None:
        place = self._by_token.get(digest_of(token))
        return place.seat if place is not None else None

    def of_owner(self, owner: str) -> list[LiveSeat]:
        return [seat for seat in self._by_owner.get(owner, {}).values() if seat.closed is None]

    def in_room(self, room_id: str, player_id: str) -> LiveSeat | None:
        return self._by_player.get((room_id, player_id))

    def _forget(self, place: SeatPlace) -> None:
        self._by_token.pop(place.stored.token_digest, None)
        seat = place.seat
        if seat is None:
            return
        identity = seat.identity
        if self._by_player.get((identity.room_id, identity.player_id)) is seat:
            del self._by_player[identity.room_id, identity.player_id]
        owned = self._by_owner.get(identity.owner, {})
        owned.pop(identity.seat_id, None)
        if not owned:
            self._by_owner.pop(identity.owner, None)
