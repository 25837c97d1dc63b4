"""Names and ids: no hidden characters, and no two that look the same."""

import sys
import unicodedata
from typing import Any

import pytest
from casino_contracts import distinct_name, name_key
from casino_contracts.base import (
    DISPLAY_NAME_LIMIT,
    ID_LIMIT,
    ID_PATTERN,
    DisplayName,
    PlayerId,
    displayed,
    is_legible,
)
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
    try:
        TypeAdapter(kind).validate_python(text)
    except ValidationError:
        return False
    return True


class TestIds:
    @pytest.mark.parametrize(
        "text", ["player-1", "High Rollers", "Müller's table", "玩家", "a/b", "<b>", "x" * 128, "0"]
    )
    def test_visible_characters_are_allowed(self, text: str) -> None:
        assert takes(PlayerId, text)
        Draft202012Validator(TypeAdapter(PlayerId).json_schema()).validate(text)

    @pytest.mark.parametrize("name", [*HIDDEN, *BLANKS])
    @pytest.mark.parametrize("around", ["{}", "a{}b", "{}a", "a{}"])
    def test_hidden_characters_are_refused(self, name: str, around: str) -> None:
        assert not takes(PlayerId, around.format({**HIDDEN, **BLANKS}[name]))

    @pytest.mark.parametrize("text", ["", " ", " a", "a ", "x" * 129, "\ud800", "a\udfff"])
    def test_malformed_ids_are_refused(self, text: str) -> None:
        """Empty, too long, with a blank at an end, or with a lone surrogate."""
        assert not takes(PlayerId, text)

    def test_every_hidden_character_of_unicode_is_refused(self) -> None:
        """Controls, format characters, surrogates and separators of the whole range."""
        kinds = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
        hidden = (chr(code) for code in range(sys.maxunicode + 1))
        passed = [
            text
            for text in hidden
            if unicodedata.category(text) in kinds and is_legible(f"a{text}b")
        ]
        assert passed == [" "]

    @given(st.text(max_size=ID_LIMIT))
    def test_the_published_pattern_takes_all_ids(self, text: str) -> None:
        if is_legible(text):
            Draft202012Validator({"pattern": ID_PATTERN}).validate(text)


class TestDisplayNames:
    @pytest.mark.parametrize("name", HIDDEN)
    def test_hidden_characters_are_removed(self, name: str) -> None:
        assert displayed(f"E{HIDDEN[name]}ve") == "Eve"

    @pytest.mark.parametrize("name", BLANKS)
    def test_blanks_become_one_space(self, name: str) -> None:
        assert displayed(f" Ada{BLANKS[name]} {BLANKS[name]}Lovelace{BLANKS[name]}") == (
            "Ada Lovelace"
        )

    def test_names_are_composed(self) -> None:
        assert displayed("\uff21da \ufb01t e\u0301") == "Ada fit é"

    @pytest.mark.parametrize("text", ["", " ", "\u202e", "\u3000\u200b", "\u3164"])
    def test_a_name_that_shows_nothing_is_refused(self, text: str) -> None:
        assert not takes(DisplayName, text)

    @given(st.text())
    def test_cleaning_twice_changes_nothing(self, text: str) -> None:
        once = displayed(text)
        assert displayed(once) == once
        assert len(once) <= DISPLAY_NAME_LIMIT
        assert not once or is_legible(once)

    def test_a_megabyte_of_marks_is_cheap(self) -> None:
        """Sorting them would take quadratic time."""
        assert len(displayed("a" + "\u0301\u0316" * 500_000)) <= DISPLAY_NAME_LIMIT


class TestDistinctNames:
    @pytest.mark.parametrize(
        "other",
        ["caller", "CALLER", "Caller ", "\xa0Caller", "Cal\u200bler", "\uff23aller"],
    )
    def test_what_looks_the_same_has_one_key(self, other: str) -> None:
        assert name_key(other) == name_key("Caller")

    @pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύσ")])
    def test_case_is_that_of_unicode(self, one: str, other: str) -> None:
        assert name_key(one) == name_key(other)

    def test_the_second_of_a_name_is_numbered(self) -> None:
        taken: list[str] = []
        for name in ("Caller", "caller", "Eve", "CALLER", "Caller (2)"):
            taken.append(distinct_name(name, taken))
        assert taken == ["Caller", "caller (2)", "Eve", "CALLER (3)", "Caller (2) (2)"]

    @given(st.lists(st.text(min_size=1).map(displayed).filter(bool), max_size=8))
    def test_no_two_names_have_one_key(self, names: list[str]) -> None:
        taken: list[str] = []
        for name in names:
            taken.append(distinct_name(name, taken))
        assert len({name_key(name) for name in taken}) == len(names)
        assert all(len(name) <= DISPLAY_NAME_LIMIT for name in taken)
