"""The ledger books chips by double entry."""

from collections.abc import Callable

import pytest
from casino_contracts import TableEvent, Unit
from casino_contracts.events.content import content_of
from casino_lobby.domain.room_books import CASHIER, DISCREPANCY, Ledger, LedgerEntry
from casino_lobby.store import SqlStore, projection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs
from support.casino.store_side import EventFactory, fail_batch, new_room

UNIT = Unit(decimals=0)
PLAYERS = ("a", "b", "c", "d")

Step = Callable[["CountedTable"], list[TableEvent]]


def book(ledger: Ledger, event: TableEvent, unit: Unit) -> list[LedgerEntry]:
    return ledger.book(content_of(event), unit)


class CountedTable:
    """A table that counts its chips, and reports what happens to them."""

    def __init__(self, room_id: str = "r1") -> None:
        self.room = new_room(room_id)
        self.factory = EventFactory(self.room)
        self.stacks: dict[str, int] = {}
        self.bought_in = 0
        self.hands = 0

    def buys(self, who: str, chips: int) -> list[TableEvent]:
        self.bought_in += chips
        if who not in self.stacks:
            self.stacks[who] = chips
            return [self.factory.registered(who, chips)]
        self.stacks[who] += chips
        return [self.factory.status("rebought", playerId=who, amount=chips)]

    def plays(self, winner: int, shares: list[int]) -> list[TableEvent]:
        """Complete a hand in which all players lose a share to one."""
        if not self.stacks:
            return []
        names = list(self.stacks)
        taker = names[winner % len(names)]
        for who, share in zip(names, shares, strict=False):
            lost = self.stacks[who] * share // 100
            self.stacks[who] -= lost
            self.stacks[taker] += lost
        self.hands += 1
        batch = self.factory.hand(self.hands, self.stacks)
        for who in [who for who, stack in self.stacks.items() if stack == 0]:
            del self.stacks[who]
            batch.append(self.factory.tell("player_busted", playerId=who))
        return batch

    def leaves(self, who: str) -> list[TableEvent]:
        if who not in self.stacks:
            return []
        stack = self.stacks.pop(who)
        self.bought_in -= stack
        return [self.factory.status("left", playerId=who, stack=stack)]

    def closes(self) -> list[TableEvent]:
        self.stacks.clear()
        self.bought_in = 0
        return [self.factory.status("closed", "idle")]

    def is_taken_over(self) -> list[TableEvent]:
        """Begin a new epoch with the same stacks."""
        self.factory.takes_over()
        return []

    @property
    def balances(self) -> dict[str, int]:
        players = {f"player:{who}": stack for who, stack in self.stacks.items()}
        return {**players, CASHIER: -self.bought_in} if self.bought_in else players


def steps() -> st.SearchStrategy[list[Step]]:
    who, chips = st.sampled_from(PLAYERS), st.integers(1, 2_000)
    shares = st.lists(st.integers(0, 100), min_size=len(PLAYERS), max_size=len(PLAYERS))

    def buys(who: str, chips: int) -> Step:
        return lambda table: table.buys(who, chips)

    def plays(winner: int, shares: list[int]) -> Step:
        return lambda table: table.plays(winner, shares)

    def leaves(who: str) -> Step:
        return lambda table: table.leaves(who)

    return st.lists(
        st.one_of(
            st.builds(buys, who, chips),
            st.builds(plays, st.integers(0, 3), shares),
            st.builds(leaves, who),
            st.just(CountedTable.closes),
        ),
        max_size=25,
    )


class TestConservation:
    @given(steps())
    def test_every_event_s_entries_sum_to_zero_and_balances_are_the_stacks(
        self, happening: list[Step]
    ) -> None:
        table, ledger = CountedTable(), Ledger()
        for step in happening:
            for event in step(table):
                entries = book(ledger, event, UNIT)
                assert sum(entry.chips for entry in entries) == 0
                assert len({entry.account for entry in entries}) == len(entries)
                assert DISCREPANCY not in {entry.account for entry in entries}
            assert ledger.balances == table.balances

    @settings(
        max_examples=12,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(sessions=st.lists(steps(), min_size=1, max_size=3))
    async def test_balances_are_the_stacks_after_a_restart(
        self, store: SqlStore, sessions: list[list[Step]]
    ) -> None:
        for number, happening in enumerate(sessions):
            table = CountedTable(f"r{len(store.rooms())}-{number}")
            await store.add(table.room)
            for at, step in enumerate(happening):
                if at == len(happening) // 2:
                    table.is_taken_over()
                    await store.save(table.room)
                if batch := step(table):
                    await store.record(table.room, batch)
                await fail_batch(store, table.room)
            assert table.room.ledger.balances == table.balances
            async with store.database.reading() as connection:
                stored = (await projection.load_rooms(connection, store.unreadable)).rooms[-1]
            assert stored.ledger == table.room.ledger


class TestBooking:
    def test_amounts_are_booked_in_the_smallest_unit(self) -> None:
        factory, ledger = EventFactory(new_room()), Ledger()
        entries = book(ledger, factory.registered("a", 0.29), Unit(decimals=2))
        assert entries == [
            LedgerEntry("player:a", "buy_in", 29),
            LedgerEntry(CASHIER, "buy_in", -29),
        ]

    def test_a_miscount_is_booked_as_a_discrepancy(self) -> None:
        factory, ledger = EventFactory(new_room()), Ledger()
        book(ledger, factory.registered("a", 100), UNIT)
        book(ledger, factory.registered("b", 100), UNIT)
        entries = book(ledger, factory.hand(1, {"a": 150, "b": 57})[-1], UNIT)
        assert entries == [
            LedgerEntry("player:a", "result", 50),
            LedgerEntry("player:b", "result", -43),
            LedgerEntry(DISCREPANCY, "result", -7),
        ]
        assert sum(ledger.balances.values()) == 0

    def test_a_cash_out_above_the_balance_is_a_discrepancy(self) -> None:
        factory, ledger = EventFactory(new_room()), Ledger({"player:a": 100, CASHIER: -100})
        entries = book(ledger, factory.status("left", playerId="a", stack=120), UNIT)
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
    def test_missing_or_invalid_amounts_are_not_booked(self, payload: dict[str, object]) -> None:
        """Peers of the protocol document leave fields out, or write their own."""
        factory, ledger = EventFactory(new_room()), Ledger()
        batch = [
            factory.tell("player_registered", **payload),
            factory.tell("table_status", kind="rebought", **payload),
            factory.tell("table_status", kind="left", **payload),
            factory.tell("hand_completed", stacks=[payload, 7]),
            factory.tell("hand_completed", stacks=payload),
            factory.tell("player_busted", **payload),
        ]
        assert [book(ledger, event, UNIT) for event in batch] == [[]] * len(batch)

    async def test_a_discrepancy_is_logged_when_it_is_committed(self, store: SqlStore) -> None:
        room = new_room()
        await store.add(room)
        factory = EventFactory(room)
        with capture_logs() as logs:
            await store.record(room, [factory.registered("a"), *factory.hand(1, {"a": 201})])
        assert [(log["event"], log["log_level"], log["chips"]) for log in logs] == [
            ("chips_do_not_add_up", "error", -1)
        ]
        assert room.ledger.balances[DISCREPANCY] == -1
