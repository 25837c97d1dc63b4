"""Without API keys an evaluator assesses for this machine only, which a proxy is not."""

import pytest
from casino_agentkit import Caller, CommandRefused
from casino_evaluator.assessment.caller_rule import KeyOrLoopback


class _NoKeys:
    has_configured = False

    def is_configured(self, api_key: str) -> bool:
        raise AssertionError(api_key)


@pytest.mark.parametrize("is_defended", [True, False])
def test_a_request_through_a_proxy_is_not_of_this_machine(*, is_defended: bool) -> None:
    """Neither where settings say that others reach it, nor where a header says it."""
    local = Caller(address="127.0.0.1")
    cases = [
        (KeyOrLoopback(_NoKeys(), is_reachable=is_defended), local),
        (KeyOrLoopback(_NoKeys()), local._replace(is_forwarded=is_defended)),
    ]
    for rule, sender in cases:
        if is_defended:
            with pytest.raises(CommandRefused, match="CASINO_EVALUATOR_API_KEYS"):
                rule.admit(sender, None)
        else:
            rule.admit(sender, None)
