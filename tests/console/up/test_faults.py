"""Why decisions failed, as `casino up` and `casino room faults` write it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO

import httpx
import pytest
import pytest_asyncio
from casino.lobby_api import LobbyApi
from casino.operator_key import CONSOLE_KEY, FAULTS_KEY, OperatorKey
from casino.up.run_report import Report
from casino.up.session_score import CountedHand, Score
from casino.up.up_room import FaultReports
from casino_agentkit import CommandRefused
from casino_contracts import ActionRequest, ActionResponse, Reason
from rich.console import Console
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.console_side import at_lobby, event
from support.players.holdem_players import illegal
from support.table.table_side import calling

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEY = "the-key-of-the-console"
HANDS = 6


def failing(_request: ActionRequest) -> ActionResponse:
    """Refuse, with markup and escape sequences."""
    raise CommandRefused(Reason.UNSUPPORTED, "the model\nis [red]down[/red]\x1b[2J")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played() -> AsyncIterator[CasinoHarness]:
    """Run a casino without an operator key in which a session with faults was played."""
    async with casino_harness(faults_token=KEY) as network:
        operator = Operator(network)
        await operator.open("main", maxHands=HANDS, maxSeats=3, maxTimeouts=2, rebuy="auto")
        for name, decide in (("calls", calling), ("fails", failing), ("errs", illegal)):
            network.player(name, decide)
            assert (await operator.seat(name, "main")).status_code == 201
        await operator.idle_room("main")
        yield network


@asynccontextmanager
async def reporting(
    network: CasinoHarness, *, as_json: bool = False, key: str = KEY
) -> AsyncIterator[tuple[FaultReports, Score, StringIO]]:
    """Give what reports that session's faults, its score, and what is written."""
    text = StringIO()
    report = Report(as_json=as_json, console=Console(file=text, width=300, soft_wrap=True))
    api = LobbyApi(LOBBY, httpx.ASGITransport(network.transport.apps[LOBBY]))
    score = Score()
    for one in (await api.events("main", 0, 1)).events:
        score.add(one)
    yield FaultReports(api, "main", OperatorKey(FAULTS_KEY, key), report), score, text
    await api.close()


async def written(network: CasinoHarness, *, as_json: bool, key: str = KEY) -> str:
    """Return what `casino up` writes of that session, two polls at its end."""
    async with reporting(network, as_json=as_json, key=key) as (reports, score, text):
        for _ in range(2):
            await reports.after_hands(score, [CountedHand(HANDS, 0, (), {}, "")])
        Report(as_json=as_json, console=Console(file=text, width=300, soft_wrap=True)).results(
            score
        )
        return text.getvalue()


async def test_each_new_kind_of_fault_is_a_line(played: CasinoHarness) -> None:
    """Once, with its reason as one line of text; the results have counts and the last reason."""
    text = await written(played, as_json=False)
    assert text.count("fails, hand 1: malformed, the model is [red]down[/red] [2J\n") == 1
    assert text.count("errs, hand ") == 1
    assert "is not possible now; legal are" in text
    lines = {line.partition(":")[0]: line for line in text.splitlines()}
    assert "malformed, " in lines["fails"]
    assert " sitting out; last, hand " in lines["fails"]
    assert lines["fails"].endswith("malformed, the model is [red]down[/red] [2J")
    assert "illegal" in lines["errs"]
    assert "calls" not in lines
    assert not {one for one in text if not one.isprintable()} - {"\n"}


async def test_programs_get_them_as_json(played: CasinoHarness) -> None:
    """A line each, and the last one with the results."""
    lines = [json.loads(line) for line in (await written(played, as_json=True)).splitlines()]
    faults = {line["name"]: line for line in lines if line["event"] == "fault"}
    assert faults.keys() == {"fails", "errs"}
    assert (faults["fails"]["hand"], faults["fails"]["outcome"]) == (1, "malformed")
    results = {player["name"]: player for player in lines[-1]["players"]}
    assert results["calls"]["lastFault"] is None
    assert results["fails"]["lastFault"]["reason"] == faults["fails"]["reason"]
    assert results["fails"]["outcomes"]["sitting_out"] > 0


async def test_without_the_key_there_are_counts(played: CasinoHarness) -> None:
    """A lobby of an earlier release, or one with another key."""
    text = await written(played, as_json=False, key="another")
    assert "the model" not in text
    assert "; last" not in text
    (line,) = [line for line in text.splitlines() if line.startswith("fails: ")]
    assert " malformed, " in line


async def test_a_running_hand_is_read_again_when_it_is_over(played: CasinoHarness) -> None:
    async with reporting(played) as (reports, score, text):
        await reports.after_hands(score, [])
        await reports.after_hands(score, [CountedHand(0, 0, (), {}, "")])
        assert text.getvalue() == ""
        await reports.after_hands(score, [CountedHand(HANDS, 0, (), {}, "")])
        assert "fails, hand 1: malformed" in text.getvalue()


async def test_a_turn_of_a_seat_that_sits_out_is_no_fault() -> None:
    score = Score()
    seat = {"playerId": "p1", "displayName": "Ada", "seatNumber": 0, "stack": 200}
    score.add(event("player_registered", **seat))
    for outcome in ("ok", "retried", "timeout", "sitting_out", "sitting_out"):
        score.add(event("action_taken", playerId="p1", outcome=outcome))
    player = score.players["p1"]
    assert (player.faults, player.failed_answers, player.outcomes["sitting_out"]) == (1, 2, 2)


async def test_the_command_lists_them_newest_first(played: CasinoHarness) -> None:
    command = ("room", "faults", "main", "player-2")
    public = await at_lobby(played, *command)
    assert public.exit_code == 0, public.stderr
    assert "malformed " in public.stdout
    assert "sitting out " in public.stdout
    assert "a key is needed" in public.stdout
    assert "the model" not in public.stdout
    listed = (await at_lobby(played, *command, **{CONSOLE_KEY: KEY})).stdout
    assert "the model is [red]down[/red] [2J" in listed
    assert "sits out after 2 failures in a row; nothing was asked" in listed
    assert json.loads((await at_lobby(played, *command, "--json")).stdout)["playerId"] == "player-2"
