"""Requests of streams that the lobby refuses."""

from support.casino.store_side import new_room
from support.casino.streams import BEARER, TOKEN, LiveLobby, lobby_of


async def test_streams_beyond_the_limit_are_refused() -> None:
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
    path = "/v1/rooms/r1/stream?feed=commentator"
    for given in ({}, {"authorization": "Bearer sesame"}, {"authorization": "Basic x"}):
        problem = await lobby.problem(path, **given)
        assert (problem["status"], problem["reason"]) == (401, "UNAUTHORIZED")
        assert problem["headers"]["www-authenticate"] == "Bearer"
    async with lobby.stream(path, token=TOKEN) as client:
        assert [sent.name for sent in await client.until(lambda _: True)] == ["snapshot"]
        assert await lobby.metric('casino_stream_clients{feed="commentator"}') == 1


async def test_without_an_operator_token_there_is_no_commentators_feed() -> None:
    async with lobby_of(new_room(), operator_token=None) as lobby:
        path = "/v1/rooms/r1/stream?feed=commentator"
        problem = await lobby.problem(path, **BEARER)
        assert (problem["status"], problem["reason"]) == (403, "OPERATOR_ONLY")
        assert "CASINO_LOBBY_OPERATOR_TOKEN" in problem["detail"]
