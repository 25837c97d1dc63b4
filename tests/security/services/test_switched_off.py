"""An attack succeeds on a service without the one defence against it, and on no service with it."""

import pytest
from casino.attack.attack_base import AttackVerdict
from support.attack.switched import SWITCHED, outcome_without


@pytest.mark.full
@pytest.mark.parametrize("name", SWITCHED)
async def test_a_defence_alone_stops_its_attack(name: str) -> None:
    outcome = await outcome_without(name)
    assert outcome.verdict is AttackVerdict.REFUSED, outcome
    outcome = await outcome_without(name, name)
    assert outcome.verdict is AttackVerdict.SUCCEEDED, outcome
