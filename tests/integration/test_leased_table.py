"""A table process under a lease: stopped, continued, and ended, with real clocks and sockets."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from casino_agentkit import AgentClient, Child, HttpTransport, Peer, Service
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    NoInput,
    PlayerSeat,
    StartGameInput,
    TableSummary,
)
from support.casino.live import GRACE, process
from support.processes import eventually
from support.served import serving
from support.table.leased_process import LeasingLobby
from support.table.table_side import CONFIG, SOON, Player, calling, configuring, seating

LEASE_S = 1.5
CARD = "/.well-known/agent-card.json"


class Room:
    """A table process that plays a leased room, its lobby and its players."""

    def __init__(self) -> None:
        self.lobby = LeasingLobby(time.monotonic)
        self.lobby.lease_ms = round(LEASE_S * 1000)
        self.asked_at: list[float] = []
        self._may_answer = threading.Event()
        self._may_answer.set()
        self._is_held = threading.Event()
        self.players = [Player(f"Player {number}", self._decide) for number in range(2)]
        agents = {f"/p{number}": player.agent() for number, player in enumerate(self.players)}
        self.service = Service({"": self.lobby.agent(), **agents})
        self.child: Child
        self.table: Peer

    async def _decide(self, request: ActionRequest) -> ActionResponse:
        self.asked_at.append(time.monotonic())
        if not self._may_answer.is_set():
            self._is_held.set()
            await asyncio.to_thread(self._may_answer.wait, SOON.total_seconds())
        return calling(request)

    async def hold_answer(self) -> None:
        """Hold the answer to the next question, and wait until that question is open."""
        self._may_answer.clear()
        assert await asyncio.to_thread(self._is_held.wait, SOON.total_seconds())

    def release_answer(self) -> None:
        """Send the answer that is held."""
        self._may_answer.set()

    @asynccontextmanager
    async def playing(self, data: Path | None) -> AsyncIterator[None]:
        """Run the process, open the room and start a session."""
        transport = HttpTransport()
        with serving(self.service.asgi(), self.service) as url:
            settings = {"CASINO_TABLE_LOBBY_URL": url, "CASINO_TABLE_ANNOUNCE_EVERY": "300ms"}
            if data is not None:
                settings["CASINO_TABLE_DATA"] = str(data)
            try:
                async with process(
                    "table", "casino_table", ["--port", "0"], settings=settings
                ) as self.child:
                    client = AgentClient(transport)
                    self.table = await client.resolve(self.child.cards[0], timeout=SOON)
                    await self._open(url)
                    yield
            finally:
                await transport.close()

    async def _open(self, url: str) -> None:
        request = configuring(
            epoch=1,
            leaseMs=round(LEASE_S * 1000),
            config={**CONFIG, "maxHands": 100_000, "rebuy": "auto"},
            casinoCallback={"agentCardUrl": url + CARD, "eventSkill": "recordGameEvent"},
        )
        await self.table.call("configureTable", request, TableSummary, timeout=SOON)
        for number in range(2):
            seat = seating(number, f"{url}/p{number}{CARD}")
            await self.table.call("registerPlayer", seat, PlayerSeat, timeout=SOON)
        await self.table.call("startGame", StartGameInput(), TableSummary, timeout=SOON)
        await self.asked_more()

    async def asked_more(self, questions: int = 20) -> None:
        """Wait until the players were asked more questions."""
        target = len(self.asked_at) + questions

        async def is_asked() -> bool:
            return len(self.asked_at) >= target

        await eventually(is_asked)

    async def summary(self) -> TableSummary:
        """Return what the table says about itself."""
        return await self.table.call("tableSummary", NoInput(), TableSummary, timeout=SOON)


@pytest.mark.parametrize("has_moved", [True, False])
@pytest.mark.parametrize("is_durable", [True, False])
async def test_a_stopped_process_asks_nobody_when_it_is_continued(
    tmp_path: Path, *, has_moved: bool, is_durable: bool
) -> None:
    """Before its lobby has answered; it is free if its room has moved, else play goes on.

    It is stopped while a question is open, so none is about to be sent when it continues.
    """
    room = Room()
    async with room.playing(tmp_path if is_durable else None):
        await room.hold_answer()
        os.kill(room.child.pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(2 * LEASE_S)  # the time for which the process is stopped
            announced, asked = len(room.lobby.announcements), len(room.asked_at)
            if has_moved:
                room.lobby.epoch = 2
        finally:
            room.release_answer()
            os.kill(room.child.pid, signal.SIGCONT)
        if not has_moved:
            await room.asked_more()
            first_answer = room.lobby.announcements[announced][0]
            assert room.asked_at[asked] >= first_answer
            return

        async def is_free() -> bool:
            return (await room.summary()).table_id == ""

        await eventually(is_free)
        assert len(room.asked_at) == asked


@pytest.mark.parametrize("is_durable", [True, False])
async def test_sigterm_hands_the_room_over(tmp_path: Path, *, is_durable: bool) -> None:
    """The running hand is played; the session is not finished; the process ends."""
    room = Room()
    room.lobby.releases_after = 3
    async with room.playing(tmp_path if is_durable else None):
        begun_at = time.monotonic()
        assert await room.child.stop(GRACE) == 0
        assert time.monotonic() - begun_at < 10
        kinds = [event.event_type for event in room.lobby.events]
        assert kinds.count("hand_started") == kinds.count("hand_completed") > 0
        said = {(event.payload or {}).get("kind") for event in room.lobby.events}
        assert not said & {"finished", "hand_cancelled", "closed"}
        assert room.lobby.leaving() == [None, "soon", "now"]
        goodbyes = [at for at, message in room.lobby.announcements if message.leaving == "now"]
        assert len(goodbyes) == 3
        assert max(room.asked_at) < goodbyes[0]
