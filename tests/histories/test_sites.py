"""Files of sites: what people have on their disks is read, or named with a way out."""

from datetime import UTC, datetime
from fractions import Fraction

import pytest
from casino_histories import UnreadableHistory
from support.histories.site_hands import FIELD, described, hand, items, nets, only


class TestWhoWritesTheTextOfPokerstars:
    """The first word is another one, and little else."""

    def test_a_cash_hand_of_ggpoker(self) -> None:
        found = only((FIELD / "k03_ggpoker_cash.txt").read_bytes())
        assert nets(found) == {
            "bbbb0002": Fraction(-1, 100),
            "Hero": Fraction(-6, 100),
            "aaaa0001": Fraction(6, 100),
        }
        assert (found.hand_id, found.number) == ("ggpoker/HD1000000001", 1_000_000_001)
        assert found.started_at == datetime(2026, 2, 17, 14, 37, 16, tzinfo=UTC)

    def test_a_tournament_of_ggpoker(self) -> None:
        text = """Poker Hand #TM77: Tournament #9, Sunday #12: Big 1/2 (Re) Hold'em No Limit - \
Level14(1,500/3,000(400)) - 2025/01/05 10:11:12
Table '7' 8-max Seat #3 is the button
Seat 1: a1 (45,000 in chips)
Seat 2: b2 (62,750 in chips, $5 bounty)
Seat 3: Hero (30,400 in chips)
a1: posts the ante 400
b2: posts the ante 400
Hero: posts the ante 400
a1: posts small blind 1,500
b2: posts big blind 3,000
*** HOLE CARDS ***
Dealt to a1
Dealt to b2
Dealt to Hero [Ah Kd]
Hero: raises 3,300 to 6,300
a1: folds
b2: folds
Uncalled bet (3,300) returned to Hero
*** SHOWDOWN ***
Hero collected 8,700 from pot
*** SUMMARY ***
Total pot 8,700 | Rake 0 | Jackpot 0 | Bingo 0 | Fortune 0 | Tax 0
Seat 1: a1 (small blind) folded before Flop
Seat 2: b2 (big blind) folded before Flop
Seat 3: Hero (button) collected (8,700)
"""
        assert nets(only(text)) == {"a1": -1_900, "b2": -3_400, "Hero": 5_300}

    @pytest.mark.parametrize(
        ("words", "site"),
        [
            ("PokerStars Game", "pokerstars"),
            ("PokerStars Zoom Hand", "pokerstars"),
            ("PokerStars Home Game Hand", "pokerstars"),
            ("POKERSTARS GAME", "pokerstars"),
            ("Poker Hand", "ggpoker"),
            ("Full Tilt Hand", "fulltilt"),
            ("PokerBros Hand", "pokerbros"),
            ("PokerMaster Hand", "pokermaster"),
            ("Run It Once Poker Hand", "runitoncepoker"),
            ("Hand", "hand"),
            ("Some New Site Hand", "somenewsite"),
        ],
    )
    def test_first_words(self, words: str, site: str) -> None:
        for before in ("", "\n \n", "*********** # 1 **************\n", "\ufeff", " "):
            assert only(before + hand(12, words)).hand_id == f"{site}/12"

    def test_an_archive_with_lines_of_numbers(self) -> None:
        found = items((FIELD / "k09_ps_archive_with_number_lines.txt").read_bytes())
        assert described(found) == ["pokerstars/700000000061", "pokerstars/700000000062"]

    def test_an_archive_whose_lines_are_indented(self) -> None:
        lines = hand().splitlines()
        assert nets(only("\n".join(f" {line} " for line in lines))) == {
            "Ben": -1,
            "Cy": 1,
            "Ana": 0,
        }

    def test_a_header_with_a_cap(self) -> None:
        found = only((FIELD / "k12_ps_header_with_cap.txt").read_bytes())
        assert nets(found) == {"Ben": Fraction(-1, 2), "Cy": Fraction(1, 2), "Ana": 0}

    def test_a_hand_of_run_it_once(self) -> None:
        """Another word for the table, times without seconds, and showing without a colon."""
        text = """Run It Once Poker Hand #5: Hold'em No Limit (€0.02/€0.04) - 2019/02/08 15:19 UTC \
[2019/02/08 16:19 CET]
Table ID '30698037' 6-Max Seat #1 is the button
Seat 1: John R(€4 in chips)
Seat 2: Barre (€7.16 in chips) [hero]
John R: posts small blind €0.02
Barre: posts big blind €0.04
*** HOLE CARDS ***
Dealt to Barre[4s 4d]
John R: calls €0.02
Barre: checks
*** FLOP *** [4c Qc 5h]
Barre: checks
John R: checks
*** TURN *** [4c Qc 5h] [6d]
Barre: checks
John R: checks
*** RIVER *** [4c Qc 5h 6d] [8s]
Barre: checks
John R: checks
*** SHOWDOWN ***
Barre shows [4s 4d] for Three of Kind [Qc 8s 4s 4d 4c]
Barre shows [4s 4d] for Three of Kind [Qc 8s 4s 4d 4c]
Barre collected €0.08 from pot
*** SUMMARY ***
Total pot €0.08 | Rake €0
"""
        found = only(text)
        assert nets(found) == {"John R": Fraction(-4, 100), "Barre": Fraction(4, 100)}
        assert found.shown == ((0, ("4s", "4d"), "Three of Kind"),)
        assert found.table == "30698037"
        assert found.started_at == datetime(2019, 2, 8, 15, 19, tzinfo=UTC)

    def test_winners_of_the_summary_count_where_nothing_else_names_them(self) -> None:
        text = hand().replace("Cy collected $2 from pot\n", "")
        text += "Seat 3: Cy (big blind) collected ($2)\n"
        assert nets(only(text)) == {"Ben": -1, "Cy": 1, "Ana": 0}

    @pytest.mark.parametrize(
        "name",
        [
            "Ana: folds",
            "$200",
            "A (1 in chips) b",
            "[Ah Kd]",
            "Ана",
            "李 白",
            '"x"',
            "a'b' c",
            "Cy 2",
        ],
    )
    def test_names_of_any_letters(self, name: str) -> None:
        for line in (
            "{}: shows [Ah Kd] (a pair)\n",
            "{}: doesn't show hand\n",
            "{} has timed out\n",
        ):
            text = hand().replace("Cy", name).replace("*** SUMM", line.format(name) + "*** SUMM")
            assert nets(only(text)) == {"Ben": -1, name: 1, "Ana": 0}

    def test_lines_that_are_no_play(self) -> None:
        lines = """Dot: sits out
Dot joins the table at seat #4
Ana has timed out
Ana: is sitting out
Ben is disconnected
Dot will be allowed to play after the button
Ana: Chooses to EV Cashout
Ana: Pays Cashout Risk ($1.85)
Ana: Receives Cashout ($2)
Ana cashed out the hand for $6.63 | Cash Out Fee $0.07
Ana: pay premium of all-in insurance ($4)
Ana wins the $2.50 bounty for eliminating Dot
"""
        text = hand().replace("Ana: folds\n", lines + "Ana: folds\n")
        assert nets(only(text)) == {"Ben": -1, "Cy": 1, "Ana": 0}

    def test_chips_that_the_site_puts_into_a_pot(self) -> None:
        """Less the fees: what leaves the table is the rake, here five chips less than none."""
        for line in ("Cash Drop to Pot : total $6", "STP added: $6"):
            text = hand().replace("Ana: folds", f"{line}\nAna: folds")
            text = text.replace("collected $2", "collected $7").replace("| Rake $0", "| Rake $1")
            found = only(text)
            assert nets(found) == {"Ben": -1, "Cy": 6, "Ana": 0}
            assert found.rake == -5

    def test_all_chips_that_leave_the_table_are_rake(self) -> None:
        fees = "Rake $0.05 | Jackpot $0.04 | Bingo $0.03 | Fortune $0.02 | Tax $0.01"
        text = hand().replace("Rake $0", fees).replace("collected $2", "collected $1.85")
        found = only(text)
        assert (found.rake, nets(found)["Cy"]) == (15, Fraction(85, 100))

    def test_straddles_of_ggpoker_are_totals(self) -> None:
        text = hand().replace("*** HOLE", "Cy: straddle $4\nAna: straddle $8\n*** HOLE")
        text = text.replace("Ana: folds\n", "").replace("Ben: folds", "Ben: folds\nCy: folds")
        text = text.replace("($1) returned to Cy", "($4) returned to Ana")
        text = text.replace("Cy collected $2", "Ana collected $9")
        assert nets(only(text)) == {"Ben": -1, "Cy": -4, "Ana": 5}


