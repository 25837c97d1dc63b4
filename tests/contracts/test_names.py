"""Names and ids of strangers: nothing hidden, and no two that look the same."""

import sys
import unicodedata
from typing import Annotated, Any

import pytest
from casino_contracts import distinct_name, name_key
from casino_contracts.base import DisplayName, PlayerId
from casino_contracts.names import DISPLAY_NAME_LIMIT, ID_LIMIT, ID_PATTERN, displayed, is_legible
from casino_contracts.skills import ActionSkill
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

HIDDEN = {
    "bidi override": "\u202e",
    "bidi isolate": "\u2066",
    "arabic letter mark": "\u061c",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\xad",
    "NUL": "\0",
    "escape": "\x1b",
    "line break": "\n",
    "C1: next line": "\x85",
    "C1: control sequence introducer": "\x9b",
    "delete": "\x7f",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "variation selector": "\ufe0f",
    "hangul filler": "\u3164",
    "braille blank": "\u2800",
    "tag": "\U000e0041",
    "noncharacter": "\uffff",
}
BLANKS = {"no-break": "\xa0", "em": "\u2003", "ideographic": "\u3000", "ogham": "\u1680"}


def takes(kind: Any, text: str) -> bool:
    """Tell whether a type takes a text."""
    try:
        TypeAdapter(kind).validate_python(text)
    except ValidationError:
        return False
    return True


class TestIds:
    """What names a player, and later a room."""

    @pytest.mark.parametrize(
        "text", ["player-1", "High Rollers", "Müller's table", "玩家", "a/b", "<b>", "x" * 128, "0"]
    )
    def test_what_can_be_seen_will_do(self, text: str) -> None:
        """In any script; the published schema says so, too."""
        assert takes(PlayerId, text)
        Draft202012Validator(TypeAdapter(PlayerId).json_schema()).validate(text)

    @pytest.mark.parametrize("name", [*HIDDEN, *BLANKS])
    @pytest.mark.parametrize("around", ["{}", "a{}b", "{}a", "a{}"])
    def test_what_cannot_be_seen_is_refused(self, name: str, around: str) -> None:
        """Wherever it stands."""
        assert not takes(PlayerId, around.format({**HIDDEN, **BLANKS}[name]))

    @pytest.mark.parametrize("text", ["", " ", " a", "a ", "x" * 129, "\ud800", "a\udfff"])
    def test_so_is_what_is_no_name(self, text: str) -> None:
        """Empty, too long, blank at an end, half a character."""
        assert not takes(PlayerId, text)

    def test_every_character_that_unicode_calls_hidden_is_one(self) -> None:
        """Controls, format characters, surrogates, separators: the whole range."""
        kinds = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
        hidden = (chr(code) for code in range(sys.maxunicode + 1))
        passed = [
            text
            for text in hidden
            if unicodedata.category(text) in kinds and is_legible(f"a{text}b")
        ]
        assert passed == [" "]

    @given(st.text(max_size=ID_LIMIT))
    def test_the_published_pattern_takes_at_least_as_much(self, text: str) -> None:
        """A reader that goes by it refuses none of our ids."""
        if is_legible(text):
            Draft202012Validator({"pattern": ID_PATTERN}).validate(text)


class TestDisplayNames:
    """What is shown of a player."""

    @pytest.mark.parametrize("name", HIDDEN)
    def test_the_hidden_goes(self, name: str) -> None:
        """The rest stays."""
        assert displayed(f"E{HIDDEN[name]}ve") == "Eve"

    @pytest.mark.parametrize("name", BLANKS)
    def test_a_blank_is_a_blank(self, name: str) -> None:
        """One, and plain."""
        assert displayed(f" Ada{BLANKS[name]} {BLANKS[name]}Lovelace{BLANKS[name]}") == (
            "Ada Lovelace"
        )

    def test_it_is_composed(self) -> None:
        """Width and ligatures are no difference."""
        assert displayed("\uff21da \ufb01t e\u0301") == "Ada fit é"

    @pytest.mark.parametrize("text", ["", " ", "\u202e", "\u3000\u200b", "\u3164"])
    def test_one_that_shows_nothing_is_none(self, text: str) -> None:
        """An invisible player is no player."""
        assert not takes(DisplayName, text)

    @given(st.text())
    def test_cleaning_twice_changes_nothing(self, text: str) -> None:
        """It passes lobby, table and event, and stays what it is."""
        once = displayed(text)
        assert displayed(once) == once
        assert len(once) <= DISPLAY_NAME_LIMIT
        assert not once or is_legible(once)

    def test_a_megabyte_of_marks_costs_nothing(self) -> None:
        """Putting them in order takes time in the square of their number."""
        assert len(displayed("a" + "\u0301\u0316" * 500_000)) <= DISPLAY_NAME_LIMIT


class TestDistinctNames:
    """Two players never have one name."""

    @pytest.mark.parametrize(
        "other",
        ["caller", "CALLER", "Caller ", "\xa0Caller", "Cal\u200bler", "\uff23aller"],
    )
    def test_what_looks_the_same_has_one_key(self, other: str) -> None:
        """But for case, width, blanks and what is hidden."""
        assert name_key(other) == name_key("Caller")

    @pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύσ")])
    def test_case_is_that_of_unicode(self, one: str, other: str) -> None:
        """Not only of the first 128 characters."""
        assert name_key(one) == name_key(other)

    def test_the_second_of_a_name_is_numbered(self) -> None:
        """And the third."""
        taken: list[str] = []
        for name in ("Caller", "caller", "Eve", "CALLER", "Caller (2)"):
            taken.append(distinct_name(name, taken))
        assert taken == ["Caller", "caller (2)", "Eve", "CALLER (3)", "Caller (2) (2)"]

    def test_a_long_name_gives_way_to_its_number(self) -> None:
        """It stays within the limit."""
        names = ["x" * DISPLAY_NAME_LIMIT]
        for _ in range(12):
            names.append(distinct_name(names[0], names))
        assert len({name_key(name) for name in names}) == len(names)
        assert {len(name) for name in names} == {DISPLAY_NAME_LIMIT}

    @given(st.lists(st.text(min_size=1).map(displayed).filter(bool), max_size=8))
    def test_whatever_they_are_called(self, names: list[str]) -> None:
        """No two keys are the same."""
        taken: list[str] = []
        for name in names:
            taken.append(distinct_name(name, taken))
        assert len({name_key(name) for name in taken}) == len(names)
        assert all(len(name) <= DISPLAY_NAME_LIMIT for name in taken)


@pytest.mark.parametrize("text", ["act", "play", "a.b_c:d/e-f", "2", "x" * 128])
def test_a_skill_is_a_word(text: str) -> None:
    """Of ASCII."""
    assert takes(ActionSkill, text)


@pytest.mark.parametrize(
    "text", ["", "recordGameEvent", "two words", "a\n", "é", "a\0", "x" * 129, "{skill}"]
)
def test_anything_else_is_no_skill(text: str) -> None:
    """It stands in every snapshot."""
    assert not takes(ActionSkill, text)
    assert takes(Annotated[str, "what it was"], text)
