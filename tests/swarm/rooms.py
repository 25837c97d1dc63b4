"""The rooms of a casino on other machines, over REST as an operator reaches them."""

from collections.abc import Sequence
from secrets import token_hex
from typing import Any, Self

import httpx
from casino_contracts import RoomList, RoomSummary
from support.casino.casino import GAME_RULES
from support.processes import PATIENCE_S, wait_for

from .stack import LIMIT_S

RULES = {**GAME_RULES, "maxHands": 1_000_000}
POLL_S = 0.25
"""The front allows an address 600 requests a minute."""


class Rooms:
    """All rooms of a casino."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"authorization": f"Bearer {key}"}
        self._http = httpx.Client(
            base_url=url, headers=headers, timeout=PATIENCE_S, trust_env=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def is_served(self) -> bool:
        try:
            return self._http.get("/readyz").is_success
        except httpx.TransportError:
            return False

    def open(self, room_id: str, cards: Sequence[str]) -> None:
        """Open a room, as soon as there is a table, and seat players, who begin."""
        self._send("/v1/rooms", {"roomId": room_id, "config": {**RULES, "maxSeats": len(cards)}})
        for card in cards:
            self._send(f"/v1/rooms/{room_id}/players", {"agentCardUrl": card})

    def listed(self) -> dict[str, RoomSummary]:
        reply = self._answer(self._http.build_request("GET", "/v1/rooms"))
        return {room.room_id: room for room in RoomList.model_validate_json(reply.content).rooms}

    def until_played(self) -> None:
        """Wait until every room has completed a further hand."""
        before = self.listed()

        def have_played() -> bool:
            return all(
                room.hand_count > before[room_id].hand_count
                for room_id, room in self.listed().items()
            )

        wait_for(have_played, LIMIT_S, every=POLL_S)

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

        wait_for(is_answered, LIMIT_S, every=POLL_S)
        (answer,) = answers
        assert answer.is_success, f"{request.method} {request.url}: {answer.text}"
        return answer
