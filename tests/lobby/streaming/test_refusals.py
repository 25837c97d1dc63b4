"""Requests of streams that the lobby refuses."""

from support.casino.store_side import new_room
from support.casino.streams import BEARER, TOKEN, LiveLobby, lobby_of


async def test_invalid_stream_requests_are_refused(lobby: LiveLobby) -> None:
    """The problem names the field."""
    for path, status, kind in (
        ("/v1/rooms/none/stream", 404, "room-not-found"),
        ("/v1/rooms/r1/stream?feed=all", 422, "invalid-request"),
        ("/v1/rooms/r1/stream?after=-1", 422, "invalid-request"),
        ("/v1/rooms/r1/stream?after=", 422, "invalid-request"),
        ("/v1/stream?after=x", 422, "invalid-request"),
        ("/v1/stream?after=99999999999999999999", 422, "invalid-request"),
    ):
        problem = await lobby.problem(path)
        assert (problem["status"], problem["type"]) == (status, f"/problems/{kind}")
        if status == 422:
            assert problem["errors"][0]["pointer"] in {"#/after", "#/feed"}


async def test_a_last_event_id_that_is_no_cursor_is_refused(lobby: LiveLobby) -> None:
    """It is not treated as absent, also if the query has a cursor."""
    for cursor in ("abc", "-1", "1.0", str(2**53), "9" * 400):
        for path in ("/v1/stream", "/v1/rooms/r1/stream?after=0"):
            problem = await lobby.problem(path, **{"Last-Event-ID": cursor})
            assert problem["errors"][0] == {
                "pointer": "#/Last-Event-ID",
                "detail": "must be the id of a stream event, a whole number",
            }


async def test_other_methods_are_refused(lobby: LiveLobby) -> None:
    """The reply lists the allowed ones."""
    problem = await lobby.problem("/v1/stream", "POST")
    assert problem["status"] == 405
    assert "GET" in problem["headers"]["allow"]


async def test_streams_beyond_the_limit_are_refused() -> None:
    """A closed stream frees its place."""
    async with lobby_of(new_room(), stream_clients=2) as lobby:
        clients = 'casino_stream_clients{feed="public"}'
        async with lobby.stream("/v1/stream"), lobby.stream("/v1/rooms/r1/stream"):
            problem = await lobby.problem("/v1/stream")
            assert (problem["status"], problem["type"]) == (429, "/problems/too-many-streams")
            assert int(problem["headers"]["retry-after"]) > 0
            assert await lobby.metric(clients) == 2
        await lobby.until_metric(clients, 0)
        async with lobby.stream("/v1/stream"):
            assert await lobby.metric(clients) == 1


async def test_the_commentators_feed_needs_the_operator_s_token(lobby: LiveLobby) -> None:
    """Without it the request is refused."""
    path = "/v1/rooms/r1/stream?feed=commentator"
    for given in ({}, {"authorization": "Bearer sesame"}, {"authorization": "Basic x"}):
        problem = await lobby.problem(path, **given)
        assert (problem["status"], problem["reason"]) == (401, "UNAUTHORIZED")
        assert problem["headers"]["www-authenticate"] == "Bearer"
    async with lobby.stream(path, token=TOKEN) as client:
        assert [sent.name for sent in await client.until(lambda _: True)] == ["snapshot"]
        assert await lobby.metric('casino_stream_clients{feed="commentator"}') == 1


async def test_without_an_operator_token_there_is_no_commentators_feed() -> None:
    """The problem says how to set one."""
    async with lobby_of(new_room(), operator_token=None) as lobby:
        path = "/v1/rooms/r1/stream?feed=commentator"
        problem = await lobby.problem(path, **BEARER)
        assert (problem["status"], problem["reason"]) == (403, "OPERATOR_ONLY")
        assert "CASINO_LOBBY_OPERATOR_TOKEN" in problem["detail"]
