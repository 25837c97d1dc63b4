"""Notices reach a player one after the other, twice at most, and few of them wait."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import AgentError, RemoteRefused, Unreachable
from casino_contracts import HandNotice
from casino_table.domain.seat import Seat
from casino_table.play.hand_notices import MOST_PLAYERS, MOST_WAITING, NoticeSender
from casino_table.play.lease import Lease
from support.table.virtual_clock import VirtualClock

URL = "http://p{}/.well-known/agent-card.json"
DEAD = Unreachable("http://p", "connection refused")
NO = RemoteRefused("http://p", "not today", code=-32004, reason="BUSY")


def seat(number: int) -> Seat:
    card = URL.format(number)
    return Seat(
        number, f"p{number}", f"P{number}", card, "act", 200, token=f"token of seat {number}"
    )


def notice(number: int) -> HandNotice:
    return HandNotice(
        table_id="t1",
        game_type="texas-holdem",
        spec_version="1.0.0",
        player_id="p0",
        hand_id=f"t1/{number}",
        hand_number=number,
        kind="dealt",
    )


class Players:
    """A directory with one agent for all cards, whose calls can fail or wait."""

    def __init__(self, *troubles: AgentError, skills: frozenset[str] | None = None) -> None:
        directory: Any = self
        self.sender = NoticeSender(directory, VirtualClock())
        self.skills = frozenset({"act", "notify"}) if skills is None else skills
        self.troubles = list(troubles)
        self.taken: list[int] = []
        self.tokens: set[str | None] = set()
        self.read: list[str] = []
        self.is_cached = True
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.card: asyncio.Future[None] | None = None
        """Set when a card can be read, or its error; None: at once."""

    async def joined(self, card_url: str, _timeout: timedelta) -> Any:
        self.read.append(card_url)
        if self.card is not None and not self.is_cached:
            await asyncio.shield(self.card)
            self.is_cached = True
        return self

    def cached(self, _card_url: str) -> Any:
        """Return the agent, unless its card was not read."""
        return self if self.is_cached else None

    async def call(self, skill: str, content: bytes, *_: Any, token: str | None, **__: Any) -> None:
        assert skill == "notify"
        self.tokens.add(token)
        await self.may_answer.wait()
        if self.troubles:
            raise self.troubles.pop(0)
        self.taken.append(HandNotice.model_validate_json(content).hand_number)


async def test_notices_come_in_order_with_the_seat_token() -> None:
    players = Players()
    for number in range(1, MOST_WAITING + 1):
        players.sender.send(seat(0), notice(number), Lease())
    await players.sender.wait()
    assert players.taken == list(range(1, MOST_WAITING + 1))
    assert players.tokens == {"token of seat 0"}


@pytest.mark.parametrize(
    ("troubles", "taken"), [([DEAD], [1, 2]), ([DEAD, DEAD], [2]), ([NO], [2])]
)
async def test_a_notice_is_sent_again_once(troubles: list[AgentError], taken: list[int]) -> None:
    """If the player cannot be reached; one that is refused is not."""
    players = Players(*troubles)
    players.sender.send(seat(0), notice(1), Lease())
    players.sender.send(seat(0), notice(2), Lease())
    await players.sender.wait()
    assert players.taken == taken


async def test_a_slow_player_misses_the_oldest_waiting_notices() -> None:
    players = Players()
    players.may_answer.clear()
    players.sender.send(seat(0), notice(1), Lease())
    await asyncio.sleep(0)  # its call begins
    for number in range(2, 101):
        players.sender.send(seat(0), notice(number), Lease())
    players.may_answer.set()
    await players.sender.wait()
    assert players.taken == [1, *range(101 - MOST_WAITING, 101)]


async def test_the_number_of_players_with_waiting_notices_is_bounded() -> None:
    """Those who come and go at a table cannot make it hold ever more."""
    players = Players()
    players.may_answer.clear()
    for number in range(10 * MOST_PLAYERS):
        players.sender.send(seat(number), notice(number + 1), Lease())
    players.may_answer.set()
    await players.sender.wait()
    assert len(players.taken) == MOST_PLAYERS
    await players.sender.end()


async def test_only_a_card_with_the_skill_is_called() -> None:
    """A card that was not read yet is read once for that."""
    players = Players(skills=frozenset({"act"}))
    assert players.sender.wanting([seat(0)]) == []
    players.is_cached = False
    newcomer = seat(1)
    assert players.sender.wanting([seat(0), newcomer]) == [newcomer]
    players.sender.send(newcomer, notice(1), Lease())
    await players.sender.wait()
    assert players.read == [newcomer.card_url]
    assert not players.tokens, "nothing was called"
    assert players.sender.wanting([seat(0), newcomer]) == [], "it is not read again"


async def test_a_hand_that_ends_while_the_card_is_read_is_reported() -> None:
    """The first hand may be shorter than the reading."""
    players = Players()
    players.is_cached, players.card = False, asyncio.get_running_loop().create_future()
    newcomer = seat(1)
    for number in (1, 2, 3):
        assert players.sender.wanting([newcomer]) == [newcomer]
        players.sender.send(newcomer, notice(number), Lease())
        await asyncio.sleep(0)
    assert players.sender.wanting([seat(2), newcomer]) == [seat(2), newcomer]
    players.card.set_result(None)
    await players.sender.wait()
    assert players.taken == [1, 2, 3]


async def test_what_waits_for_a_card_that_cannot_be_read_is_dropped() -> None:
    players = Players()
    players.is_cached, players.card = False, asyncio.get_running_loop().create_future()
    newcomer = seat(1)
    for number in range(1, 9):
        assert players.sender.wanting([newcomer]) == [newcomer]
        players.sender.send(newcomer, notice(number), Lease())
    await asyncio.sleep(0)
    players.card.set_exception(DEAD)
    await players.sender.wait()
    assert players.read == [newcomer.card_url] * 2, "the first notice is tried twice"
    assert players.taken == []
    assert players.sender.wanting([newcomer]) == []


async def test_nothing_is_sent_when_the_lease_is_over() -> None:
    """Neither what waits then, nor the second attempt of a call that failed."""
    players = Players(DEAD)
    players.may_answer.clear()
    lease, other = Lease(), Lease()
    players.sender.send(seat(0), notice(1), lease)
    await asyncio.sleep(0)  # its call begins
    players.sender.send(seat(0), notice(2), lease)
    players.sender.send(seat(0), notice(3), other)
    lease.surrender()
    players.may_answer.set()
    await players.sender.wait()
    assert players.taken == [3], "a notice of the next room is sent"
