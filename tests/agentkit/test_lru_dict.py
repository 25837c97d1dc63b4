"""The dictionary that keeps the most recently used entries."""

from collections import OrderedDict
from random import Random

from casino_agentkit.lru_dict import LruDict


def full(*keys: str) -> LruDict[str, str]:
    """Return a dictionary of three entries at most, with these keys put in order."""
    entries = LruDict[str, str](3)
    for key in keys:
        entries.put(key, key.upper())
    return entries


def kept(entries: LruDict[str, str], keys: str) -> str:
    """Return those of `keys` that the dictionary still has; reading them in order uses them."""
    return "".join(key for key in keys if entries.get(key) is not None)


class TestLruDict:
    def test_an_entry_is_returned_and_a_missing_one_is_none(self) -> None:
        """`get` never raises."""
        entries = full("a")
        assert (entries.get("a"), entries.get("b"), len(entries)) == ("A", None, 1)

    def test_the_oldest_entry_is_evicted(self) -> None:
        entries = full("a", "b", "c", "d", "e")
        assert len(entries) == 3
        assert kept(entries, "abcde") == "cde"

    def test_reading_an_entry_keeps_it(self) -> None:
        entries = full("a", "b", "c")
        entries.get("a")
        entries.put("d", "D")
        assert kept(entries, "abcd") == "acd"

    def test_replacing_an_entry_keeps_it_and_evicts_nothing(self) -> None:
        entries = full("a", "b", "c")
        entries.put("a", "other")
        assert len(entries) == 3
        entries.put("d", "D")
        assert kept(entries, "abcd") == "acd"
        assert entries.get("a") == "other"

    def test_values_that_are_false_are_entries_too(self) -> None:
        """An empty text counts as a value, and reading it keeps it."""
        entries = full("a", "b", "c")
        entries.put("a", "")
        entries.put("b", "B")
        entries.put("c", "C")
        assert entries.get("a") == ""
        entries.put("d", "D")
        assert kept(entries, "abcd") == "acd"

    def test_it_agrees_with_a_list_in_order_of_use(self) -> None:
        random, size = Random(7), 5
        entries, expected = LruDict[int, int](size), OrderedDict[int, int]()
        for step in range(10_000):
            key = random.randrange(9)
            if random.random() < 0.5:
                entries.put(key, step)
                expected.pop(key, None)
                expected[key] = step
                while len(expected) > size:
                    del expected[next(iter(expected))]
            else:
                assert entries.get(key) == expected.get(key)
                if key in expected:
                    expected[key] = expected.pop(key)
            assert len(entries) == len(expected)
