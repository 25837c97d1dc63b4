"""Nothing shows what a decision cost, what it thought or why it was a default before its hand ends.

Every path of the document that can be read is read, so that a new one is, too.
"""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from casino_contracts import ActionRequest, ActionResponse, Defaulted, Usage, seat_token
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.table.table_side import calling

KEY = "open-sesame"
PLACES = {"roomId": "r1", "playerId": "player-1", "slug": "standby"}
RUNNING = 3
NEWS = [f"{what} of hand {RUNNING}" for what in ("words", "model", "thoughts")]


class HeldHand:
    """Ada thinks aloud and fails by turns; in the third hand bob waits for her second decision."""

    def __init__(self) -> None:
        self.may_go_on = asyncio.Event()
        self.is_waiting = asyncio.Event()
        self.decisions = 0

    def ada(self, request: ActionRequest) -> ActionResponse:
        self.decisions += 1
        hand = f"of hand {request.hand_number}"
        said: dict[str, Any] = {"reasoning": f"thoughts {hand}"}
        said["usage"] = Usage(model=f"model {hand}", input_tokens=9)
        if self.decisions % 2:
            said["defaulted"] = Defaulted(reason="model_failed", detail=f"words {hand}")
        return calling(request).model_copy(update=said)

    async def bob(self, request: ActionRequest) -> ActionResponse:
        is_late = request.hand_number == RUNNING and request.betting_round == "turn"
        if is_late and not self.may_go_on.is_set():
            self.is_waiting.set()
            await self.may_go_on.wait()
        return calling(request)


async def streamed(harness: CasinoHarness, path: str, key: str | None) -> str:
    """Return the first page of a stream, which has everything so far."""
    sent, has_page = [b""], asyncio.Event()
    requests = iter([{"type": "http.request", "body": b""}])

    async def receive() -> dict[str, Any]:
        if (request := next(requests, None)) is None:
            await asyncio.Event().wait()
        return request or {}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent[0] += message.get("body", b"")
        if b"\n\n" in sent[0]:
            has_page.set()

    raw, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": raw,
        "raw_path": raw.encode(),
        "query_string": query.encode(),
        "headers": [(b"authorization", f"Bearer {key}".encode())] if key else [],
        "server": ("lobby", 80),
        "client": ("127.0.0.1", 1),
    }
    reading = asyncio.ensure_future(harness.transport.apps[LOBBY](scope, receive, send))
    await has_page.wait()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    return sent[0].decode()


async def ways(harness: CasinoHarness, key: str | None) -> dict[str, str]:
    """Return what is read by every path that the document names, and some that it does not."""
    http = harness.http(key)
    document = (await http.get("/openapi.json")).json()
    read: dict[str, str] = {}
    for template, methods in document["paths"].items():
        if "get" not in methods or template.startswith("/api/games"):  # of no room
            continue
        for number in (RUNNING - 1, RUNNING):
            path = template.replace("{handNumber}", str(number))
            for name, value in PLACES.items():
                path = path.replace(f"{{{name}}}", value)
            content = methods["get"]["responses"]["200"]["content"]
            if "image/png" in content:  # drawn by another process, from a completed hand alone
                continue
            if "text/event-stream" not in content:
                read[path] = (await http.get(path)).text
                continue
            late = ("?feed=commentator",) if key == KEY and "{roomId}" in template else ()
            for query in ("", "?after=0", *late):
                read[path + query] = await streamed(harness, path + query, key)
    for path in ("/", "/metrics", "/rooms/r1", f"/rooms/r1/hands/{RUNNING}"):
        read[path] = (await http.get(path)).text
    for more in ("?order=losses", "?order=faults"):
        path = f"/v1/rooms/r1/players/player-1/hands{more}"
        read[path] = (await http.get(path)).text
    return read


async def test_nothing_is_read_before_the_end_of_the_hand() -> None:
    """By nobody, by the operator, or by another player; afterwards all of it is there."""
    story = HeldHand()
    async with casino_harness(operator_token=KEY) as harness:
        operator = Operator(harness)
        await operator.open(maxHands=RUNNING, maxSeats=2, rebuy="auto", maxTimeouts=100)
        profile = {"model": "small", "publishesReasoning": True}
        harness.player("ada", story.ada, profile=profile)
        harness.player("bob", story.bob)
        for name in ("ada", "bob"):
            assert (await operator.seat(name)).status_code == 201
        await story.is_waiting.wait()
        await operator.until(lambda room: any(event.hand_id == "r1/3" for event in room.events))
        readers = {"anybody": None, "operator": KEY, "bob": seat_token("secret", "player-2")}
        read = {name: await ways(harness, key) for name, key in readers.items()}
        story.may_go_on.set()
        await operator.idle_room()
        after = "".join((await ways(harness, None)).values())
    for name, paths in read.items():
        for path, text in paths.items():
            assert not [news for news in NEWS if news in text], f"{name} reads it at {path}"
    text = "".join(read["anybody"].values())
    for news in NEWS:
        assert news.replace(str(RUNNING), str(RUNNING - 1)) in text, "the hand before is over"
        assert news in after
    assert "model_failed" in read["anybody"]["/v1/rooms/r1/events"]
