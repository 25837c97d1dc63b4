"""What is refused keeps no memory: each defence, and what happens without it, in real processes."""

import pytest
from casino_agentkit.protocol import INPUT_LIMIT
from casino_agentkit.server.connections import Collection
from support.attack.large_calls import INTERFACES, PAD, Growth, calls_of, growth, victim

MOST_MIB = 24
MEGABYTE = 900_000
"""Size of a body that was taken when there was one limit for all."""
OTHERS_OFF = {
    "limits": (),
    "release": ("limits", "collection", "python's collection"),
    "collection": ("limits", "release", "python's collection"),
}
"""For each defence, what is off in both runs, so that it alone decides."""


def refused(
    *without: str, interface: str = "invoke", size: int = MEGABYTE, skill: str = "act"
) -> Growth:
    """Return what refused calls leave at a sample player without some defences."""
    player = ("casino_player_example", "caller", "--port", "0")
    with victim(*player, without=without) as target:
        return growth(
            target, calls_of("", skill, {"pad": PAD}, size)[interface], first=20, calls=80
        )


@pytest.mark.full
class TestProcesses:
    @pytest.mark.parametrize("interface", INTERFACES)
    async def test_the_largest_refused_calls_leave_nothing(self, interface: str) -> None:
        """With Python's own collection off: every body is freed by its last reference."""
        off = ("collection", "python's collection")
        left = refused(*off, interface=interface, size=INPUT_LIMIT, skill="act")
        assert b"invalid" in left.reply.lower()
        assert left.mib < MOST_MIB / 4

    async def test_a_larger_body_is_not_read(self) -> None:
        assert refused(*OTHERS_OFF["limits"]).status in {0, 413}
        assert refused("limits").status == 400

    @pytest.mark.parametrize("defence", ["release", "collection"])
    async def test_a_defence_keeps_the_memory_flat_and_without_it_it_grows(
        self, defence: str
    ) -> None:
        off = OTHERS_OFF[defence]
        assert refused(*off).mib < MOST_MIB
        assert refused(*off, defence).mib > MOST_MIB


class TestCollection:
    def test_it_collects_for_every_so_many_bytes(self) -> None:
        collected: list[int] = []
        collection = Collection(lambda: collected.append(1), every_bytes=100)
        for size in (60, 39):
            collection.take(size)
        assert len(collected) == 0
        collection.take(1)
        assert len(collected) == 1
        collection.take(1_000)
        collection.take(99)
        assert len(collected) == 2
