"""The hands of a match on disk."""

from collections.abc import Iterator
from pathlib import Path

from casino_histories import HandHistory

from casino_match.errors import StoreFailed
from casino_match.export.match_hands import MatchHands
from casino_match.store.match_directory import MatchDirectory


def hands_of_match(path: Path) -> Iterator[HandHistory]:
    """Yield the hands of the blocks before the first that was not played, in order.

    One block is in memory at a time. Raises StoreFailed.
    """
    directory = MatchDirectory(path)
    written = directory.read_plan()
    if written is None:
        raise StoreFailed(f"{path} holds no match: there is no plan.json")
    hands = MatchHands(written.plan)
    for block in directory.blocks(written.plan).in_order():
        yield from hands.of_block(block)
