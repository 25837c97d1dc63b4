"""Without API keys an evaluator assesses for this machine only, which a proxy is not."""

from pathlib import Path

import pytest
from casino_agentkit import Caller, CommandRefused
from casino_evaluator.assessment.assessment_agent import KeyOrLoopback
from casino_evaluator.service.api_keys import Keys
from casino_evaluator.store.evaluator_keys import KeyRows
from casino_evaluator.store.evaluator_schema import evaluator_database


@pytest.mark.parametrize("is_defended", [True, False])
def test_a_request_through_a_proxy_is_not_of_this_machine(*, is_defended: bool) -> None:
    """Neither where settings say that others reach it, nor where a header says it."""
    keys = Keys(KeyRows(evaluator_database(Path())))
    local = Caller(address="127.0.0.1")
    cases = [
        (KeyOrLoopback(keys, is_reachable=is_defended), local),
        (KeyOrLoopback(keys), local._replace(is_forwarded=is_defended)),
    ]
    for rule, sender in cases:
        if is_defended:
            with pytest.raises(CommandRefused, match="CASINO_EVALUATOR_API_KEYS"):
                rule.admit(sender, None)
        else:
            rule.admit(sender, None)