OTHERS = {
    "888poker": "#Game No : 1\n***** 888poker Hand History for Game 1 *****\n$1/$2 Blinds",
    "Party Poker": "***** Hand History for Game 1 *****\n$2 USD NL Texas Hold'em - Monday",
    "Winamax": "Winamax Poker - CashGame - HandId: #1-2-3 - Holdem no limit (0.01€/0.02€) - 2025",
    "iPoker": '<?xml version="1.0"?>\n<session sessioncode="1">\n<general>',
    "Bovada": "Bovada Hand #1 TBL#2 HOLDEM No Limit - 2020-01-01 00:00:00",
    "Ignition": "Ignition Hand #1: HOLDEM Tournament #2 TBL#3, No Limit - Level 1 (10/20)",
    "Ongame": "***** History for hand R5-1 *****\nStart hand: Mon",
    "America's Cardroom": "Game Hand #1 - Holdem(No Limit) - $1/$2 - 2021/02/25 22:07:46 UTC",
    "WPN": "Hand #1 - Holdem(No Limit) - $0.02/$0.05 - 2021/04/20 18:42:26 UTC\nX 9-max Seat #5",
    "Merge": '<description type="Holdem" stakes="No Limit"/>\n<game id="1-2" starttime="20120101">',
    "Unibet": "Game #1: Table €1 NL - 0.05/0.10 - No Limit Hold'Em Banzai - 13:22:50 2021/04/04",
    "Full Tilt Poker": "Full Tilt Poker Game #1: Table A - $1/$2 - No Limit Hold'em - 21:39:52 ET",
    "Microgaming": '<Game hhversion="2" id="1" date="2012-08-10 23:28:15">',
    "Boss Media": '<HISTORY ID="1" SESSION="s.xml" TABLE="T">',
    "if it is in another language": "PokerStars - Mano n.º 1: Hold'em Sin Límite ($1/$2 USD)",
    "summary of a tournament": "PokerStars Tournament #1, No Limit Hold'em\nBuy-In: $1/$0.10 USD",
    "Poker Now": 'entry,at,order\n"-- starting hand #1 --",2025-01-01,1',
    "CSV": "hand_id,table,hand,time\r\n",
    "HTML": "<!DOCTYPE html><html>",
}


