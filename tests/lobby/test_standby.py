"""A lobby that stands by, takes over, and is unsure of its database."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from casino_agentkit import RemoteRefused
from casino_contracts import NoInput, RoomList
from casino_lobby.standby import Activation
from casino_lobby.store import MemoryStore, StoreFailed
from support.casino.casino_side import LOBBY, CasinoHarness
from support.processes import run_until
from support.table.table_side import SOON


class SharedStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__(1000)
        self.is_taken = False
        self.is_confirmed = True
        self.claims = 0
        self.opened = 0
        self.fault: str | None = None

    @property
    def is_held(self) -> bool:
        return self.is_confirmed

    async def claim(self) -> bool:
        self.claims += 1
        if self.fault is not None:
            raise StoreFailed(self.fault)
        return not self.is_taken

    async def open(self) -> None:
        self.opened += 1


class Waiting:
    """An activation that counts its pauses."""

    def __init__(self) -> None:
        self.store = SharedStore()
        self.failures = 0
        self.pauses = 0
        self.is_unreadable = False
        self.interruptions = 0
        self.activation = Activation(
            self.store, self._open, self._fail, self._interrupt, self._sleep
        )

    async def _open(self) -> None:
        await self.store.open()
        if self.is_unreadable:
            raise StoreFailed("the database is of another release")

    def _fail(self) -> None:
        self.failures += 1

    def _interrupt(self) -> None:
        self.interruptions += 1

    async def _sleep(self, seconds: float) -> None:
        assert seconds <= 1
        self.pauses += 1
        await asyncio.sleep(seconds)


@pytest.fixture
async def waiting() -> AsyncIterator[Waiting]:
    """Return an activation that is stopped at the end."""
    made = Waiting()
    yield made
    await made.activation.stop()


class TestActivation:
    async def test_a_taken_store_is_opened_once_it_is_free(self, waiting: Waiting) -> None:
        waiting.store.is_taken = True
        await waiting.activation.start()
        assert "another lobby is active" in (waiting.activation.standby() or "")
        await run_until(lambda: waiting.store.claims > 10)
        assert waiting.store.opened == 0
        waiting.store.is_taken = False
        await run_until(lambda: waiting.activation.standby() is None)
        assert (waiting.store.opened, waiting.failures) == (1, 0)

    async def test_a_database_that_is_away_is_asked_again(self, waiting: Waiting) -> None:
        waiting.store.is_taken = True
        await waiting.activation.start()
        waiting.store.fault = "refused"
        claims = waiting.store.claims
        await run_until(lambda: waiting.store.claims > claims + 5)
        waiting.store.fault, waiting.store.is_taken = None, False
        await run_until(lambda: waiting.activation.standby() is None)

    async def test_streams_end_once_the_store_is_lost(self, waiting: Waiting) -> None:
        """Their clients continue at the lobby that has it now."""
        await waiting.activation.start()
        await run_until(lambda: waiting.pauses > 5)
        assert waiting.interruptions == 0
        waiting.store.is_confirmed = False
        await run_until(lambda: waiting.interruptions > 0)
        assert "lost its connection" in (waiting.activation.standby() or "")

    async def test_a_start_without_a_database_fails(self, waiting: Waiting) -> None:
        waiting.store.fault = "no such host"
        with pytest.raises(StoreFailed, match="no such host"):
            await waiting.activation.start()

    async def test_a_takeover_that_fails_is_reported(self, waiting: Waiting) -> None:
        waiting.store.is_taken = True
        await waiting.activation.start()
        waiting.is_unreadable, waiting.store.is_taken = True, False
        await run_until(lambda: waiting.failures == 1)
        assert waiting.activation.standby() is not None


REFUSED = (
    *("GET /", "GET /page/app.js", "GET /openapi.json", "GET /problems/standby", "GET /nowhere"),
    *("GET /v1/rooms", "GET /v1/rooms/main", "GET /v1/tables", "GET /v1/config"),
    *("GET /v1/stream", "GET /v1/rooms/main/stream", "GET /api/games", "GET /ui/state"),
    *("POST /v1/rooms", "POST /v1/rooms/main/start", "DELETE /v1/rooms/main"),
)


class TestRefusals:
    async def test_a_standby_neither_reads_nor_changes_rooms(self) -> None:
        store = SharedStore()
        store.is_taken = True
        harness = CasinoHarness(store=store)
        async with harness.lobby.running(), harness.http() as http:
            assert (await http.get("/healthz")).status_code == 200
            ready = await http.get("/readyz")
            assert (ready.status_code, ready.json()["status"]) == (503, "standby")
            assert "another lobby is active" in ready.json()["detail"]
            for request in REFUSED:
                method, path = request.split()
                reply = await http.request(method, path)
                assert reply.status_code == 503, f"{request}: {reply.text}"
                assert reply.json()["reason"] == "STANDBY"
                assert reply.json()["type"] == "/problems/standby"
                assert reply.headers["retry-after"] == "1"
                assert reply.headers["connection"] == "close"
            assert "casino_lobby_active 0.0" in (await http.get("/metrics")).text
            peer = await harness.a2a().resolve(LOBBY, timeout=SOON)
            with pytest.raises(RemoteRefused) as refusal:
                await peer.call("listRooms", NoInput(), RoomList, timeout=SOON)
            assert refusal.value.reason == "STANDBY"

    async def test_an_unsure_lobby_answers_nothing_of_its_memory(self) -> None:
        store = SharedStore()
        harness = CasinoHarness(store=store)
        async with harness.tables.running(), harness.lobby.running(), harness.http() as http:
            assert (await http.get("/v1/rooms")).status_code == 200
            store.is_confirmed = False
            refused = await http.get("/v1/rooms")
            assert (refused.status_code, refused.json()["reason"]) == (503, "STANDBY")
            assert "lost its connection" in refused.json()["detail"]
            assert (await http.get("/healthz")).status_code == 200
            assert (await http.get("/readyz")).status_code == 503
            store.is_confirmed = True
            assert (await http.get("/v1/rooms")).status_code == 200
            assert (await http.get("/readyz")).status_code == 200
