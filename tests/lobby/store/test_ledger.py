"""Chips by double entry: no event makes any, none gets lost."""

from collections.abc import Callable

import pytest
from casino_contracts import TableEvent, Unit
from casino_contracts.event_content import content_of
from casino_lobby.store import SqlStore
from casino_lobby.store.ledger import CASHIER, DISCREPANCY, Ledger, LedgerEntry
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs
from support.casino.store_side import EventFactory, new_room, rows

UNIT = Unit(decimals=0)
PLAYERS = ("a", "b", "c", "d")

Step = Callable[["Evening"], list[TableEvent]]


def book(ledger: Ledger, event: TableEvent, unit: Unit) -> list[LedgerEntry]:
    """Book an event by what it says."""
    return ledger.book(event, content_of(event), unit)


class Evening:
    """A table that counts its chips right, and tells what happens to them."""

    def __init__(self, room_id: str = "r1") -> None:
        self.room = new_room(room_id)
        self.teller = EventFactory(self.room)
        self.stacks: dict[str, int] = {}
        self.bought_in = 0
        self.hands = 0

    def buys(self, who: str, chips: int) -> list[TableEvent]:
        """Take a seat, or buy again."""
        self.bought_in += chips
        if who not in self.stacks:
            self.stacks[who] = chips
            return [self.teller.registered(who, chips)]
        self.stacks[who] += chips
        return [self.teller.status("rebought", playerId=who, amount=chips)]

    def plays(self, winner: int, shares: list[int]) -> list[TableEvent]:
        """Let everybody lose a part of his stack to one."""
        if not self.stacks:
            return []
        names = list(self.stacks)
        taker = names[winner % len(names)]
        for who, share in zip(names, shares, strict=False):
            lost = self.stacks[who] * share // 100
            self.stacks[who] -= lost
            self.stacks[taker] += lost
        self.hands += 1
        told = self.teller.hand(self.hands, self.stacks)
        for who in [who for who, stack in self.stacks.items() if stack == 0]:
            del self.stacks[who]
            told.append(self.teller.tell("player_busted", playerId=who))
        return told

    def leaves(self, who: str) -> list[TableEvent]:
        """Take one's chips home."""
        if who not in self.stacks:
            return []
        stack = self.stacks.pop(who)
        self.bought_in -= stack
        return [self.teller.status("left", playerId=who, stack=stack)]

    def closes(self) -> list[TableEvent]:
        """Let everybody go."""
        self.stacks.clear()
        self.bought_in = 0
        return [self.teller.status("closed", "idle")]

    def is_taken_over(self) -> list[TableEvent]:
        """Go on at another table, with the same stacks."""
        self.teller.takes_over()
        return []

    @property
    def balances(self) -> dict[str, int]:
        """What the ledger should say."""
        players = {f"player:{who}": stack for who, stack in self.stacks.items()}
        return {**players, CASHIER: -self.bought_in} if self.bought_in else players


def steps() -> st.SearchStrategy[list[Step]]:
    """Draw what happens in an evening."""
    who, chips = st.sampled_from(PLAYERS), st.integers(1, 2_000)
    shares = st.lists(st.integers(0, 100), min_size=len(PLAYERS), max_size=len(PLAYERS))

    def buys(who: str, chips: int) -> Step:
        return lambda evening: evening.buys(who, chips)

    def plays(winner: int, shares: list[int]) -> Step:
        return lambda evening: evening.plays(winner, shares)

    def leaves(who: str) -> Step:
        return lambda evening: evening.leaves(who)

    return st.lists(
        st.one_of(
            st.builds(buys, who, chips),
            st.builds(plays, st.integers(0, 3), shares),
            st.builds(leaves, who),
            st.just(Evening.closes),
        ),
        max_size=25,
    )


