"""A completed hand is scored once, by its public events."""

from typing import Any

import pytest
from casino_contracts import TableEvent
from casino_lobby.domain.observed_hand import Highlight
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import ended_hands, fold
from support.casino.store_side import new_room


def event(kind: str, /, **payload: Any) -> TableEvent:
    return TableEvent.model_validate(
        {
            "tableId": "t",
            "eventType": kind,
            "message": "",
            "timestamp": "",
            "payload": {"handNumber": 1, **payload},
        }
    )


def started(*, big_blind: float | None = 2, **stacks: float) -> TableEvent:
    """Return the start of a hand; the first player posts the big blind."""
    first = next(iter(stacks))
    posted = [{"playerId": first, "kind": "big-blind", "amount": big_blind}]
    return event(
        "hand_started",
        **({} if big_blind is None else {"bigBlind": big_blind, "posted": posted}),
        players=[
            {"playerId": name, "displayName": name, "seatNumber": seat, "stack": stack}
            for seat, (name, stack) in enumerate(stacks.items())
        ],
    )


def acted(player: str, action: str, stack: float, outcome: str = "ok") -> TableEvent:
    return event("action_taken", playerId=player, action=action, stack=stack, outcome=outcome)


def completed(pot: float, winner: str, **more: Any) -> TableEvent:
    pots = [{"amount": pot, "winners": [{"playerId": winner, "amount": pot}]}]
    return event("hand_completed", **{"pots": pots, "shown": [], "stacks": [], **more})


def shown(player: str, rank: str) -> dict[str, Any]:
    return {"playerId": player, "cards": [], "rankName": rank}


def scores(*events: TableEvent, room: Room | None = None) -> list[Highlight]:
    """Return what each event that completes a hand is worth."""
    return [hand.highlight for hand in ended_hands(room or new_room(), events)]


class TestPoints:
    @pytest.mark.parametrize(
        ("pot", "score", "kinds"),
        [
            (0, 0, ()),
            (199.8, 99, ()),
            (200, 100, ("big-pot",)),
            (20_000, 500, ("big-pot",)),
        ],
    )
    def test_the_pot_counts_in_big_blinds(
        self, pot: float, score: int, kinds: tuple[str, ...]
    ) -> None:
        [found] = scores(started(a=100, b=100), completed(pot, "b"))
        assert (found.score, found.kinds) == (score, kinds)

    def test_a_pot_of_infinitely_many_blinds_counts_for_nothing(self) -> None:
        [found] = scores(started(big_blind=5e-324, a=100, b=100), completed(2, "b"))
        assert (found.score, found.kinds) == (0, ())

    @pytest.mark.parametrize(("all_in", "points"), [(1, 40), (2, 80), (5, 160)])
    def test_at_most_four_who_are_all_in_count(self, all_in: int, points: int) -> None:
        names = "abcdef"
        raises = [acted(name, "raise", 0) for name in names[:all_in]]
        begin = started(**dict.fromkeys(names, 100))
        [found] = scores(begin, *raises, completed(0, "f"))
        assert (found.score, found.kinds) == (points, ("all-in",))

    @pytest.mark.parametrize(
        ("ranks", "points"),
        [(["Pair", "Three of a Kind"], 0), (["Straight", "Four of a Kind", "Flush"], 200)],
    )
    def test_the_best_beaten_hand_counts(self, ranks: list[str], points: int) -> None:
        hands = [shown(name, rank) for name, rank in zip("abc", ranks, strict=False)]
        end = completed(2, "d", shown=[*hands, shown("d", "Royal Flush")])
        [found] = scores(started(a=100, b=100, c=100, d=100), end)
        assert found.score == 1 + points

    @pytest.mark.parametrize(
        ("pot", "bet", "points"), [(8, 19.8, 4), (8, 20, 4 + 30), (80, 38, 40), (80, 40, 40 + 30)]
    )
    def test_a_large_bet_that_nobody_called_is_a_bluff(
        self, pot: float, bet: float, points: int
    ) -> None:
        end = completed(pot, "b", returned={"playerId": "b", "amount": bet})
        [found] = scores(started(a=100, b=100), acted("a", "fold", 98), end)
        assert found.score == points

    @pytest.mark.parametrize(("times", "points"), [(1, 5), (50, 20)])
    def test_at_most_four_failed_decisions_count(self, times: int, points: int) -> None:
        failed = [acted("a", "check", 98, "timeout")] * times
        [found] = scores(started(a=100, b=100), *failed, completed(0, "b"))
        assert (found.score, found.kinds) == (points, ("fault",))


