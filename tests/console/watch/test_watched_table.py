"""The state of a table is a fold of events that agrees with the lobby."""

from typing import Any

from casino.watch.watched_table import MAX_LINES, WatchedTable
from casino_contracts import TableEvent
from hypothesis import given
from hypothesis import strategies as st
from support.console_side import event

from .conftest import room_of

PLAYERS = [
    {"playerId": "p1", "displayName": "Ada", "seatNumber": 0, "stack": 200},
    {"playerId": "p2", "displayName": "Bob", "seatNumber": 1, "stack": 100},
]
POSTED = [
    {"playerId": "p1", "kind": "small-blind", "amount": 1},
    {"playerId": "p2", "kind": "big-blind", "amount": 2},
]
FLOP = [{"rank": rank, "suit": "hearts"} for rank in "QJT"]


def folded(*events: TableEvent) -> WatchedTable:
    table = WatchedTable.of(room_of(PLAYERS))
    for one in events:
        table = table.after(one)
    return table


def begun(number: int = 1, **changes: Any) -> TableEvent:
    payload = {"handNumber": number, "buttonSeat": 0, "posted": POSTED, "players": PLAYERS}
    blinds = {"smallBlind": 1, "bigBlind": 2, "ante": 0}
    return event("hand_started", f"hand {number} begins", **{**payload, **blinds, **changes})


def acted(player: str, action: str, stack: float, pot: float, /, **more: Any) -> TableEvent:
    payload = {"playerId": player, "action": action, "pot": pot, "stack": stack, "outcome": "ok"}
    return event("action_taken", f"{player} {action}", **{**payload, **more})


def status(kind: str, /, **more: Any) -> TableEvent:
    return event("table_status", kind, **{"status": "running", "kind": kind, **more})


def completed(number: int = 1, stacks: tuple[float, float] = (210, 90), **more: Any) -> TableEvent:
    payload = {
        "handNumber": number,
        "communityCards": FLOP,
        "pots": [{"amount": 20, "winners": [{"playerId": "p1", "amount": 20}]}],
        "shown": [],
        "stacks": [
            {"playerId": f"p{number}", "stack": stack} for number, stack in enumerate(stacks, 1)
        ],
        **more,
    }
    return event("hand_completed", f"hand {number}: Ada wins 20", **payload)


def test_blinds_are_posted() -> None:
    """They move from the stacks to the pot, as bets."""
    table = folded(begun())
    ada, bob = table.in_order
    assert (ada.stack, ada.bet, ada.action) == (199, 1, "small blind")
    assert (bob.stack, bob.bet, bob.action) == (98, 2, "big blind")
    assert (table.hand_number, table.pot, table.button, table.board) == (1, 3, 0, ())


def test_an_ante_is_no_bet_and_may_take_the_last_chip() -> None:
    ante = [{"playerId": "p2", "kind": "ante", "amount": 100}]
    table = folded(begun(posted=ante))
    bob = table.in_order[1]
    assert (bob.stack, bob.bet, bob.state, table.pot) == (0, 0, "all-in", 100)


def test_decimal_blinds_leave_no_dust() -> None:
    """A stack of 0.3 that pays 0.1 and 0.2 is empty."""
    players = [{**PLAYERS[0], "stack": 0.3}]
    posted = [
        {"playerId": "p1", "kind": "ante", "amount": 0.1},
        {"playerId": "p1", "kind": "big-blind", "amount": 0.2},
    ]
    ada = folded(begun(players=players, posted=posted)).in_order[0]
    assert (ada.stack, ada.state) == (0, "all-in")


def test_decisions_change_stack_bet_and_pot() -> None:
    table = folded(
        begun(), acted("p1", "raise", 190, 12, amount=10, message="your move", outcome="retried")
    )
    ada = table.in_order[0]
    assert (ada.stack, ada.bet, ada.action, table.pot) == (190, 10, "raise", 12)
    assert table.news == ("p1 raise", "Ada: “your move”")


def test_a_decision_of_the_table_says_why() -> None:
    bob = folded(begun(), acted("p2", "fold", 98, 3, outcome="timeout")).in_order[1]
    assert (bob.state, bob.action, bob.bet, bob.faults) == ("folded", "fold (timeout)", 2, 1)


def test_faults_are_counted_without_turns_of_a_seat_that_sits_out() -> None:
    outcomes = ("illegal", "sitting_out", "retried", "malformed", "ok")
    events = [acted("p2", "check", 98, 3, outcome=outcome) for outcome in outcomes]
    table = folded(begun(), *events)
    assert table.in_order[1].faults == 2
    assert folded(begun(), events[1]).in_order[1].action == "check (sitting out)"


