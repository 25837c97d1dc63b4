"""The order in which a member publishes own commits and those of others."""

from typing import NamedTuple

from casino_lobby.store.replicas import Ordering
from hypothesis import given
from hypothesis import strategies as st


class Commit(NamedTuple):
    """A commit of the group: whether it is the member's own, and the number of its items."""

    is_own: bool
    size: int


COMMITS = st.lists(st.builds(Commit, st.booleans(), st.integers(0, 3)), max_size=12)


def test_an_own_commit_waits_for_those_before_it() -> None:
    ordering = Ordering[str]()
    assert ordering.commit(2, ["own"]) == []
    assert ordering.commit(3, ["own too"]) == []
    assert ordering.has_gap
    assert ordering.follow(2, [(1, "first"), (2, "second")]) == [
        (1, "first"),
        (2, "second"),
        (3, "own"),
        (4, "own too"),
    ]
    assert (ordering.position, ordering.has_gap) == (4, False)


def test_a_number_may_have_several_items_or_none() -> None:
    """Several rooms change hands at once; what was deleted leaves a gap."""
    ordering = Ordering[str]()
    assert ordering.follow(5, [(2, "a"), (2, "b"), (4, "c")]) == [(2, "a"), (2, "b"), (4, "c")]
    assert ordering.position == 5


@given(COMMITS, st.lists(st.integers(0, 2), max_size=60))
def test_everything_is_published_once_and_in_order(
    commits: list[Commit], choices: list[int]
) -> None:
    """However commits, their answers and readings interleave; own items are preferred to read ones.

    The database commits one after the other. The answer to an own commit may come later, but in
    order, and a reading may be taken in later than its state, up to which it is complete.
    """
    ordering = Ordering[tuple[str, int]]()
    stored: list[tuple[int, tuple[str, int]]] = []
    unanswered: list[tuple[int, int]] = []
    reading: tuple[int, list[tuple[int, tuple[str, int]]]] | None = None
    published: list[tuple[int, tuple[str, int]]] = []
    newest, waiting = 0, list(commits)
    while waiting or unanswered or ordering.position < newest:
        steps = ["read"] + ["commit"] * bool(waiting) + ["answer"] * bool(unanswered)
        match steps[(choices.pop() if choices else -1) % len(steps)]:
            case "commit":
                commit = waiting.pop(0)
                if commit.is_own:
                    unanswered.append((newest, commit.size))
                for _ in range(commit.size):
                    newest += 1
                    stored.append((newest, ("read", newest)))
            case "answer":
                after, size = unanswered.pop(0)
                items = [("own", number) for number in range(after + 1, after + size + 1)]
                published += ordering.commit(after, items)
            case "read" if reading is None:
                reading = newest, [item for item in stored if item[0] > ordering.position]
            case "read":
                assert reading is not None
                published += ordering.follow(*reading)
                reading = None
    assert [number for number, _ in published] == list(range(1, newest + 1))
    assert all(number == item[1] for number, item in published)
    assert not ordering.has_gap
    assert ordering.position == newest
