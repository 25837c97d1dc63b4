"""Kept messages are bounded, and found after the one that the client saw."""

from casino_gateway.a2g.a2g_session import RecentMessages, SentMessage


def sent(number: int, body: bytes = b"x") -> SentMessage:
    return SentMessage(f"m{number}", number, "room", body)


def test_the_oldest_go_first() -> None:
    box = RecentMessages(messages=3, size=100)
    for number in range(5):
        box.add(sent(number))
    assert [each.sequence for each in box.after("m3", 9).messages] == [4]
    assert len(box) == 3
    box.add(sent(5, b"y" * 100))
    assert [each.sequence for each in box.after("gone", 9).messages] == [5]
    box.add(sent(6, b"y" * 101))
    assert len(box) == 0


def test_only_what_is_sent_again_is_returned() -> None:
    """Up to a sequence; after an unknown message all that is kept, which may not be all."""
    box = RecentMessages()
    for number in range(1, 7):
        box.add(sent(number, b"" if number == 4 else b"x"))
    missed = box.after("m2", before=6)
    assert [each.sequence for each in missed.messages] == [3, 5]
    assert missed.is_complete
    unknown = box.after("other", before=6)
    assert [each.sequence for each in unknown.messages] == [1, 2, 3, 5]
    assert not unknown.is_complete
    assert box.after("m4", before=6).is_complete
