"""The rooms of a casino on other machines, watched and audited over REST."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, Self

import httpx
from casino_contracts import EventPage, RoomList, RoomSnapshot, RoomSummary, TableEvent

from support.casino.auditor import RoomAudit
from support.processes import wait_for

RULES = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 1_000_000,
    "rebuy": "auto",
}
PATIENCE_S = 120.0
"""For a lobby that serves."""
POLL_S = 0.25
"""The front allows an address 600 requests a minute."""
_PAGE = 1_000
_ENDED = {"finished", "closed"}


@dataclass
class RoomHistory:
    """What a room's events say; each is audited once."""

    audit: RoomAudit
    ended: int = 0
    """How many sessions have."""
    dealt: list[datetime] = field(default_factory=list)
    """When each hand began, by its table's clock."""

    def take(self, event: TableEvent) -> None:
        """Add the next event; raises Irregular."""
        self.audit.take(event)
        self.ended += (event.payload or {}).get("kind") in _ENDED
        if event.event_type == "hand_started":
            self.dealt.append(datetime.fromisoformat(event.timestamp).astimezone(UTC))

    def dealt_after(self, moment: datetime) -> float | None:
        """Return after how many seconds the next hand began; None: none has."""
        return next((seconds_of(moment, at) for at in self.dealt if at > moment), None)

    def longest_pause(self, since: datetime) -> float:
        """Return the longest time between two hands that began after a moment, in seconds."""
        moments = (since, *(at for at in self.dealt if at > since))
        return max(seconds_of(*pair) for pair in itertools.pairwise(moments))


def seconds_of(begin: datetime, end: datetime) -> float:
    """Return the seconds between two moments."""
    return round((end - begin).total_seconds(), 1)


class Rooms:
    """All rooms of a casino, as an operator reaches them."""

    def __init__(self, url: str, key: str) -> None:
        self._http = httpx.Client(
            base_url=url,
            headers={"authorization": f"Bearer {key}"},
            timeout=30,
            trust_env=False,
        )

        self._histories: dict[str, RoomHistory] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def is_served(self) -> bool:
        try:
            return self._http.get("/readyz", timeout=2).is_success
        except httpx.TransportError:
            return False

    def open(self, room_id: str, cards: Sequence[str]) -> None:
        """Open a room, as soon as there is a table, and seat players, who begin."""
        self._send("/v1/rooms", {"roomId": room_id, "config": {**RULES, "maxSeats": len(cards)}})
        for card in cards:
            self._send(f"/v1/rooms/{room_id}/players", {"agentCardUrl": card})

    def listed(self) -> dict[str, RoomSummary]:
        page = RoomList.model_validate_json(self._get("/v1/rooms").content)
        return {room.room_id: room for room in page.rooms}

    def until_played(self, seconds: float) -> None:
        """Wait until every room has completed a further hand."""
        before = self.listed()

        def have_played() -> bool:
            return all(
                room.hand_count > before[room_id].hand_count
                for room_id, room in self.listed().items()
            )

        wait_for(have_played, seconds, every=POLL_S)

    def history(self, room_id: str) -> RoomHistory:
        """Read and audit the new events of a room; raises Irregular."""
        history = self._histories.setdefault(room_id, RoomHistory(RoomAudit(room_id)))
        for event in self._new_events(history.audit):
            history.take(event)
        history.audit.check_whole()
        return history

    def _new_events(self, audit: RoomAudit) -> Iterator[TableEvent]:
        path = f"/v1/rooms/{audit.room_id}"
        room = RoomSnapshot.model_validate_json(self._get(path).content)
        for epoch in range(audit.epoch, (room.epoch or 1) + 1):
            after = audit.sequence if epoch == audit.epoch else 0
            while True:
                query = f"after={after}&limit={_PAGE}&epoch={epoch}"
                page = EventPage.model_validate_json(self._get(f"{path}/events?{query}").content)
                yield from page.events
                if len(page.events) < _PAGE:
                    break
                after = audit.sequence

    def _get(self, path: str) -> httpx.Response:
        return self._answer(self._http.build_request("GET", path))

    def _send(self, path: str, body: dict[str, Any]) -> None:
        """Send a command; again, with its key, until there is a lobby and a free table."""
        key = {"idempotency-key": token_hex(8)}
        self._answer(self._http.build_request("POST", path, json=body, headers=key))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        answers: list[httpx.Response] = []

        def is_answered() -> bool:
            try:
                answer = self._http.send(request)
            except httpx.TransportError:  # its lobby was lost
                return False
            if answer.is_server_error or (answer.is_error and "NO_TABLE" in answer.text):
                return False
            answers.append(answer)
            return True

        wait_for(is_answered, PATIENCE_S, every=POLL_S)
        (answer,) = answers
        assert answer.is_success, f"{request.method} {request.url}: {answer.text}"
        return answer
