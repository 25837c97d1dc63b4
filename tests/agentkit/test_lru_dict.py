"""The dictionary that keeps the most recently used entries."""

from collections import OrderedDict
from random import Random

from casino_agentkit.bounded_state import LruDict


def test_it_agrees_with_a_list_in_order_of_use() -> None:
    """Values that are false are entries, too."""
    random, size = Random(7), 5
    entries, expected = LruDict[int, int](size), OrderedDict[int, int]()
    for step in range(10_000):
        key = random.randrange(9)
        if random.random() < 0.5:
            entries.put(key, step % 3)
            expected.pop(key, None)
            expected[key] = step % 3
            while len(expected) > size:
                del expected[next(iter(expected))]
        else:
            assert entries.get(key) == expected.get(key)
            if key in expected:
                expected[key] = expected.pop(key)
        assert len(entries) == len(expected)
