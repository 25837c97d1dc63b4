"""The errors of plain calls are those of the SDK."""

import orjson
from a2a.server.request_handlers.response_helpers import build_error_response
from a2a.utils.errors import InternalError, InvalidParamsError, UnsupportedOperationError
from casino_agentkit.errors import CommandRefused, Violation
from casino_agentkit.server.call_execution import (
    CallFailure,
    FailureKind,
    failed_entrypoint,
    invalid_input,
    refused_command,
)
from hypothesis import given
from hypothesis import strategies as st

SDK_ERROR = {
    FailureKind.INVALID: InvalidParamsError,
    FailureKind.REFUSED: UnsupportedOperationError,
    FailureKind.FAILED: InternalError,
}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
FAULTS = st.lists(st.builds(Violation, TEXTS, TEXTS), max_size=5).map(tuple)
REFUSALS = st.builds(
    CommandRefused, TEXTS, TEXTS.filter(bool), FAULTS, st.dictionaries(TEXTS, TEXTS, max_size=3)
)
FAILURES = st.one_of(
    FAULTS.map(invalid_input), REFUSALS.map(refused_command), st.builds(failed_entrypoint)
)


@given(FAILURES, TEXTS | st.integers(-(2**63), 2**63 - 1))
def test_a_reply_is_that_of_the_sdk(failed: CallFailure, request_id: str | int) -> None:
    error = SDK_ERROR[failed.kind](failed.message, failed.metadata)
    assert failed.rpc_reply(request_id) == orjson.dumps(build_error_response(request_id, error))


def test_a_reply_lists_three_faults_in_its_message() -> None:
    faults = tuple(Violation(f"field{number}", "must be a number") for number in range(5))
    failed = invalid_input(faults)
    assert failed.message.endswith("field2: must be a number; and 2 more")
    error = orjson.loads(failed.rpc_reply(1))["error"]
    assert len(error["data"][1]["fieldViolations"]) == 5
