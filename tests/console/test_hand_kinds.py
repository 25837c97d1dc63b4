"""`casino room hands --kind`: the kinds of hands that can be named."""

from typing import get_args

from casino.commands.hands import Kind
from casino_contracts import HandKind


def test_every_kind_of_hand_can_be_named() -> None:
    """Those of the messages, and no other."""
    assert {kind.value for kind in Kind} == set(get_args(HandKind))
