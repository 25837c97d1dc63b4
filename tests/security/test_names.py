"""Names: nobody is shown under a name that a signed player has."""

from collections.abc import Iterable, Mapping

import pytest
from casino_contracts import name_key
from casino_lobby.domain.names import Granted, NameBook, Names
from hypothesis import given
from hypothesis import strategies as st

ADA, MALLORY = "ada's key", "mallory's key"


class AsAsked:
    """Shows everybody under the name they ask for: a lobby without the defence."""

    def learn(self, owners: Mapping[str, str]) -> None:
        """Forget it."""

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> Granted:  # noqa: ARG002
        """Return it."""
        return Granted(name)


def shown(names: NameBook, name: str, signer: str | None, taken: Iterable[str] = ()) -> str:
    """Return under which name a player is shown."""
    return names.grant(name, signer, taken).name


def passes_for_ada(names: NameBook, asked: str, signer: str | None) -> bool:
    """Have Ada play, and then ask for a name that looks the same, in another room."""
    ada = shown(names, "Ada", ADA)
    return name_key(shown(names, asked, signer)) == name_key(ada)


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
        assert shown(names, "ada", None) == "ada (2)"
        assert shown(names, "ADA", MALLORY, ["ada (2)"]) == "ADA (3)"

    def test_it_may_not_take_the_numbered_name_of_another_either(self) -> None:
        """Where that one is signed."""
        names = Names()
        names.grant("Ada", ADA, ())
        names.grant("Ada (2)", MALLORY, ())
        assert shown(names, "Ada", None) == "Ada (3)"

    def test_it_does_not_come_to_own_a_number(self) -> None:
        """That was not what it asked for."""
        names = Names()
        names.grant("Ada", ADA, ())
        assert shown(names, "Ada", MALLORY) == "Ada (2)"
        assert names.owner_of("Ada (2)") is None

    def test_nor_after_a_restart(self) -> None:
        """Owners are kept."""
        claim = Names().grant("Ada", ADA, ()).claim
        assert claim is not None
        after = Names()
        after.learn({claim: ADA})
        assert shown(after, "Ada", None) == "Ada (2)"
        assert shown(after, "Ada", ADA) == "Ada"


class TestOwner:
    """A signed player."""

    def test_it_is_known_again(self) -> None:
        """Wherever it lives, and however it writes its name."""
        names = Names()
        assert [shown(names, name, ADA) for name in ("Ada", "ADA", "Ada")] == [
            "Ada", "ADA", "Ada",
        ]  # fmt: skip

    def test_it_owns_what_it_asked_for_first(self) -> None:
        """A name that unsigned players had until then."""
        names = Names()
        assert shown(names, "Ada", None) == "Ada"
        assert names.owner_of("Ada") is None
        assert shown(names, "Ada", ADA) == "Ada"
        assert shown(names, "Ada", None) == "Ada (2)"

    def test_two_of_one_key(self) -> None:
        """Are told apart in a room, and are both signed."""
        names = Names()
        assert shown(names, "Ada", ADA) == "Ada"
        assert shown(names, "Ada", ADA, ["Ada"]) == "Ada (2)"

    def test_it_waits_where_the_name_is_seated(self) -> None:
        """Who sits there keeps the name; it is not owned by who did not get it."""
        names = Names()
        assert shown(names, "Ada", ADA, ["ada"]) == "Ada (2)"
        assert names.owner_of("Ada") is None


class TestUnsigned:
    """Everybody else."""

    def test_they_own_nothing(self) -> None:
        """And are told apart in a room only."""
        names = Names()
        assert shown(names, "Caller", None) == "Caller"
        assert shown(names, "Caller", None) == "Caller"
        assert shown(names, "Caller", None, ["Caller", "Caller (2)"]) == "Caller (3)"

    def test_a_long_name_keeps_its_number(self) -> None:
        """Within the limit of names."""
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
def test_whoever_comes_in_whatever_order(
    arrivals: list[tuple[str, str | None, bool]],
) -> None:
    """No owner ever changes, and nobody is shown under another's name, or twice in a room."""
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
