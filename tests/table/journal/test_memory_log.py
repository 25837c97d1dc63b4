"""The log in memory: what it keeps is bounded in number and in bytes."""

import random
import string

from casino_table.journal.journal_log import CONFIGURED, SETTLED, JournalRecord, MemoryLog
from support.memory import kept_bytes

KIB = 1024


def played(log: MemoryLog, number: int, text: str = "") -> None:
    log.append(1, JournalRecord("decision", {"hand": number, "message": text}), [])
    log.append(1, JournalRecord(SETTLED, {"hand": number}, {"hand_number": number}), [])


def kept(log: MemoryLog, last: int) -> list[int]:
    """Return the numbers of the kept hands up to `last`."""
    return [number for number in range(1, last + 1) if log.hand(number)]


def noise(dice: random.Random, length: int) -> str:
    """Return a text that cannot be packed well."""
    return "".join(dice.choices(string.ascii_letters + string.digits, k=length))


class TestBounds:
    def test_so_many_hands(self) -> None:
        log = MemoryLog(hands_kept=3)
        for number in range(1, 6):
            played(log, number)
        assert [bool(log.hand(number)) for number in range(1, 6)] == [
            False,
            False,
            True,
            True,
            True,
        ]

    def test_so_many_bytes(self) -> None:
        """Of players that write much, fewer hands than configured, and the newest ones."""
        log, dice = MemoryLog(bytes_kept=64 * KIB), random.Random(1)
        for number in range(1, 101):
            played(log, number, noise(dice, 8 * KIB))
        newest = kept(log, 100)
        assert newest == list(range(101 - len(newest), 101))
        assert 8 <= len(newest) <= 11

    def test_the_newest_hand_in_any_case(self) -> None:
        """Even if it alone exceeds the bound."""
        log = MemoryLog(bytes_kept=KIB)
        text = noise(random.Random(2), 64 * KIB)
        played(log, 1)
        played(log, 2, text)
        assert not log.hand(1)
        assert log.hand(2)[1].content == {"hand": 2, "message": text}

    def test_a_void_hand_and_a_closed_table_free_their_bytes(self) -> None:
        """So that they do not cost later hands their place."""
        log, dice = MemoryLog(bytes_kept=24 * KIB), random.Random(3)
        for number in (1, 2):
            played(log, number, noise(dice, 12 * KIB))
        log.append(2, JournalRecord(CONFIGURED, {}, {"hand_number": 1}), [])  # hand 2 is void
        assert kept(log, 2) == [1]
        played(log, 2, noise(dice, 12 * KIB))
        assert kept(log, 2) == [1, 2]
        log.forget()
        assert not log.hand(2)
        for number in (1, 2):
            played(log, number, noise(dice, 12 * KIB))
        assert kept(log, 2) == [1, 2]

    def test_a_thousand_hands_of_six_seats_take_little(self) -> None:
        """Less than 2 MiB of 8 MiB as they are written."""
        log, dice = MemoryLog(), random.Random(4)
        content = {f"decision {number}": noise(dice, 20) + " " * 300 for number in range(24)}

        def play() -> None:
            for number in range(1, 1_001):
                state = {"hand_number": number}
                log.append(1, JournalRecord("decisions", content), [])
                log.append(1, JournalRecord(SETTLED, {}, state), [])

        assert kept_bytes(log, play) < 2 * KIB * KIB
        assert log.hand(1)
