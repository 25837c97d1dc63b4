"""Only lobbies with the peer key are answered, and only about what this lobby owns."""

from pydantic import SecretStr
from support.casino.casino_side import casino_harness
from support.group.group_side import PEER_KEY, GroupHarness, group_harness


async def test_nobody_without_the_key_is_answered() -> None:
    """No operation, no room and no owner can be found out; the operator's key is another one."""
    operator = "the key of the operator"
    async with group_harness(
        operator_token=SecretStr(operator), fleet_key=SecretStr("the key of the fleet")
    ) as group:
        await group.announce(1)
        await group.open("r1", at=2)
        for key in (None, PEER_KEY[:-1], "x" * 600, "schlüssel", operator):
            for operation in ("startRoom", "closeRoom", "recordGameEvent", "nothing"):
                headers = {} if key is None else {b"authorization": f"Bearer {key}".encode()}
                reply = await group.http().post(
                    f"/peer/{operation}", json={"roomId": "r1"}, headers=headers
                )
                assert (reply.status_code, reply.json()["reason"]) == (401, "UNAUTHORIZED")


async def test_wrong_requests_are_named(group: GroupHarness) -> None:
    http = group.http(key=PEER_KEY)
    assert (await http.post("/peer/dropTables", json={})).status_code == 404
    assert (await http.get("/peer/startRoom")).status_code == 405
    assert (await http.post("/peer/closeRoom", content=b"{")).status_code == 422
    faulty = await http.post("/peer/recordGameEvent", json={"events": []})
    assert (faulty.status_code, faulty.json()["message"]) == (422, "Faulty fields: events.")
    large = await http.post("/peer/closeRoom", content=b" " * 1_100_000)
    assert large.status_code == 413


async def test_the_owner_of_another_room_is_named(group: GroupHarness) -> None:
    await group.announce(1)
    assert (await group.open("r1", at=1)).status_code == 201
    http = group.http(2, key=PEER_KEY)
    reply = await http.post("/peer/closeRoom", json={"roomId": "r1"})
    assert reply.status_code == 421
    assert reply.json() == {"owner": {"number": 1, "url": "http://lobby-1"}}
    assert group.stores[0].own_rooms()[0].phase == "open"
    reply = await http.post("/peer/closeRoom", json={"roomId": "r2"})
    assert (reply.status_code, reply.json()["reason"]) == (409, "ROOM_NOT_FOUND")


async def test_a_lobby_without_the_key_has_no_such_route() -> None:
    async with casino_harness() as casino:
        reply = await casino.http(key=PEER_KEY).post("/peer/closeRoom", json={"roomId": "r1"})
    assert reply.status_code == 404
