"""The state between hands: seats, buy-ins, sessions and conserved chips."""

from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import StartGameInput
from casino_table.domain.admission import seat_for, session_start
from casino_table.domain.table import Stakes, Table
from casino_table.errors import ChipsNotConserved
from support.table.table_side import config, seating


def table(players: int = 0, **changes: Any) -> Table:
    made = Table("t1", "Casino", config(**changes), 1, "texas-holdem", {})
    for number in range(players):
        made.take_seat(seat_for(made, seating(number, f"http://p{number}"))[0])
    return made


def refusal(raised: pytest.ExceptionInfo[CommandRefused]) -> str:
    return raised.value.reason


class TestSeats:
    @pytest.mark.parametrize(("preferred", "given"), [(3, 3), (0, 1), (99, 1), (None, 1)])
    def test_a_free_preferred_seat_is_given(self, preferred: int | None, given: int) -> None:
        """Otherwise the first free seat."""
        made = table(1)
        player = seating(7, "http://p7", preferredSeat=preferred)
        seat, is_new = seat_for(made, player)
        assert (seat.number, is_new) == (given, True)
        assert seat.number not in made.seats
        made.take_seat(seat)
        assert (made.seats[given], made.bought_in) == (seat, 400)

    def test_a_full_table_refuses_players(self) -> None:
        made = table(6)
        with pytest.raises(CommandRefused) as raised:
            made.take_seat(seat_for(made, seating(7, "http://p7"))[0])
        assert refusal(raised) == "TABLE_FULL"

    def test_a_repeated_registration_keeps_the_seat(self) -> None:
        made = table(2)
        seat, is_new = seat_for(made, seating(1, "http://p1"))
        assert (seat.number, is_new, made.bought_in) == (1, False, 400)

    def test_an_id_under_another_card_is_refused(self) -> None:
        made = table(2)
        with pytest.raises(CommandRefused) as raised:
            made.take_seat(seat_for(made, seating(1, "http://thief"))[0])
        assert refusal(raised) == "PLAYER_ID_TAKEN"

    @pytest.mark.parametrize(
        ("stack", "reason"),
        [(39, "BUY_IN_OUT_OF_RANGE"), (401, "BUY_IN_OUT_OF_RANGE"), (99.5, "INVALID_AMOUNT")],
    )
    def test_a_wrong_buy_in_is_refused(self, stack: float, reason: str) -> None:
        with pytest.raises(CommandRefused) as raised:
            seat_for(table(), seating(1, "http://p1", startingStack=stack))
        assert refusal(raised) == reason
        assert raised.value.violations[0].field == "startingStack"

    def test_decimal_tables_count_in_their_unit(self) -> None:
        """With 0.05, in hundredths."""
        made = table(smallBlind=0.05, bigBlind=0.1, minBuyIn=1, startingStack=10)
        made.take_seat(seat_for(made, seating(1, "http://p1", startingStack=12.35))[0])
        assert made.seats[0].stack == 1235
        assert made.summary().players[0].stack == 12.35


class TestStart:
    @pytest.mark.parametrize(
        ("players", "overrides", "reason"),
        [
            (1, {}, "NOT_ENOUGH_PLAYERS"),
            (2, {"smallBlind": 3}, "INVALID_BLINDS"),
            (2, {"bigBlind": 41}, "INVALID_BLINDS"),
            (2, {"smallBlind": 41, "bigBlind": 41}, "INVALID_BLINDS"),
            (2, {"bigBlind": 2.5}, "INVALID_AMOUNT"),
        ],
    )
    def test_a_refused_start_has_a_reason(
        self, players: int, overrides: dict[str, Any], reason: str
    ) -> None:
        made = table(players)
        with pytest.raises(CommandRefused) as raised:
            made.begin(session_start(made, StartGameInput.model_validate(overrides)))
        assert refusal(raised) == reason
        assert made.summary().status == "waiting"
        assert made.stakes == Stakes(1, 2, 0)

    def test_a_running_table_is_not_started_again(self) -> None:
        made = table(2)
        made.begin(session_start(made, StartGameInput()))
        with pytest.raises(CommandRefused) as raised:
            made.begin(session_start(made, StartGameInput()))
        assert refusal(raised) == "ALREADY_RUNNING"

    def test_overrides_hold_for_their_session_only(self) -> None:
        """The next session has the config's blinds."""
        made = table(2)
        made.begin(session_start(made, StartGameInput(max_hands=3, small_blind=5, big_blind=10)))
        assert (made.hands_left, made.stakes.big_blind) == (3, 10)
        made.finish("done")
        made.begin(session_start(made, StartGameInput()))
        assert (made.hands_left, made.stakes.big_blind) == (10, 2)

    def test_an_automatic_rebuy_counts_as_chips(self) -> None:
        """A busted seat can start a session, because it will buy again."""
        made = table(2, rebuy="auto")
        made.begin(session_start(made, StartGameInput(max_hands=1)))
        made.settle(made.next_deal(), {"p0": 200, "p1": -200})
        made.finish("done")
        made.begin(session_start(made, StartGameInput()))
        assert made.rebuy_busted()[0].player_id == "p1"


class TestChips:
    @pytest.mark.parametrize("scores", [{"p0": 5, "p1": -4}, {"p0": 201, "p1": -201}])
    def test_a_hand_that_does_not_add_up_is_not_paid(self, scores: dict[str, int]) -> None:
        made = table(2)
        made.begin(session_start(made, StartGameInput()))
        deal = made.next_deal()
        with pytest.raises(ChipsNotConserved):
            made.settle(deal, scores)
        assert [seat.stack for seat in made.seats.values()] == [200, 200]
        assert made.hands_completed == 0

    def test_stacks_that_were_tampered_with_are_noticed(self) -> None:
        made = table(2)
        made.begin(session_start(made, StartGameInput()))
        made.seats[0].stack += 1
        with pytest.raises(ChipsNotConserved, match="401 chips instead of 400"):
            made.settle(made.next_deal(), {"p0": 0, "p1": 0})

    def test_rebuys_are_booked(self) -> None:
        made = table(3, rebuy="auto")
        made.begin(session_start(made, StartGameInput()))
        made.settle(made.next_deal(), {"p0": 200, "p1": -200, "p2": 0})
        assert [seat.player_id for seat in made.rebuy_busted()] == ["p1"]
        assert made.bought_in == 800
        made.check_chips()
        assert made.free_busted() == []

    def test_without_rebuy_a_busted_seat_is_free(self) -> None:
        made = table(4)
        made.seats[1].stack, made.seats[2].stack = 150, 250
        made.begin(session_start(made, StartGameInput()))
        made.settle(made.next_deal(), {"p0": 400, "p1": -150, "p2": -250, "p3": 0})
        assert [seat.player_id for seat in made.free_busted()] == ["p2", "p1"]
        assert sorted(made.seats) == [0, 3]
        assert made.rebuy_busted() == []
