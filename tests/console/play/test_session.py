"""A person's session: what is shown, what is typed and which action it is, and how it ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO

import pytest
from casino.errors import NotUnderstood
from casino.gateway_api import GatewayApi
from casino.output import Output
from casino.typed_choices import TypedLines, choices_of, chosen
from casino.typed_session import play
from casino_contracts import GameActionResponse
from casino_lobby_client.errors import CallFailed
from rich.console import Console
from support.gateway.boardgame_side import BoardgameSide, served
from support.gateway.seat_side import acted, event, request
from support.processes import run_until


class Person:
    """Somebody at a terminal, or a pipe."""

    def __init__(self, *, is_terminal: bool) -> None:
        self.paper = StringIO()
        self.output = Output(Console(file=self.paper, highlight=False, force_terminal=False))
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self.typed = TypedLines(self._read(), is_terminal)

    def types(self, *lines: str | None) -> None:
        """Type lines; None ends the input."""
        for line in lines:
            self._lines.put_nowait(line)

    async def reads(self, text: str) -> None:
        """Wait until a text is shown."""
        await run_until(lambda: text in self.paper.getvalue())

    async def _read(self) -> AsyncIterator[str]:
        while (line := await self._lines.get()) is not None:
            yield line


@asynccontextmanager
async def playing(
    side: BoardgameSide, *, is_terminal: bool = True, match_id: str | None = "room"
) -> AsyncIterator[tuple[Person, "asyncio.Task[None]"]]:
    """Sit down as Eve; yields the person and the session."""
    person = Person(is_terminal=is_terminal)
    async with served(side) as port:
        api = GatewayApi(f"http://127.0.0.1:{port}")
        session = asyncio.create_task(
            play(api, person.output, person.typed, match_id, name="Eve", buy_in=None)
        )
        try:
            await person.reads("kuhn poker, between_hands")
            yield person, session
        finally:
            session.cancel()
            await asyncio.wait([session])
            await api.close()


def asked(side: BoardgameSide, number: int) -> "asyncio.Task[GameActionResponse]":
    seat = side.seats.tokens["another-token"]
    return asyncio.create_task(seat.ask(request(number, deadline_ms=20_000)))


async def test_a_decision_is_shown_and_typed() -> None:
    """With the table, one's own card, numbered choices and the clock; slips cost a line."""
    side = BoardgameSide()
    async with playing(side) as (person, session):
        person.types("call", "help")
        await person.reads("It is not your turn")
        answer = asked(side, 1)
        await person.reads("2) bet 1 to 9")
        for text in ("pot  1", "yours: card K", "1) check", "Your action (20 s)"):
            assert text in person.paper.getvalue()
        person.types("2")
        await person.reads("type `2 1`")
        person.types("bet 4")
        assert (await answer).action == {"action_type": "BET", "amount": 4}
        side.side.room.take(acted(1, "eve"))
        await person.reads("action_taken 1")
        person.types("state", "quit")
        await session
        assert person.paper.getvalue().endswith("You left the table.\n")
    assert side.seats.tokens["another-token"].closed is not None


async def test_a_pipe_answers_one_decision_a_line() -> None:
    """Its lines wait for the decisions; its end leaves the table."""
    side = BoardgameSide()
    async with playing(side, is_terminal=False) as (person, session):
        person.types("check", "nonsense", "2 9", None)
        assert (await asked(side, 1)).action == {"action_type": "CHECK"}
        assert (await asked(side, 2)).action == {"action_type": "BET", "amount": 9}
        last = asked(side, 3)
        await session
        assert "type a number from 1 to 2" in person.paper.getvalue()
        last.cancel()


async def test_the_end_of_the_match_ends_the_session() -> None:
    side = BoardgameSide()
    async with playing(side) as (person, session):
        side.side.room.match.result = {"winner": "bob"}
        finished = {"status": "idle", "kind": "finished"}
        side.side.room.take(event(1, "table_status", finished))
        await session
        text = person.paper.getvalue()
        assert "winner  Bob" in text
        assert "The match is over: ended." in text


async def test_a_seat_that_is_taken_away_ends_the_session() -> None:
    side = BoardgameSide()
    async with playing(side) as (person, session):
        side.seats.tokens["another-token"].close("busted")
        await session
        assert "The seat is closed: busted" in person.paper.getvalue()


async def test_without_a_room_it_is_one_with_players() -> None:
    """From the gateway's list; a cancelled session leaves its seat."""
    side = BoardgameSide()
    async with playing(side, match_id=None) as (_, session):
        session.cancel()
        await asyncio.wait([session])
    assert side.seats.tokens["another-token"].closed is not None


async def test_a_gateway_that_refuses_or_is_away_is_named() -> None:
    async with served(BoardgameSide()) as port:
        api = GatewayApi(f"http://127.0.0.1:{port}")
        with pytest.raises(CallFailed, match='There is no match "nope"'):
            await api.join("nope", "Eve", None)
        with pytest.raises(CallFailed, match="name: must be a visible name"):
            await api.join("room", "", None)
        await api.close()
    api = GatewayApi("http://127.0.0.1:1")
    with pytest.raises(CallFailed, match="does not answer"):
        await api.matches()
    await api.close()


HOLDEM = choices_of(
    [
        {"action_type": "fold"},
        {"action_type": "call"},
        {"action_type": "raise", "min": 4, "max": 200},
        {"action_type": "all-in"},
    ]
)
OTHER = choices_of(
    [
        {"action_type": "PLAY_CARD", "card": 7},
        {"action_type": "PLAY_CARD", "card": 17},
        {"action_type": "PLACE_BET", "bet": "red", "min": 1, "max": 50},
        {"min": 1},
    ]
)


@pytest.mark.parametrize(
    ("typed", "kind", "amount"),
    [
        ("1", "fold", None),
        ("c", "call", None),
        ("CALL", "call", None),
        ("3 12", "raise", 12),
        ("raise min", "raise", 4),
        (" r   max ", "raise", 200),
        ("all in", "all-in", None),
    ],
)
def test_a_number_or_a_name_and_its_amount(typed: str, kind: str, amount: int | None) -> None:
    choice, number = chosen(typed, HOLDEM)
    assert (choice.kind, number) == (kind, amount)


def test_any_game() -> None:
    """Fields of an offer belong to its name, and are sent with it."""
    assert [str(choice) for choice in OTHER] == [
        "play card 7",
        "play card 17",
        "place bet red 1 to 50",
    ]
    choice, amount = chosen("play card 17", OTHER)
    assert (choice.kind, choice.data(amount)) == ("PLAY_CARD", {"card": 17})
    choice, amount = chosen("place bet red 5", OTHER)
    assert choice.data(amount) == {"bet": "red", "amount": 5}


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("5", "from 1 to 4"),
        ("0", "from 1 to 4"),
        ("dance", "from 1 to 4"),
        ("3", "from 4 to 200: type `3 4`"),
        ("raise 3", "from 4 to 200"),
        ("raise 201", "from 4 to 200"),
        ("call 5", "call needs no amount"),
        ("²", "from 1 to 4"),
        ("9" * 400, "from 1 to 4"),
    ],
)
def test_what_is_no_choice_is_explained(typed: str, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why):
        chosen(typed, HOLDEM)
    with pytest.raises(NotUnderstood):
        chosen("play", OTHER)  # two begin with it