@pytest.mark.parametrize(("site", "text"), OTHERS.items())
def test_another_site_is_named_with_a_way_out(site: str, text: str) -> None:
    with pytest.raises(UnreadableHistory, match=site) as refused:
        items(text)
    assert any(
        words in str(refused.value) for words in ("convert", "set that", "take", "export", "save")
    )


def test_an_unknown_file_says_how_it_begins() -> None:
    with pytest.raises(UnreadableHistory, match="it begins with 'hello'"):
        items("\n\nhello\nworld")
    with pytest.raises(UnreadableHistory, match="it is empty"):
        items("")
    for content in (b"PK\x03\x04\0\0", b"\x1f\x8b\x08"):
        with pytest.raises(UnreadableHistory, match="unpack it"):
            items(content)


@pytest.mark.parametrize("site", ["Winamax", "Bovada", "America's Cardroom", "Merge", "Boss Media"])
def test_hands_of_another_format_between_others_are_named(site: str) -> None:
    other = OTHERS[site] + "\nSeat 1: Ana ($200)\nAna folds\n"
    found = items(hand(1) + "\n" + other + other + "\n" + hand(2))
    assert described(found)[::2] == ["pokerstars/1", "pokerstars/2"]
    assert str(found[1]).startswith(f"line 16: hand of {site}")
    found = items(other + hand(2))
    assert str(found[0]).startswith(f"line 1: hand of {site}")
    assert len(found) == 2