def test_who_decided_at_what_cost_and_why_is_told_with_the_end_of_the_hand() -> None:
    model = {"model": "small"}
    players = [{**PLAYERS[0], "profile": model}, PLAYERS[1]]
    usage = {"model": "small", "inputTokens": 1500, "costUsd": 0.01}
    said = {"reason": "model_failed", "detail": "429: no\nmoney"}
    disclosed = [
        {"decision": 1, "playerId": "p1", "usage": usage, "reasoning": "I have aces"},
        {"decision": 2, "playerId": "p1", "usage": usage, "defaulted": said},
        {"decision": 3, "playerId": "p2", "usage": {"costUsd": 1}},
    ]
    reason = {"reason": "model_failed"}
    fold = acted("p1", "fold", 199, 3, outcome="defaulted", defaulted=reason)
    table = folded(begun(players=players), fold)
    ada, bob = table.in_order
    assert (ada.model, ada.action, ada.faults) == ("small", "fold (model failed)", 1)
    assert table.costs_of(ada) is None
    after = table.after(completed(disclosed=disclosed))
    assert after.news[1:] == (
        "Ada, decision 1: small, 1,500 tokens, $0.01; “I have aces”",
        "Ada, decision 2: default: model failed, 429: no money; small, 1,500 tokens, $0.01",
    )
    costs, other = (after.costs_of(seat) for seat in after.in_order)
    assert costs is not None
    assert other is not None
    assert (costs.tokens_per_100_hands, costs.usd_per_100_hands) == (300_000, 2)
    assert (costs.won_per_usd, other.won_per_usd) == (250, -5)
    assert table.costs_of(bob) is None, "a table does not change"


def test_a_street_takes_the_bets_in() -> None:
    street = status("street_dealt", bettingRound="flop", communityCards=FLOP)
    table = folded(begun(), acted("p1", "call", 198, 4, amount=2), street)
    assert [seat.bet for seat in table.in_order] == [0, 0]
    assert [card.text for card in table.board] == ["Qh", "Jh", "Th"]


def test_a_hand_ends_with_results() -> None:
    """They are stacks, chips won, shown cards and how the hand ended."""
    shown = [{"playerId": "p1", "cards": FLOP[:2], "rankName": "Pair"}]
    table = folded(begun(), completed(shown=shown))
    ada, bob = table.in_order
    assert (ada.stack, ada.won, bob.stack, bob.won) == (210, 10, 90, -10)
    assert ada.shown is not None
    assert ada.shown.rank_name == "Pair"
    assert (table.pot, table.outcome, table.hands) == (20, "Ada wins 20", 1)
    again = table.after(begun(2))
    assert (again.outcome, again.in_order[0].shown, again.in_order[0].won) == ("", None, 10)


class TestSnapshots:
    """Snapshots at the beginning of a stream and after a lost cursor."""

    def test_it_may_begin_in_the_middle_of_a_hand(self) -> None:
        table = WatchedTable.of(room_of(PLAYERS, "r1", acted("p1", "call", 30, 44, amount=2)))
        assert (table.pot, table.in_order[0].stack) == (44, 200)

    def test_who_has_left_since_is_not_there(self) -> None:
        """A player that the newest events name is not seated."""
        table = WatchedTable.of(room_of(PLAYERS[:1], "r1", begun(), completed()))
        assert [(seat.name, seat.stack) for seat in table.in_order] == [("Ada", 200)]

    def test_hands_before_the_first_snapshot_are_not_counted(self) -> None:
        table = WatchedTable.of(room_of(PLAYERS, "r1", begun(), completed()))
        assert (table.hands, [seat.won for seat in table.in_order]) == (0, [0, 0])
        after = table.after(begun(2)).after(completed(2))
        assert (after.hands, after.in_order[0].won) == (1, 10)

    def test_no_hand_counts_twice(self) -> None:
        """Hands that were seen before the snapshot are counted once."""
        played = [
            one.model_copy(update={"sequence": sequence})
            for sequence, one in enumerate([begun(), completed(), begun(2), completed(2)], 1)
        ]
        known = folded(*played[:2])
        assert known.in_order[0].won == 10
        anew = WatchedTable.of(room_of(PLAYERS, "r1", *played), known)
        assert (anew.hands, anew.in_order[0].won) == (2, 20)

    def test_a_room_that_is_over_says_so(self) -> None:
        assert WatchedTable.of(room_of(PLAYERS, state="closed")).state == "closed"


@given(
    st.sampled_from(
        ["hand_started", "action_taken", "hand_completed", "table_status", "player_registered"]
    ),
    st.dictionaries(
        st.sampled_from(["handNumber", "playerId", "kind", "stacks", "players", "status", "pot"]),
        st.sampled_from([None, 0, -1, 1e15, "", "p1", [], [7], {}]),
    ),
)
def test_a_foreign_payload_leaves_every_player_with_the_same_chips(
    kind: str, payload: dict[str, Any]
) -> None:
    """Its message is shown; a hand that begins or ends takes the bets in."""
    before = folded(begun())
    after = before.after(event(kind, "strange", **payload))
    assert after.news == ("strange",)
    assert [(seat.name, seat.number, seat.stack, seat.won) for seat in after.in_order] == [
        (seat.name, seat.number, seat.stack, seat.won) for seat in before.in_order
    ]


def test_the_newest_lines_are_kept() -> None:
    table = folded(*(event("table_error", str(number)) for number in range(100)))
    assert table.lines == tuple(str(number) for number in range(100 - MAX_LINES, 100))
