"""Drawn cards, decoded again."""

import struct
import zlib

import pytest
from casino_contracts import Card
from casino_lobby.preview import previews
from casino_lobby.preview.card_canvas import ELLIPSIS, typefaces
from casino_lobby.preview.facts import HandFacts, HandPlayer, RoomFacts
from casino_lobby.preview.previews import HEIGHT, WIDTH, hand_card, room_card


def decoded(image: bytes) -> list[list[int]]:
    """Return the colours of a PNG's pixels, after its checksums."""
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(image):
        (size,) = struct.unpack_from(">I", image, at)
        kind, content = image[at + 4 : at + 8], image[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", image, at + 8 + size)[0] == zlib.crc32(kind + content)
        chunks[kind] = content
        at += 12 + size
    width, height, depth, colour_type = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (depth, colour_type) == (8, 3)
    colours = [
        int.from_bytes(chunks[b"PLTE"][i : i + 3]) for i in range(0, len(chunks[b"PLTE"]), 3)
    ]
    rows = zlib.decompress(chunks[b"IDAT"])
    assert len(rows) == height * (width + 1)
    assert {rows[y * (width + 1)] for y in range(height)} == {0}
    return [
        [colours[place] for place in rows[y * (width + 1) + 1 : (y + 1) * (width + 1)]]
        for y in range(height)
    ]


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.from_text(one) for one in text.split())


def hand(*players: HandPlayer, board: str = "", pot: float | None = 10) -> HandFacts:
    return HandFacts("main", 1, 1, players, cards(board), pot, None, None)


def test_a_hand_shows_board_and_hole_cards_in_their_colours() -> None:
    image = decoded(
        hand_card(
            hand(HandPlayer("Ada", 10, cards("Ah Kh"), "Flush"), board="2h 3h 4h Td 9s"), "Casino"
        )
    )
    assert (len(image), len(image[0])) == (HEIGHT, WIDTH)
    seen = {colour for row in image for colour in row}
    assert {
        previews.SUITS["hearts"],
        previews.SUITS["diamonds"],
        previews.SUITS["spades"],
    } <= seen
    assert previews.SUITS["clubs"] not in seen
    assert {previews.GOLD, previews.FELT, previews.GROUND, previews.CARD} <= seen


def test_nothing_is_drawn_outside_the_felt() -> None:
    long = HandPlayer("Ŵ" * 40, 1e15, cards("Ah Kh"), "A Very Long Name Of A Rank Indeed " * 9)
    foreign = HandPlayer("日本語 🃏 \u202e العربية", 0, cards("Th Tc"), "")
    none = HandPlayer("", 0, (), "")
    players = tuple(("W" * 40, 1e15) for _ in range(10))
    images = [
        hand_card(
            hand(long, foreign, long, foreign, none, board="Th Th Th Th Th", pot=1e15), "W" * 99
        ),
        hand_card(hand(long, foreign, pot=None), ""),
        hand_card(hand(), "Casino"),
        room_card(RoomFacts("W" * 40, "running", 10**9, players, is_holdem=True), "W" * 99),
        room_card(RoomFacts("", "idle", 0, (), is_holdem=False), ""),
    ]
    for image in map(decoded, images):
        frame = [row[x] for row in image for x in (*range(20), *range(WIDTH - 20, WIDTH))]
        frame += [colour for y in (*range(20), *range(HEIGHT - 20, HEIGHT)) for colour in image[y]]
        assert set(frame) == {previews.GROUND}
        assert {row[40] for row in image[60 : HEIGHT - 60]} == {previews.FELT}
        assert {row[WIDTH - 45] for row in image[60 : HEIGHT - 60]} == {previews.FELT}


@pytest.mark.parametrize("name", ["small", "text", "title"])
def test_a_text_fits_its_width(name: str) -> None:
    typeface = typefaces()[name]
    for text in ("Ada", "W" * 80, "Grace Hopper " * 9, "日" * 50):
        fitted = typeface.fit(text, 300)
        assert typeface.width(fitted) <= 300
        assert (fitted == text) == (typeface.width(text) <= 300)
        assert fitted == text or fitted.endswith(ELLIPSIS)
    assert typeface.fit("A\u202ed\u200ba", 300) == "Ada"
