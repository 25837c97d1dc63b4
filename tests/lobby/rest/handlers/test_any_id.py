"""Ids of rooms and tables are any text of up to 128 characters."""

from urllib.parse import quote

from casino_contracts.base import ID_LIMIT
from support.casino.casino_side import Operator, casino_harness
from support.table.table_side import CONFIG

IDS = [
    "High Rollers",
    "a/b",
    "a/../b",
    "...",
    "100%",
    "%2e%2e",
    "a%2Fb",
    "a+b&c=d?e#f;g",
    "\"<b>'`{slot}",
    "赌" * ID_LIMIT,
    "🂡🂱 e\u0301",
]


async def test_an_id_is_addressed_percent_encoded() -> None:
    """In every path and as a cursor of the list; `Location` shows how."""
    async with casino_harness(tables=2 * len(IDS), commands_per_minute=0) as network:
        http = network.http()
        for number, id_ in enumerate(IDS):
            body = {
                "roomId": id_,
                "tableId": id_,
                "tableAgentCardUrl": network.table_card(2 * number + 1),
                "config": {**CONFIG, "maxHands": 2, "maxSeats": 2},
            }
            opened = await http.post("/v1/rooms", json=body)
            assert opened.status_code == 201, opened.text
            path = opened.headers["Location"]
            assert path == f"/v1/rooms/{quote(id_, safe='')}"
            for name in (f"ada{number}", f"bob{number}"):
                card = {"agentCardUrl": network.player(name)}
                seated = await http.post(f"{path}/players", json=card)
                assert (seated.status_code, seated.json()["roomId"]) == (201, id_)
            room = await Operator(network).idle_room(id_)
            assert (room.room_id, room.table_id) == (id_, id_)
            hand = (await http.get(f"{path}/hands/1")).json()
            assert (hand["roomId"], hand["hand"]["handId"]) == (id_, f"{id_}/1")
            for page in (path.removeprefix("/v1"), f"{path.removeprefix('/v1')}/hands/1"):
                assert (await http.get(page)).status_code == 200
                assert (await http.get(f"{page}/card.png")).content.startswith(b"\x89PNG")
            again = await http.post("/v1/rooms", json=body)
            assert (again.status_code, again.json()["reason"]) == (409, "ROOM_EXISTS")
            second = {**body, "roomId": f"second {number}", "tableId": f"table of {number}"}
            second["tableAgentCardUrl"] = network.table_card(2 * number + 2)
            assert (await http.post("/v1/rooms", json=second)).status_code == 201
            rooms = (await http.get("/v1/rooms", params={"after": id_})).json()["rooms"]
            assert [one["roomId"] for one in rooms] == [f"second {number}"]
            assert room.summary is not None
            player = room.summary.players[0].player_id
            assert (await http.delete(f"{path}/players/{player}")).status_code == 202
            assert (await http.delete(path)).status_code == 202
