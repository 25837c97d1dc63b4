"""Tokens by the scope they open, and the rule that asks for them."""

from types import SimpleNamespace

import pytest
from casino_agentkit import Caller, CommandRefused, GrantRule, Grants, Scheme
from support.memory import kept_bytes

SEAT = Scheme("seatToken", "the seat token")


def test_a_token_opens_its_scope_alone() -> None:
    grants = Grants()
    grants.add("t1", "sesame")
    assert grants.opens("t1", "sesame")
    assert not grants.opens("t2", "sesame")
    assert not grants.opens("t1", "")


@pytest.mark.parametrize("scope", ["t1", "elsewhere"])
def test_a_flood_of_handshakes_takes_nothing_from_a_token_in_use(scope: str) -> None:
    """The token of a table that plays is kept."""
    grants = Grants(kept=100)
    grants.add("t1", "sesame")
    assert grants.opens("t1", "sesame")

    def flood() -> None:
        for number in range(10_000):
            grants.add(scope, f"flood-{number}")

    assert kept_bytes(grants, flood) < 100_000
    assert grants.opens("t1", "sesame")


def test_tokens_that_were_shown_longest_ago_are_forgotten_first() -> None:
    """Where all are in use, the token that is shown now stays."""
    grants = Grants(kept=3)
    for token in ("one", "two", "three"):
        grants.add("t1", token)
        assert grants.opens("t1", token)
    assert grants.opens("t1", "one")
    grants.add("t1", "four")
    assert grants.opens("t1", "one")
    assert not grants.opens("t1", "two")


def test_a_forgotten_scope_is_open_again() -> None:
    """A scope whose tokens were displaced by others needs none."""
    grants = Grants(kept=1)
    rule = GrantRule(SEAT, grants, lambda request: request.table_id)
    grants.add("t1", "sesame")
    with pytest.raises(CommandRefused, match="UNAUTHORIZED"):
        rule.admit(Caller(), SimpleNamespace(table_id="t1"))
    with pytest.raises(CommandRefused, match="FORBIDDEN"):
        rule.admit(Caller("guess"), SimpleNamespace(table_id="t1"))
    rule.admit(Caller("sesame"), SimpleNamespace(table_id="t1"))
    rule.admit(Caller(), SimpleNamespace(table_id="t2"))
    for token in ("a", "b", "c"):
        grants.add("t2", token)
    rule.admit(Caller(), SimpleNamespace(table_id="t1"))
