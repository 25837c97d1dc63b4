"""Conduct of blocks adds up."""

from casino_contracts.statistics.play_counts import PlayCounts
from casino_match.domain.block import Conduct
from casino_match.results.conduct import (
    defaults_of,
    merge,
    play_of,
    positions_of,
    streets_of,
)


def conduct(position: str, net: int) -> Conduct:
    result = Conduct(
        outcomes={"ok": 3, "retried": 1, "illegal": 1},
        play={position: PlayCounts(vpip=1, vpip_of=1, calls=2)},
        net={position: net},
        hands={position: 1},
        ended_on={"river": net},
    )
    result.latency.add(7)
    return result


def test_everything_is_added_and_nothing_else_is_changed() -> None:
    total, first = Conduct(), conduct("BB", 4)
    for part in (first, conduct("BTN", -1), conduct("BB", 2)):
        merge(total, part)
    assert first == conduct("BB", 4)
    assert total.outcomes == {"ok": 9, "retried": 3, "illegal": 3}
    assert defaults_of(total) == 3
    assert play_of(total) == PlayCounts(vpip=3, vpip_of=3, calls=6)
    assert total.latency.total == 3
    assert [(each.position, each.hands, each.net) for each in positions_of(total)] == [
        ("BTN", 1, -1),
        ("BB", 2, 6),
    ]
    assert [(each.street, each.net) for each in streets_of(total)] == [("river", 5)]


def test_positions_stand_in_the_order_of_the_table() -> None:
    total = Conduct()
    names = ["CO", "UTG", "BB", "HJ", "UTG+1", "BTN", "SB"]
    for name in names:
        merge(total, conduct(name, 0))
    assert [each.position for each in positions_of(total)] == [
        "BTN", "SB", "BB", "UTG", "UTG+1", "HJ", "CO",
    ]  # fmt: skip
