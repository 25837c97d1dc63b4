"""Encodings, times and amounts as sites write them."""

import re
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from casino_histories import HandHistory, UnreadableHistory, UnreadHand
from casino_histories.site_notation import SiteAmounts, time_in
from support.histories.site_hands import FIELD, hand, items, nets, only


class TestEncodings:
    """The bytes of older clients, of Notepad, and of files that were joined."""

    def test_windows_1252(self) -> None:
        found = only((FIELD / "k08_ps_cp1252.txt").read_bytes())
        assert nets(found) == {"Ben": -1, "Cy": 1, "Ana": 0}

    @pytest.mark.parametrize(
        "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
    )
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_encodings_and_ends_of_lines(self, encoding: str, end: str) -> None:
        text = (hand(1) + "\n" + hand(2)).replace("Cy", "Zoë").replace("$", "€")
        found = items(text.replace("\n", end).encode(encoding))
        assert [nets(item) for item in found if isinstance(item, HandHistory)] == [
            {"Ben": -1, "Zoë": 1, "Ana": 0}
        ] * 2

    def test_files_that_were_joined(self) -> None:
        """Each with its mark, and one of them in another encoding."""
        content = hand(1).encode("utf-8-sig") + hand(2).replace("Cy", "Zoë").encode("utf-8-sig")
        content += hand(3).replace("Cy", "Zoë").encode("cp1252")
        found = [item for item in items(content) if isinstance(item, HandHistory)]
        assert [sorted(nets(item)) for item in found] == [
            ["Ana", "Ben", "Cy"],
            ["Ana", "Ben", "Zoë"],
            ["Ana", "Ben", "Zoë"],
        ]

    def test_the_zeros_of_a_crash_cost_the_hand_that_was_written(self) -> None:
        found = items(hand(1)[:250].encode() + b"\0" * 5_000 + hand(2).encode())
        assert isinstance(found[0], UnreadHand)
        assert isinstance(found[1], HandHistory)


class TestTimes:
    def test_the_bracketed_time_of_the_east_counts(self) -> None:
        found = only((FIELD / "k05_ps_time_eastern.txt").read_bytes())
        assert found.started_at == datetime(2025, 3, 1, 19, 15, 30, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("text", "time"),
        [
            ("2025/03/01 20:15:30 UTC [2025/03/01 15:15:30 ET]", "2025-03-01T20:15:30+00:00"),
            ("2025/03/01 14:15:30 ET", "2025-03-01T19:15:30+00:00"),
            ("2025/07/01 14:15:30 ET", "2025-07-01T18:15:30+00:00"),
            ("2006/04/01 12:00:00 ET", "2006-04-01T17:00:00+00:00"),
            ("2025/07/01 14:15:30 EST", "2025-07-01T18:15:30+00:00"),
            ("2007/10/14 - 20:00:00 (ET)", "2007-10-15T00:00:00+00:00"),
            ("2025/07/01 20:15:30 CET", "2025-07-01T18:15:30+00:00"),
            ("2025/01/01 20:15:30 CEST", "2025-01-01T19:15:30+00:00"),
            ("2025/07/01 20:15:30 BST", "2025-07-01T19:15:30+00:00"),
            ("2025/07/01 20:15:30 WET", "2025-07-01T19:15:30+00:00"),
            ("2025/07/01 20:15:30 GMT", "2025-07-01T20:15:30+00:00"),
            ("2025/07/01 20:15:30 MSK", "2025-07-01T17:15:30+00:00"),
            ("2025/01/01 9:15:30 PT", "2025-01-01T17:15:30+00:00"),
            ("2025/01/01 9:15:30 UTC+2", "2025-01-01T07:15:30+00:00"),
            ("2019/02/08 15:19 UTC [2019/02/08 16:19 CET]", "2019-02-08T15:19:00+00:00"),
            ("2026/02/17 14:37:16", "2026-02-17T14:37:16+00:00"),
        ],
    )
    def test_zones(self, text: str, time: str) -> None:
        found = time_in(f"PokerStars Hand #1:  Hold'em No Limit ($1/$2) - {text}")
        assert found is not None
        assert found.isoformat() == time

    @pytest.mark.parametrize(
        "text", ["2025/07/01 20:15:30 XYZ", "2025/13/01 20:15:30 ET", "", "now"]
    )
    def test_an_unknown_time_is_none(self, text: str) -> None:
        assert time_in(f"PokerStars Hand #1:  Hold'em No Limit ($1/$2) - {text}") is None


class TestAmounts:
    def test_a_decimal_comma(self) -> None:
        found = only((FIELD / "k20_ps_decimal_comma_one_digit.txt").read_bytes())
        assert nets(found) == {"Ben": Fraction(-1, 2), "Cy": Fraction(1, 2), "Ana": 0}

    @pytest.mark.parametrize(
        ("stack", "number", "amount"),
        [
            ("€0,5", "1.250", "1250"),
            ("€1.250,50", "1.250,50", "1250.50"),
            ("$1,250.50", "1,250", "1250"),
            ("$0.50", "1.255", "1.255"),
            ("1 250,50", "1 250,50", "1250.50"),
            ("1250", "1,250", "1250"),
            ("₹1,00,000.50", "1,00,000", "100000"),
            ("$20", "0,125", "0.125"),
            ("$20", ".50", "0.50"),
            ("$20", "1.250.000", "1250000"),
        ],
    )
    def test_the_other_amounts_say_where_decimals_begin(
        self, stack: str, number: str, amount: str
    ) -> None:
        assert str(SiteAmounts(f"Seat 1: Ana ({stack} in chips)\n").of(number)) == amount

    @pytest.mark.parametrize(
        ("stack", "number"),
        [("€0,5", "1,250"), ("$20", "1.250"), ("$20", "1,2,3"), ("$20", "1.2.3")],
    )
    def test_an_amount_that_remains_open_is_refused(self, stack: str, number: str) -> None:
        with pytest.raises(UnreadableHistory, match=f"'{number}'"):
            SiteAmounts(f"Seat 1: Ana ({stack} in chips)\n").of(number)

    @pytest.mark.parametrize(
        "amount", ["€{}", "{}€", "{} €", "€ {}", "R${}", "{} EUR", "CA${}", "${}", "{}", "¥{}"]
    )
    def test_currencies_before_and_after(self, amount: str) -> None:
        text = hand().replace(" USD", "")
        text = re.sub(r"\$(\d+)", lambda number: amount.format(number[1]), text)
        assert nets(only(text)) == {"Ben": -1, "Cy": 1, "Ana": 0}

    def test_a_small_blind_above_the_big_one_is_refused(self) -> None:
        (item,) = items(hand().replace("($1/$2 USD)", "($5/$2 USD)"))
        assert "the small blind 5 is more than the big blind 2" in str(item)

    def test_a_comma_in_a_number_of_open_hand_history_is_refused(self) -> None:
        text = (FIELD / "k02_two_readable_one_omaha.ohh").read_text().split("\n\n", maxsplit=1)[0]
        (item,) = items(text.replace('"small_blind_amount": 1', '"small_blind_amount": "0,5"'))
        assert "'0,5' is no amount" in str(item)
