"""Build the blocks of tables from their records."""

from collections.abc import Sequence

from casino_compression import RecordCompressor

from casino_table.journal.codec import StoredRecord
from casino_table.journal.table_tail import Block, TableTail, place_of

MOST_PENDING = 256 * 1024
"""Bytes of a table's records that wait for the end of their hand; then they become a block."""


class BlockBuilder:
    """Compresses runs of records."""

    def __init__(self, compressor: RecordCompressor) -> None:
        self._compressor = compressor

    def completed(
        self, tail: TableTail, records: Sequence[StoredRecord]
    ) -> tuple[list[Block], Sequence[StoredRecord]]:
        """Return the blocks that end with records after a tail, and the records after the last.

        A block ends with each record that has the table's full state.
        """
        blocks: list[Block] = []
        run, first, chain = tail.pending.copy(), tail.blocked + 1, tail.hash
        rest = 0
        for at, item in enumerate(records, 1):
            run.append(item.text)
            if item.record.table is None:
                continue
            place, kind, hand = place_of(tail.table, item.number), item.record.kind, item.hand
            block = Block(place, first, kind, item.epoch, item.sequence, hand, self._body(run), b"")
            chain = block.hash_after(chain)
            blocks.append(block._replace(hash=chain))
            run, first, rest = [], item.number + 1, at
        return blocks, records[rest:]

    def pending(self, tail: TableTail) -> Block:
        """Return a block of the pending records of a tail, which ends without the full state."""
        place, first = place_of(tail.table, tail.number), tail.blocked + 1
        body = self._body(tail.pending)
        block = Block(place, first, None, tail.epoch, tail.sequence, tail.hand, body, b"")
        return block._replace(hash=block.hash_after(tail.hash))

    def _body(self, run: Sequence[bytes]) -> bytes:
        return self._compressor.compress(b"".join(run))
