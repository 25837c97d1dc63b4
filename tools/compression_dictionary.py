"""Train a dictionary of records: `python tools/compression_dictionary.py DATA NUMBER FILE`.

The dictionary is one of `casino_storage`. DATA is the directory of a casino that has played
with its journals and its SQLite on disk, in many kinds of rooms; the dictionary learns from their
events and records. It has neither tokens nor hashes: runs of hexadecimal digits are left out.
Prints how many bytes a record takes, with the dictionary that is in use and with the new one, of
records from which it has not learned.
"""

import random
import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import zstandard
from casino_storage.record_compressor import RecordCompressor

SIZE: Final = 16 * 1024
LEVEL: Final = 3
HELD_OUT: Final = 1_000
"""Records that measure the dictionary, and are not learned."""
_SECRET: Final = re.compile(rb"[0-9a-f]{16,}")


def events(database: Path) -> Iterator[bytes]:
    """Yield the events of a lobby."""
    with sqlite3.connect(database) as connection:
        for (content,) in connection.execute("SELECT content FROM event"):
            yield _plain(content)


def records(journal: Path) -> Iterator[bytes]:
    """Yield the runs of records of a process's journal, and those of its newest commits."""
    with sqlite3.connect(journal) as connection:
        for table in ("block", "recent"):
            for (body,) in connection.execute(f"SELECT body FROM {table}"):  # noqa: S608  two names
                yield _plain(body)


def trained(samples: Sequence[bytes], number: int) -> bytes:
    """Return a dictionary with a number."""
    learned: list[bytes | bytearray | memoryview] = [_SECRET.sub(b"", sample) for sample in samples]
    return zstandard.train_dictionary(SIZE, learned, level=LEVEL, dict_id=number).as_bytes()


def _plain(stored: bytes | str) -> bytes:
    if isinstance(stored, str):
        return stored.encode()
    return RecordCompressor().decompress(stored)


def _mean(samples: list[bytes], compressor: zstandard.ZstdCompressor | RecordCompressor) -> float:
    return sum(len(compressor.compress(sample)) for sample in samples) / len(samples)


def main(data: Path, number: int, file: Path) -> None:
    """Train, write and compare a dictionary."""
    samples = [event for path in data.rglob("*.db") for event in events(path)]
    samples += [record for path in data.rglob("*.journal") for record in records(path)]
    random.Random(number).shuffle(samples)  # noqa: S311  no secret
    held_out, learned = samples[:HELD_OUT], samples[HELD_OUT:]
    content = trained(learned, number)
    file.write_bytes(content)
    dictionary = zstandard.ZstdCompressionDict(content, zstandard.DICT_TYPE_FULLDICT)
    new = zstandard.ZstdCompressor(level=LEVEL, dict_data=dictionary, write_checksum=False)
    plain = sum(map(len, held_out)) / len(held_out)
    sys.stdout.write(
        f"{len(learned)} records, {plain:.0f} bytes each: {_mean(held_out, RecordCompressor()):.0f}"
        f" compressed as now, {_mean(held_out, new):.0f} with the new dictionary\n"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
