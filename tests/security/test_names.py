"""Nobody is shown under the name of a signed player."""

from collections.abc import Iterable

import pytest
from casino_contracts import name_key
from casino_lobby.domain.display_names import NameBook, Names
from hypothesis import given
from hypothesis import strategies as st
from support.attack.undefended import AnyName

ADA, MALLORY = "ada's key", "mallory's key"


def shown(names: NameBook, name: str, signer: str | None, taken: Iterable[str] = ()) -> str:
    return names.grant(name, signer, taken).name


def passes_for_ada(names: NameBook, asked: str, signer: str | None) -> bool:
    """Have Ada play, then request a name that looks the same in another room."""
    ada = shown(names, "Ada", ADA)
    return name_key(shown(names, asked, signer)) == name_key(ada)


LOOKALIKES = ("Ada", "ADA", "ada", "\uff21\uff44\uff41", "Ada\u200b", " Ada ", "A\u00adda")


class TestImpostor:
    @pytest.mark.parametrize("signer", [None, MALLORY])
    @pytest.mark.parametrize("asked", LOOKALIKES)
    def test_an_impostor_is_not_shown_as_ada(self, asked: str, signer: str | None) -> None:
        assert not passes_for_ada(Names(), asked, signer)
        assert passes_for_ada(AnyName(), asked, signer)

    def test_an_impostor_is_seated_with_a_number(self) -> None:
        names = Names()
        names.grant("Ada", ADA, ())
        assert shown(names, "ada", None) == "ada (2)"
        assert shown(names, "ADA", MALLORY, ["ada (2)"]) == "ADA (3)"

    def test_a_numbered_name_of_a_signed_player_is_not_taken(self) -> None:
        names = Names()
        names.grant("Ada", ADA, ())
        names.grant("Ada (2)", MALLORY, ())
        assert shown(names, "Ada", None) == "Ada (3)"

    def test_a_signed_impostor_does_not_own_its_numbered_name(self) -> None:
        names = Names()
        names.grant("Ada", ADA, ())
        assert shown(names, "Ada", MALLORY) == "Ada (2)"
        assert names.owner_of("Ada (2)") is None

    def test_an_impostor_is_not_shown_as_ada_after_a_restart(self) -> None:
        claim = Names().grant("Ada", ADA, ()).claim
        assert claim is not None
        after = Names()
        after.learn({claim: ADA})
        assert shown(after, "Ada", None) == "Ada (2)"
        assert shown(after, "Ada", ADA) == "Ada"


class TestOwner:
    def test_an_owner_is_recognised_by_its_key(self) -> None:
        """At any address and in any spelling of its name."""
        names = Names()
        assert [shown(names, name, ADA) for name in ("Ada", "ADA", "Ada")] == [
            "Ada", "ADA", "Ada",
        ]  # fmt: skip

    def test_an_owner_gets_a_name_that_unsigned_players_had(self) -> None:
        names = Names()
        assert shown(names, "Ada", None) == "Ada"
        assert names.owner_of("Ada") is None
        assert shown(names, "Ada", ADA) == "Ada"
        assert shown(names, "Ada", None) == "Ada (2)"

    def test_two_players_with_one_key_get_different_names(self) -> None:
        names = Names()
        assert shown(names, "Ada", ADA) == "Ada"
        assert shown(names, "Ada", ADA, ["Ada"]) == "Ada (2)"

    def test_a_seated_player_keeps_its_name(self) -> None:
        """A signed player that did not get the name does not own it."""
        names = Names()
        assert shown(names, "Ada", ADA, ["ada"]) == "Ada (2)"
        assert names.owner_of("Ada") is None


class TestUnsigned:
    def test_unsigned_players_own_no_name(self) -> None:
        names = Names()
        assert shown(names, "Caller", None) == "Caller"
        assert shown(names, "Caller", None) == "Caller"
        assert shown(names, "Caller", None, ["Caller", "Caller (2)"]) == "Caller (3)"

    def test_a_long_name_keeps_its_number(self) -> None:
        names = Names()
        names.grant("x" * 64, ADA, ())
        name = shown(names, "x" * 64, None)
        assert name.endswith(" (2)")
        assert len(name) == 64


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Ada", "ada", "ADA (2)", "Ada (2)", "Bob", "ada (3)"]),
            st.sampled_from([None, ADA, MALLORY]),
            st.booleans(),
        )
    )
)
def test_owners_never_change_in_any_order_of_players(
    arrivals: list[tuple[str, str | None, bool]],
) -> None:
    """Nobody has another's name, and no name is twice in a room."""
    names, owners = Names(), dict[str, str]()
    room: list[str] = []
    for name, signer, stays in arrivals:
        granted = names.grant(name, signer, room)
        assert name_key(granted.name) not in {name_key(other) for other in room}
        assert names.owner_of(granted.name) in {None, signer}
        if granted.claim is not None:
            assert signer is not None
            assert owners.setdefault(granted.claim, signer) == signer
        assert all(names.owner_of(key) == owner for key, owner in owners.items())
        if stays:
            room.append(granted.name)