class TestConservation:
    """Whatever happens."""

    @given(steps())
    def test_every_event_s_entries_sum_to_zero_and_balances_are_the_stacks(
        self, happening: list[Step]
    ) -> None:
        """Buy-ins, hands, rebuys, leaves, closes, in any order."""
        evening, ledger = Evening(), Ledger({})
        for step in happening:
            for event in step(evening):
                entries = book(ledger, event, UNIT)
                assert sum(entry.chips for entry in entries) == 0
                assert len({entry.account for entry in entries}) == len(entries)
                assert DISCREPANCY not in {entry.account for entry in entries}
            assert ledger.balances == evening.balances

    @settings(
        max_examples=12,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(evenings=st.lists(steps(), min_size=1, max_size=3))
    async def test_the_database_says_the_same(
        self, store: SqlStore, evenings: list[list[Step]]
    ) -> None:
        """Transaction by transaction, and after a takeover, and read back from the tables."""
        for number, happening in enumerate(evenings):
            evening = Evening(f"r{len(store.rooms())}-{number}")
            await store.add(evening.room)
            for at, step in enumerate(happening):
                if at == len(happening) // 2:
                    evening.is_taken_over()
                if told := step(evening):
                    await store.record(evening.room, told)
                store._projections.pop(evening.room.room_id, None)  # as after a restart
            assert await store.balances(evening.room.room_id) == evening.balances
        sums = "SELECT SUM(chips) FROM ledger GROUP BY room_id, epoch, sequence"
        assert {int(total) for (total,) in await rows(store, sums)} <= {0}


class TestBooking:
    """Event by event."""

    def test_units_are_chips(self) -> None:
        """Whole numbers of the smallest amount."""
        teller, ledger = EventFactory(new_room()), Ledger({})
        entries = book(ledger, teller.registered("a", 0.29), Unit(decimals=2))
        assert entries == [
            LedgerEntry("player:a", "buy_in", 29),
            LedgerEntry(CASHIER, "buy_in", -29),
        ]

    def test_a_miscount_is_booked_where_everybody_sees_it(self) -> None:
        """And the stacks are believed all the same."""
        teller, ledger = EventFactory(new_room()), Ledger({})
        book(ledger, teller.registered("a", 100), UNIT)
        book(ledger, teller.registered("b", 100), UNIT)
        entries = book(ledger, teller.hand(1, {"a": 150, "b": 57})[-1], UNIT)
        assert entries == [
            LedgerEntry("player:a", "result", 50),
            LedgerEntry("player:b", "result", -43),
            LedgerEntry(DISCREPANCY, "result", -7),
        ]
        assert sum(ledger.balances.values()) == 0

    def test_who_leaves_with_more_than_he_had_leaves_a_discrepancy(self) -> None:
        """The cashier pays what the table says."""
        teller, ledger = EventFactory(new_room()), Ledger({"player:a": 100, CASHIER: -100})
        entries = book(ledger, teller.status("left", playerId="a", stack=120), UNIT)
        assert entries == [
            LedgerEntry("player:a", "cash_out", -100),
            LedgerEntry(CASHIER, "cash_out", 120),
            LedgerEntry(DISCREPANCY, "cash_out", -20),
        ]

    @pytest.mark.parametrize(
        "payload",
        [
            {},
            {"playerId": 7, "stack": 5},
            {"playerId": "", "stack": 5},
            {"playerId": "x\0", "stack": 5},
            {"playerId": "x" * 129, "stack": 5},
            {"playerId": "x"},
            {"playerId": "x", "stack": "5"},
            {"playerId": "x", "stack": True},
            {"playerId": "x", "stack": -5},
            {"playerId": "x", "stack": 0.5},
        ],
    )
    def test_what_is_not_told_is_not_booked(self, payload: dict[str, object]) -> None:
        """A peer that knows only the protocol document leaves fields out, or writes its own."""
        teller, ledger = EventFactory(new_room()), Ledger({})
        told = [
            teller.tell("player_registered", **payload),
            teller.tell("table_status", kind="rebought", **payload),
            teller.tell("table_status", kind="left", **payload),
            teller.tell("hand_completed", stacks=[payload, 7]),
            teller.tell("hand_completed", stacks=payload),
            teller.tell("player_busted", **payload),
        ]
        assert [book(ledger, event, UNIT) for event in told] == [[]] * len(told)

    async def test_a_discrepancy_is_logged_when_it_is_committed(self, store: SqlStore) -> None:
        """Once, as an error."""
        room = new_room()
        await store.add(room)
        teller = EventFactory(room)
        with capture_logs() as logs:
            await store.record(room, [teller.registered("a"), *teller.hand(1, {"a": 201})])
        assert [(log["event"], log["log_level"], log["chips"]) for log in logs] == [
            ("chips_do_not_add_up", "error", -1)
        ]
        assert (await store.balances("r1"))[DISCREPANCY] == -1