class TestFacts:
    def test_an_all_in_counts_if_somebody_called(self) -> None:
        showdown = [shown("a", "Full House"), shown("b", "Straight Flush")]
        called = scores(
            started(a=2, b=100, c=100),
            acted("c", "fold", 100),
            acted("b", "raise", 0),
            completed(102, "b", shown=showdown),
        )
        assert called == [Highlight(51 + 80 + 120, ("all-in", "bad-beat"), ("a", "b", "c"))]
        [alone] = scores(
            started(a=100, b=100),
            acted("b", "raise", 0),
            acted("a", "fold", 98),
            completed(4, "b", returned={"playerId": "b", "amount": 98}),
        )
        assert (alone.score, alone.kinds) == (2 + 30, ("bluff",))

    def test_a_bet_whose_winner_shows_is_no_bluff(self) -> None:
        returned = {"playerId": "b", "amount": 98}
        begin = [started(a=100, b=100), acted("a", "fold", 98)]
        end = completed(4, "b", returned=returned, shown=[shown("b", "Pair")])
        assert [one.kinds for one in scores(*begin, end)] == [()]
        assert [one.kinds for one in scores(begin[0], completed(4, "b", returned=returned))] == [()]

    def test_failed_decisions_count(self) -> None:
        outcomes = ["timeout", "illegal", "defaulted", "sitting_out", "away", "retried", "ok"]
        actions = [acted("a", "check", 98, outcome) for outcome in outcomes]
        assert [
            one.score for one in scores(started(a=100, b=100), *actions, completed(4, "b"))
        ] == [2 + 3 * 5]

    def test_without_blinds_the_largest_win_counts(self) -> None:
        stacks = [{"playerId": "a", "stack": 30}, {"playerId": "b", "stack": 150}]
        end = event("hand_completed", scores={"a": -50, "b": 50}, stacks=stacks)
        [found] = scores(started(big_blind=None, a=80, b=100), end)
        assert found == Highlight(50, (), ("a", "b"))

    def test_a_cancelled_hand_leaves_no_trace(self) -> None:
        begun = [started(a=100, b=100), acted("a", "raise", 0, "timeout")]
        end = completed(4, "b", stacks=[{"playerId": "b", "stack": 4}])
        cancelled = event("table_status", status="running", kind="hand_cancelled")
        rest = Highlight(0, (), ("b",))
        assert scores(*begun, cancelled, end) == [rest]
        room = new_room()
        fold(room, begun)
        [whole] = scores(end, room=room)
        assert (whole.score, whole.players) == (2 + 40 + 5, ("a", "b"))
        assert scores(end, room=Room.from_json(room.to_json())) == [whole]
        room.number_anew(2)
        assert scores(end, room=room) == [rest]

    def test_payloads_of_another_shape_are_worth_nothing(self) -> None:
        begin = event("hand_started", players="all", bigBlind="2", posted=[{"playerId": "a"}])
        action = event("action_taken", playerId="a", action=7, stack="0", outcome=[])
        end = event("hand_completed", pots=[{"amount": "x"}], shown=4, stacks=[{}], returned="r")
        assert scores(begin, action, end) == [Highlight(0, (), ())]
