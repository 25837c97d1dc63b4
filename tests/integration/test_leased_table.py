"""A table process under a lease that is stopped beyond it, with real clocks and sockets.

All other cases are in `tests/table/leases`, on a virtual clock.
"""

import asyncio
import os
import signal
import threading
import time

import pytest
from casino_agentkit import AgentClient, HttpTransport, Service
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    NoInput,
    PlayerSeat,
    StartGameInput,
    TableSummary,
)
from support.casino.casino import process
from support.processes import PATIENCE_S, eventually
from support.served import serving
from support.table.leased_process import LeasingLobby
from support.table.table_side import CONFIG, SOON, Player, calling, configuring, seating

pytestmark = pytest.mark.full

LEASE_S = 1.5
CARD = "/.well-known/agent-card.json"


class HeldPlayers:
    """Players at threads of a server, whose answers a test may hold."""

    def __init__(self) -> None:
        self.asked_at: list[float] = []
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.is_held = threading.Event()
        self.agents = [Player(f"Player {number}", self._decide).agent() for number in range(2)]

    async def _decide(self, request: ActionRequest) -> ActionResponse:
        self.asked_at.append(time.monotonic())
        if not self.may_answer.is_set():
            self.is_held.set()
            await asyncio.to_thread(self.may_answer.wait, PATIENCE_S)
        return calling(request)

    async def are_asked(self, more: int) -> None:
        """Wait until they were asked more questions."""
        target = len(self.asked_at) + more

        async def is_asked() -> bool:
            return len(self.asked_at) >= target

        await eventually(is_asked)


@pytest.mark.parametrize("has_moved", [True, False])
async def test_a_stopped_process_asks_nobody_before_its_lobby_has_answered(
    *, has_moved: bool
) -> None:
    """It is free if its room has moved while it was stopped, within an open question."""
    lobby, players = LeasingLobby(time.monotonic), HeldPlayers()
    lobby.lease_ms = round(LEASE_S * 1000)
    service = Service(
        {"": lobby.agent(), **{f"/p{number}": agent for number, agent in enumerate(players.agents)}}
    )
    transport = HttpTransport()
    with serving(service.asgi(), service) as url:
        settings = {"CASINO_TABLE_LOBBY_URL": url, "CASINO_TABLE_ANNOUNCE_EVERY": "300ms"}
        async with process("table", "casino_table", ["--port", "0"], settings=settings) as child:
            table = await AgentClient(transport).resolve(child.cards[0], timeout=SOON)
            request = configuring(
                epoch=1,
                leaseMs=lobby.lease_ms,
                config={**CONFIG, "maxHands": 100_000, "rebuy": "auto"},
                casinoCallback={"agentCardUrl": url + CARD, "eventSkill": "recordGameEvent"},
            )
            await table.call("configureTable", request, TableSummary, timeout=SOON)
            for number in range(2):
                seat = seating(number, f"{url}/p{number}{CARD}")
                await table.call("registerPlayer", seat, PlayerSeat, timeout=SOON)
            await table.call("startGame", StartGameInput(), TableSummary, timeout=SOON)
            await players.are_asked(20)

            players.may_answer.clear()
            assert await asyncio.to_thread(players.is_held.wait, PATIENCE_S)
            os.kill(child.pid, signal.SIGSTOP)
            announced, asked = len(lobby.announcements), len(players.asked_at)

            async def is_lapsed() -> bool:
                return time.monotonic() > lobby.announcements[-1][0] + LEASE_S

            await eventually(is_lapsed)
            if has_moved:
                lobby.epoch = 2
            players.may_answer.set()
            os.kill(child.pid, signal.SIGCONT)
            if not has_moved:
                await players.are_asked(20)
                assert players.asked_at[asked] >= lobby.announcements[announced][0]
            else:

                async def is_free() -> bool:
                    summary = await table.call(
                        "tableSummary", NoInput(), TableSummary, timeout=SOON
                    )
                    return summary.table_id == ""

                await eventually(is_free)
                assert len(players.asked_at) == asked
                lobby.epoch = 1
            lobby.releases_after = 0
    await transport.close()
