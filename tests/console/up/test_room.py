"""The main room of `casino up`, followed over a lobby whose sessions end at any moment."""

import asyncio
import json
from io import StringIO

import httpx
from casino.lobby_api import LobbyApi
from casino.operator_key import FAULTS_KEY, OperatorKey
from casino.up.casino_plan import ROOM, CasinoPlan
from casino.up.run_report import Report
from casino.up.up_room import FaultReports, MainRoom
from casino_contracts import ActionRequest, ActionResponse
from rich.console import Console
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.table.table_side import calling

NAMES = ("ada", "grace", "guest")
WRITTEN = {"hand", "results"}


def results_in(written: StringIO) -> int:
    """Return how many sessions' results were reported."""
    return written.getvalue().count('"results"')


class EndsAfterEachRead(httpx.AsyncBaseTransport):
    """Passes requests on; players act only while events are read, until their session is over.

    So the reply has no event of that session, whose room is idle when the next request is sent.
    """

    def __init__(self, network: CasinoHarness, written: StringIO) -> None:
        self.starts: list[int] = []
        """How many results had been reported when each session was started."""
        self._written = written
        self._inner = httpx.ASGITransport(network.transport.apps[LOBBY])
        self._operator = Operator(network)
        self._may_act = asyncio.Event()

    async def act(self, request: ActionRequest) -> ActionResponse:
        """Check or call, once events are read."""
        await self._may_act.wait()
        return calling(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/start"):
            self.starts.append(results_in(self._written))
        response = await self._inner.handle_async_request(request)
        if request.url.path.endswith("/events"):
            await response.aread()
            self._may_act.set()
            await self._operator.idle_room(ROOM)
            self._may_act.clear()
        return response


async def test_a_session_that_ends_unread_is_reported_before_the_next_begins() -> None:
    """A guest keeps the seat, so that session after session is played."""
    network = CasinoHarness()
    async with network.tables.running(), network.lobby.running():
        text = StringIO()
        transport = EndsAfterEachRead(network, text)
        cards = [network.player(name, transport.act) for name in NAMES]
        report = Report(as_json=True, console=Console(file=text, width=1_000, soft_wrap=True))
        api = LobbyApi(LOBBY, transport)
        plan = CasinoPlan(2, (), tuple(cards[:2]), "seed", exits=False, has_gateway=True)
        faults = FaultReports(api, ROOM, OperatorKey(FAULTS_KEY), report)
        room = MainRoom(api, plan, report, faults)
        await room.open(cards[:2], network.table_card())
        assert await room.follow_session()
        assert (await Operator(network).seat(NAMES[2], ROOM)).status_code == 201
        playing = asyncio.create_task(room.keep_open())
        while results_in(text) < 3:
            await asyncio.sleep(0.01)
        playing.cancel()
        await asyncio.wait([playing])
        lines = [json.loads(line) for line in text.getvalue().splitlines()]
        written = [line.get("hand", line["event"]) for line in lines if line["event"] in WRITTEN]
        assert transport.starts[:3] == [0, 1, 2]
        assert written[:9] == [1, 2, "results", 3, 4, "results", 5, 6, "results"]
        await api.close()
