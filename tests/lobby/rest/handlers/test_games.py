"""Games and their specifications over REST."""

from support.casino.casino_side import casino_harness

SPEC = "/api/games/kuhn_poker/spec"


async def test_a_specification_is_sent_once_to_a_client_that_keeps_it() -> None:
    """304 as long as the client's version is the lobby's; parts of a tag are other versions."""
    async with casino_harness(launch_tables=False) as harness, harness.http() as http:
        await harness.announce(1)
        games = (await http.get("/api/games")).json()["games"]
        assert "kuhn_poker" in {game["gameType"] for game in games}
        first = await http.get(SPEC)
        assert (first.status_code, first.text[:3]) == (200, "---")
        assert first.headers["content-type"] == "text/markdown; charset=utf-8"
        tag = first.headers["etag"]
        for cached in (tag, f"W/{tag}", f'"old", {tag}', "*"):
            again = await http.get(SPEC, headers={"If-None-Match": cached})
            assert (again.status_code, again.content) == (304, b"")
            for reply in (first, again):
                assert reply.headers["etag"] == tag
                assert reply.headers["cache-control"] == "no-cache"
                assert reply.headers["x-content-type-options"] == "nosniff"
        for cached in ('"old"', tag.strip('"'), f'"x{tag[1:]}', ""):
            again = await http.get(SPEC, headers={"If-None-Match": cached})
            assert (again.status_code, again.content) == (200, first.content)
