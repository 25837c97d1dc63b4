"""Names: nobody is shown under a name that a signed player has."""

from collections.abc import Iterable

import pytest
from casino_contracts import name_key
from casino_lobby.names import NameBook, Names
from hypothesis import given
from hypothesis import strategies as st

ADA, MALLORY = "ada's key", "mallory's key"


class AsAsked:
    """Shows everybody under the name they ask for: a lobby without the defence."""

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> str:  # noqa: ARG002
        """Return it."""
        return name


def passes_for_ada(names: NameBook, asked: str, signer: str | None) -> bool:
    """Have Ada play, and then ask for a name that looks the same, in another room."""
    shown = names.grant("Ada", ADA, ())
    return name_key(names.grant(asked, signer, ())) == name_key(shown)


LOOKALIKES = ("Ada", "ADA", "ada", "\uff21\uff44\uff41", "Ada\u200b", " Ada ", "A\u00adda")


class TestImpostor:
    """Somebody who would be taken for a signed player."""

    @pytest.mark.parametrize("signer", [None, MALLORY])
    @pytest.mark.parametrize("asked", LOOKALIKES)
    def test_it_passes_without_the_defence(self, asked: str, signer: str | None) -> None:
        """So the attack is one."""
        assert passes_for_ada(AsAsked(), asked, signer)

    @pytest.mark.parametrize("signer", [None, MALLORY])
    @pytest.mark.parametrize("asked", LOOKALIKES)
    def test_it_does_not_pass(self, asked: str, signer: str | None) -> None:
        """Its name has a number."""
        assert not passes_for_ada(Names(), asked, signer)

    def test_it_is_shown_with_a_number(self) -> None:
        """Nobody is turned away."""
        names = Names()
        names.grant("Ada", ADA, ())
        assert names.grant("ada", None, ()) == "ada (2)"
        assert names.grant("ADA", MALLORY, ["ada (2)"]) == "ADA (3)"

    def test_it_may_not_take_the_numbered_name_of_another_either(self) -> None:
        """Where that one is signed."""
        names = Names()
        names.grant("Ada", ADA, ())
        names.grant("Ada (2)", MALLORY, ())
        assert names.grant("Ada", None, ()) == "Ada (3)"

    def test_it_does_not_come_to_own_a_number(self) -> None:
        """That was not what it asked for."""
        names = Names()
        names.grant("Ada", ADA, ())
        assert names.grant("Ada", MALLORY, ()) == "Ada (2)"
        assert names.owner_of("Ada (2)") is None

    def test_nor_after_a_restart(self) -> None:
        """Owners are kept."""
        before = Names()
        before.grant("Ada", ADA, ())
        after = Names(before.owners)
        assert after.grant("Ada", None, ()) == "Ada (2)"
        assert after.grant("Ada", ADA, ()) == "Ada"


class TestOwner:
    """A signed player."""

    def test_it_is_known_again(self) -> None:
        """Wherever it lives, and however it writes its name."""
        names = Names()
        assert [names.grant(name, ADA, ()) for name in ("Ada", "ADA", "Ada")] == [
            "Ada", "ADA", "Ada",
        ]  # fmt: skip

    def test_it_owns_what_it_asked_for_first(self) -> None:
        """A name that unsigned players had until then."""
        names = Names()
        assert names.grant("Ada", None, ()) == "Ada"
        assert names.owner_of("Ada") is None
        assert names.grant("Ada", ADA, ()) == "Ada"
        assert names.grant("Ada", None, ()) == "Ada (2)"

    def test_two_of_one_key(self) -> None:
        """Are told apart in a room, and are both signed."""
        names = Names()
        assert names.grant("Ada", ADA, ()) == "Ada"
        assert names.grant("Ada", ADA, ["Ada"]) == "Ada (2)"

    def test_it_waits_where_the_name_is_seated(self) -> None:
        """Who sits there keeps the name; it is not owned by who did not get it."""
        names = Names()
        assert names.grant("Ada", ADA, ["ada"]) == "Ada (2)"
        assert names.owner_of("Ada") is None


class TestUnsigned:
    """Everybody else."""

    def test_they_own_nothing(self) -> None:
        """And are told apart in a room only."""
        names = Names()
        assert names.grant("Caller", None, ()) == "Caller"
        assert names.grant("Caller", None, ()) == "Caller"
        assert names.grant("Caller", None, ["Caller", "Caller (2)"]) == "Caller (3)"

    def test_a_long_name_keeps_its_number(self) -> None:
        """Within the limit of names."""
        names = Names()
        names.grant("x" * 64, ADA, ())
        shown = names.grant("x" * 64, None, ())
        assert shown.endswith(" (2)")
        assert len(shown) == 64


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Ada", "ada", "ADA (2)", "Ada (2)", "Bob", "ada (3)"]),
            st.sampled_from([None, ADA, MALLORY]),
            st.booleans(),
        )
    )
)
def test_whoever_comes_in_whatever_order(
    arrivals: list[tuple[str, str | None, bool]],
) -> None:
    """No owner ever changes, and nobody is shown under another's name, or twice in a room."""
    names, room, before = Names(), [], dict[str, str]()
    for name, signer, stays in arrivals:
        shown = names.grant(name, signer, room)
        assert name_key(shown) not in {name_key(other) for other in room}
        assert names.owner_of(shown) in {None, signer}
        assert before.items() <= names.owners.items()
        before = dict(names.owners)
        if stays:
            room.append(shown)
