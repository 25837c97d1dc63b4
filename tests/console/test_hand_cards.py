"""`casino room hand`: everybody's cards for operators, and a text to be pasted."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest
from casino_contracts import HandRecord
from pydantic import SecretStr
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.console_side import Ended, casino

KEY = "open-sesame"


@pytest.fixture
async def played() -> AsyncIterator[CasinoHarness]:
    """Play one hand of two players who have the same name."""
    harness = CasinoHarness(operator_token=SecretStr(KEY))
    async with harness.tables.running(), harness.lobby.running():
        operator = Operator(harness)
        await operator.open(maxHands=1, maxSeats=2)
        for name in ("ada", "bob"):
            harness.player(name, displayName="Twin")
            assert (await operator.seat(name)).status_code == 201
        await operator.idle_room()
        yield harness


async def hand(harness: CasinoHarness, *arguments: str, key: str | None = KEY) -> Ended:
    """Run `casino room hand`."""
    lobby = httpx.ASGITransport(harness.transport.apps[LOBBY])
    settings = {"CASINO_OPERATOR_TOKEN": key} if key else {}
    return await casino("room", "hand", "r1", "1", *arguments, to=lobby, environment=settings)


async def test_an_operator_reads_everybody_s_cards(played: CasinoHarness) -> None:
    """Behind the stacks; in JSON it is the record."""
    while (ended := await hand(played, "--cards", "--json")).exit_code:
        await asyncio.sleep(0)  # the record arrives after the hand's events
    record = HandRecord.model_validate(json.loads(ended.stdout))
    assert all(decision.question is None for decision in record.decisions)
    text = (await hand(played, "--cards")).stdout
    for hole in record.hole_cards:
        shown = " ".join(card.text for card in hole.cards)
        assert sum(line.endswith(f"  200  {shown}") for line in text.splitlines()) == 1


async def test_without_the_key_no_card_is_shown(played: CasinoHarness) -> None:
    """The setting is named, and nothing is written."""
    ended = await hand(played, "--cards", key=None)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "CASINO_OPERATOR_TOKEN" in ended.stderr


async def test_a_text_to_paste_has_the_history_alone(played: CasinoHarness) -> None:
    """No address of a lobby; the table tells players of one name apart."""
    whole = (await hand(played)).stdout
    text = (await hand(played, "--format", "text")).stdout
    assert whole.startswith(text)
    assert whole.removeprefix(text).startswith("replay  ")
    assert "  seat 0  Twin  200\n" in text
    assert "  seat 1  Twin (2)  200\n" in text
    as_json = (await hand(played, "--format", "json")).stdout
    assert json.loads(as_json)["hand"]["handNumber"] == 1
    assert (await hand(played, "--format", "text", "--json")).exit_code == 2
