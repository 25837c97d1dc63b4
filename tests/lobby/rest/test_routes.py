"""The operator's REST routes; every error is a problem document."""

from collections.abc import AsyncIterator
from html import unescape

import pytest
from casino_agentkit import CommandRefused, Violation
from casino_lobby.problem import Problem, ProblemType
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.table.table_side import CONFIG


@pytest.fixture
async def harness() -> AsyncIterator[CasinoHarness]:
    async with casino_harness() as harness:
        yield harness


@pytest.fixture
def operator(harness: CasinoHarness) -> Operator:
    return Operator(harness)


class TestProblems:
    async def test_a_body_that_is_none(self, operator: Operator) -> None:
        for content, status, kind in (
            (b"{", 400, "invalid-json"),
            (b"[]", 400, "invalid-json"),
            (b"\xff", 400, "invalid-json"),
            (b"7", 400, "invalid-json"),
            (b"", 422, "invalid-request"),
            (b"{}", 422, "invalid-request"),
        ):
            reply = await operator.http.post("/v1/rooms", content=content)
            assert reply.status_code == status
            assert reply.headers["content-type"] == "application/problem+json"
            problem = reply.json()
            assert problem["type"] == f"/problems/{kind}"
            assert problem["status"] == status
            assert problem["title"]
            assert problem["detail"]

    async def test_faulty_and_unknown_fields_are_pointed_at(self, operator: Operator) -> None:
        for change, pointers in (
            ({"config": {**CONFIG, "bigBlind": 0.5}}, ["#/config/bigBlind"]),
            ({"config": {**CONFIG, "maxHand": 5}}, ["#/config/maxHand"]),
            ({"colour": "green"}, ["#/colour"]),
            ({"roomId": "a\tb"}, ["#/roomId"]),
            ({"launchOptions": {"port": 99_999}}, ["#/launchOptions/port"]),
            ({"launchOptions": {"Port": 4500}}, ["#/launchOptions/Port"]),
            ({"tableAgentSkills": {"setup": "x"}}, ["#/tableAgentSkills/setup"]),
            ({"tableAgentCardUrl": "table"}, ["#/tableAgentCardUrl"]),
            (
                {"config": {**CONFIG, "maxSeats": 1, "rebuy": "never"}},
                ["#/config/maxSeats", "#/config/rebuy"],
            ),
        ):
            reply = await operator.post("/v1/rooms", {"config": CONFIG, **change})
            assert reply.status_code == 422
            assert [error["pointer"] for error in reply.json()["errors"]] == pointers
            assert pointers[0][2:].replace("/", ".") in reply.json()["detail"]

    def test_every_refusal_has_its_problem(self) -> None:
        known = Problem.of(CommandRefused("ROOM_FULL", "All taken.", (Violation("a.b", "c"),)))
        assert known.json() == {
            "type": "/problems/room-full",
            "title": "Every seat is taken",
            "status": 409,
            "detail": "All taken.",
            "reason": "ROOM_FULL",
            "errors": [{"pointer": "#/a/b", "detail": "c"}],
        }
        assert Problem.of(CommandRefused("FROM_TOMORROW", "No.")).kind is ProblemType.REFUSED

    def test_a_reason_never_dresses_up_as_an_answer_that_an_operation_has_not(self) -> None:
        """A table's reason UNAUTHORIZED does not become a 401 of the lobby."""
        refusal = CommandRefused("UNAUTHORIZED", "Whoever you are, no.")
        among = {ProblemType.REFUSED, ProblemType.ROOM_FULL}
        assert Problem.of(refusal, among).kind is ProblemType.REFUSED
        assert Problem.of(refusal).kind is ProblemType.UNAUTHORIZED

    @pytest.mark.parametrize(
        ("refusal", "headers"),
        [
            (CommandRefused("UNAUTHORIZED", "No token."), {"www-authenticate": "Bearer"}),
            (CommandRefused("TABLE_AWAY", "Later."), {"retry-after": "5"}),
            (
                CommandRefused("TOO_MANY_REQUESTS", "Slower.", details={"retryAfter": "7"}),
                {"retry-after": "7"},
            ),
            (CommandRefused("ROOM_FULL", "No.", details={"retryAfter": "soon\r\nx: y"}), {}),
        ],
    )
    def test_headers_say_what_helps(self, refusal: CommandRefused, headers: dict[str, str]) -> None:
        sent = Problem.of(refusal).response().headers
        named = {"www-authenticate", "retry-after"}
        assert {name: value for name, value in sent.items() if name in named} == headers

    async def test_a_problem_has_a_page(self, operator: Operator) -> None:
        for kind in ProblemType:
            reply = await operator.http.get(kind.path)
            assert reply.status_code == 200
            assert reply.headers["content-type"] == "text/html; charset=utf-8"
            assert "default-src 'none'" in reply.headers["content-security-policy"]
            assert kind.title in unescape(reply.text)
            assert "`" not in reply.text
            assert "http://" not in reply.text
            assert len(reply.content) < 2_000

    async def test_there_are_no_other_pages(self, operator: Operator) -> None:
        assert (await operator.http.get("/problems/none")).status_code == 404
        assert (await operator.http.get("/problems/room-full/x")).status_code == 404
        assert (await operator.http.delete("/problems/room-full")).status_code == 405


class TestLeaving:
    async def test_between_hands_it_is_free_at_once(
        self, harness: CasinoHarness, operator: Operator
    ) -> None:
        await operator.open()
        harness.player("ada")
        await operator.seat("ada")
        reply = await operator.http.delete("/v1/rooms/r1/players/player-1")
        assert (reply.status_code, reply.json()["players"]) == (202, [])
        await operator.until(lambda room: room.summary and not room.summary.players)
        reply = await operator.http.delete("/v1/rooms/r1/players/player-1")
        assert (reply.status_code, reply.json()["reason"]) == (404, "UNKNOWN_PLAYER")
