"""The REST interface against its own OpenAPI document: each reply is one it describes.

A real HTTP server with real tables and players; the room `green` has played and can be played in.
`CASINO_FUZZ_EXAMPLES` is how many requests of each kind an operation gets at length,
`CASINO_FUZZ_SEED` says which ones; `make fuzz-api` takes many, and others every time.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx
import pytest
import schemathesis
from casino_lobby.rest.rest_routes import OPERATIONS, openapi_document
from hypothesis import HealthCheck, seed, settings
from pydantic import SecretStr
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.schemas import BaseSchema
from support.casino.casino_side import CasinoHarness
from support.casino.fleet_side import unhurried
from support.served import served
from support.table.table_side import CONFIG

pytestmark = pytest.mark.full  # needs schemathesis

EXAMPLES = int(os.environ.get("CASINO_FUZZ_EXAMPLES", "20"))
SEED = int(os.environ.get("CASINO_FUZZ_SEED", "7"))
ROOM = "green"
TOKEN = "open sesame"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
HANDS = 3
Test = TypeVar("Test", bound=Callable[..., None])

# Fields that are right each, but not together: no schema says which blind is the bigger, nor which
# sorting a position is of. And what a white space is, regular expressions do not agree on.
_TOGETHER = {"positive_data_acceptance": {"expected-statuses": ["2xx", "4xx", "5xx"]}}
_WITH_RULES = [
    *("createRoom", "registerPlayer", "leaveRoom", "startRoom", "listHands"),
    *("publishMatch", "publishLeague"),
]
_CONFIG: dict[str, Any] = {
    "auth": {"openapi": {"operator": {"bearer": TOKEN}}},
    "operations": [{"include-operation-id": _WITH_RULES, "checks": _TOGETHER}],
}


_ELSEWHERE = [
    operation.operation_id
    for operation in OPERATIONS
    if "{roomId}" not in operation.path or operation.operation_id in {"closeRoom", "deleteRoom"}
]


def document(*, covers_all_values: bool) -> BaseSchema:
    """Read the document; with `covers_all_values` each field gets all of its edge cases."""
    config = {**_CONFIG, "phases": {"coverage": {"enabled": covers_all_values}}}
    return schemathesis.openapi.from_dict(
        openapi_document("0", OPERATIONS), config=SchemathesisConfig.from_dict(config)
    ).exclude(tag="streams")


short, whole = document(covers_all_values=False), document(covers_all_values=True)


@pytest.fixture(scope="module")
def casino() -> Iterator[str]:
    """Serve a casino with a room that has played; gives its URL."""
    harness = CasinoHarness(
        tables=20,
        launch_tables=False,
        commands_per_minute=0,
        operator_token=SecretStr(TOKEN),
    )
    with served(harness) as url, httpx.Client(base_url=url, headers=BEARER) as http:
        room = {
            "roomId": ROOM,
            "config": {**CONFIG, "maxHands": HANDS, "maxSeats": 2, "rebuy": "auto"},
            "tableAgentCardUrl": harness.table_card(20),
        }
        assert http.post("/v1/rooms", json=room).status_code == 201
        for name in ("ada", "bob"):
            card = harness.player(name, unhurried)
            reply = http.post(f"/v1/rooms/{ROOM}/players", json={"agentCardUrl": card})
            assert reply.status_code == 201
        while len(http.get(f"/v1/rooms/{ROOM}/hands").json()["hands"]) < HANDS:
            pass
        yield url


def check(case: Case[Any], casino: str) -> None:
    """Send one request, as the operator, and look at the answer."""
    reply = case.call(base_url=casino)
    assert reply.status_code != 500, f"SEED={SEED}: {case.as_curl_command()}"
    # 502 to 504 tell of others: they are documented, and so no surprise.
    case.validate_response(reply, excluded_checks=[not_a_server_error])


def taking(examples: int) -> Callable[[Test], Test]:

    def decorate(test: Test) -> Test:
        limits = settings(
            max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck)
        )
        return seed(SEED)(limits(test))

    return decorate


@taking(1)
@short.parametrize()
def test_an_operation_does_what_its_document_says(case: Case[Any], casino: str) -> None:
    """No undocumented reply, no status of 500, and no invalid input accepted."""
    check(case, casino)


@taking(1)
@short.exclude(operation_id=_ELSEWHERE).parametrize()
def test_it_does_so_in_a_room_that_is_there(case: Case[Any], casino: str) -> None:
    case.path_parameters = {**case.path_parameters, "roomId": ROOM}
    check(case, casino)


@pytest.mark.long
@taking(EXAMPLES)
@whole.parametrize()
def test_it_does_so_at_length(case: Case[Any], casino: str) -> None:
    check(case, casino)


@pytest.mark.long
@taking(EXAMPLES)
@whole.exclude(operation_id=_ELSEWHERE).parametrize()
def test_it_does_so_at_length_in_a_room_that_is_there(case: Case[Any], casino: str) -> None:
    case.path_parameters = {**case.path_parameters, "roomId": ROOM}
    check(case, casino)
