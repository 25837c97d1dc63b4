"""Cards are drawn once, one at a time, and not without bound."""

import asyncio
import threading

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import Reason
from casino_lobby.preview.facts import RoomFacts
from casino_lobby.preview.previews import KEPT, MOST_WAITING, DrawnCards, Facts
from support.processes import PATIENCE_S


def room(number: int) -> RoomFacts:
    return RoomFacts(f"r{number}", "idle", number, (), is_holdem=True)


class Artist:
    def __init__(self) -> None:
        self.may_draw = threading.Event()
        self.drawn: list[Facts] = []

    def draw(self, facts: Facts, casino: str) -> bytes:
        self.may_draw.wait(PATIENCE_S)
        self.drawn.append(facts)
        return f"{casino} {facts.room_id}".encode()


async def test_a_card_is_drawn_once() -> None:
    """Also for those who ask at the same time, and if one of them goes away."""
    artist = Artist()
    cards = DrawnCards("Casino", artist.draw)
    tasks = [asyncio.create_task(cards.card(room(1))) for _ in range(3)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    artist.may_draw.set()
    assert await asyncio.gather(*tasks[1:]) == [b"Casino r1"] * 2
    assert await cards.card(room(1)) == b"Casino r1"
    assert artist.drawn == [room(1)]


async def test_too_many_at_once_are_refused() -> None:
    artist = Artist()
    cards = DrawnCards("Casino", artist.draw)
    tasks = [asyncio.create_task(cards.card(room(n))) for n in range(MOST_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(CommandRefused) as refused:
        await cards.card(room(99))
    assert refused.value.reason == Reason.TOO_MANY_REQUESTS
    artist.may_draw.set()
    assert len(await asyncio.gather(*tasks)) == MOST_WAITING
    assert await cards.card(room(99)) == b"Casino r99"


async def test_the_oldest_cards_are_forgotten() -> None:
    artist = Artist()
    artist.may_draw.set()
    cards = DrawnCards("Casino", artist.draw)
    for number in range(KEPT + 1):
        await cards.card(room(number))
    await cards.card(room(KEPT))
    assert len(artist.drawn) == KEPT + 1
    await cards.card(room(0))
    assert len(artist.drawn) == KEPT + 2


async def test_a_card_that_cannot_be_drawn_is_tried_again() -> None:
    failures = iter([True, False])

    def draw(_facts: Facts, _casino: str) -> bytes:
        if next(failures):
            raise ValueError("no ink")
        return b"card"

    cards = DrawnCards("Casino", draw)
    with pytest.raises(ValueError, match="no ink"):
        await cards.card(room(1))
    assert await cards.card(room(1)) == b"card"
