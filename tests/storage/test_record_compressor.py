"""Records, compressed and read again."""

import pytest
from casino_storage.record_compressor import DamagedRecord, RecordCompressor
from hypothesis import given
from hypothesis import strategies as st

EVENT = (
    b'{"tableId":"main","eventType":"action_taken","message":"Caller calls",'
    b'"timestamp":"2026-11-24T11:49:04.346Z","payload":{"handNumber":91,"playerId":"player-1",'
    b'"bettingRound":"preflop","action":"call","amount":2,"pot":4,"stack":135,"outcome":"ok",'
    b'"latencyMs":1},"sequence":806,"epoch":1,"handId":"main/91"}'
)


@given(st.binary(max_size=2_000))
def test_any_record_is_read_again(content: bytes) -> None:
    compressor = RecordCompressor()
    assert compressor.decompress(compressor.compress(content)) == content


@given(st.lists(st.binary(max_size=300), max_size=8))
def test_many_records_are_compressed_as_each_is(contents: list[bytes]) -> None:
    compressor = RecordCompressor()
    assert compressor.compress_all(contents) == [compressor.compress(each) for each in contents]


def test_an_event_takes_a_fifth() -> None:
    assert len(RecordCompressor().compress(EVENT)) * 5 < len(EVENT)


@pytest.mark.parametrize("kept", [0, 1, 4, 12, -1])
def test_a_cut_record_is_damaged(kept: int) -> None:
    compressor = RecordCompressor()
    with pytest.raises(DamagedRecord):
        compressor.decompress(compressor.compress(EVENT)[:kept])


@given(st.binary(max_size=200))
def test_other_bytes_are_damaged(content: bytes) -> None:
    with pytest.raises(DamagedRecord):
        RecordCompressor().decompress(content)


def test_a_record_cannot_claim_any_size() -> None:
    """Its size is checked before memory is reserved for it."""
    header = bytearray(RecordCompressor().compress(b"x" * 70_000)[:11])
    assert header[4] >> 6 == 2  # the size has four bytes, after the number of the dictionary
    header[6:10] = (2**32 - 1).to_bytes(4, "little")
    with pytest.raises(DamagedRecord, match="no compressed record"):
        RecordCompressor().decompress(bytes(header))
