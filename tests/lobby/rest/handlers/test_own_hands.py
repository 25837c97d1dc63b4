"""A player's own hands: what is in them, and who may read them."""

from pathlib import Path

import httpx
from casino_contracts import OwnHandDetail, OwnHandPage, seat_token, view_key
from casino_lobby.domain.room import Room
from casino_lobby.store import SqlStore
from pydantic import SecretStr
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.store_side import EventFactory, new_room

KEY = "open-sesame"
HANDS = 4


class Author:
    """Reads the hands of one player with a token."""

    def __init__(self, harness: CasinoHarness, player: str = "player-1") -> None:
        self.harness = harness
        self.path = f"/v1/rooms/r1/players/{player}/hands"

    async def get(self, token: str, path: str = "") -> httpx.Response:
        return await self.harness.http(token).get(self.path + path)

    async def page(self, token: str, query: str = "") -> OwnHandPage:
        reply = await self.get(token, query)
        assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-store"), reply.text
        return OwnHandPage.model_validate_json(reply.content)

    async def page_with_cards(self, token: str) -> OwnHandPage:
        """Read the newest page, again while the table is too slow: the lobby keeps records."""
        page = await self.page(token)
        for _ in range(20):
            if page.cards_missing is None:
                break
            page = await self.page(token)
        return page

    async def hand(self, token: str, number: int) -> OwnHandDetail:
        reply = await self.get(token, f"/{number}")
        assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-store"), reply.text
        return OwnHandDetail.model_validate_json(reply.content)


def token_of(player: str, secret: str = "secret") -> str:
    return seat_token(secret, player)


class TestContent:
    async def test_its_own_cards_and_nothing_hidden_of_others(self, played: CasinoHarness) -> None:
        both = []
        for player in ("player-1", "player-2"):
            page = await Author(played, player).page_with_cards(token_of(player))
            assert (page.room_id, page.player_id, page.next) == ("r1", player, None)
            assert [hand.hand_number for hand in page.hands] == [4, 3, 2, 1]
            assert page.standing is not None
            assert page.standing.net == sum(hand.net or 0 for hand in page.hands)
            assert page.standing.player_id == player
            assert page.cards_missing is None
            both.append(page.hands)
        http = played.http(KEY)
        for mine, theirs in zip(*both, strict=True):
            assert {mine.position, theirs.position} == {"BTN", "BB"}
            assert (mine.net or 0) + (theirs.net or 0) == 0
            number = mine.hand_number
            record = (await http.get(f"/v1/rooms/r1/hands/{number}/record")).json()
            cards = {one["playerId"]: one["cards"] for one in record["holeCards"]}
            own, other = (hand.model_dump(mode="json")["holeCards"] for hand in (mine, theirs))
            assert {"player-1": own, "player-2": other} == cards

    async def test_each_decision_has_question_answer_and_time(self, played: CasinoHarness) -> None:
        """The question is the player's own: the other's cards are nowhere in the reply."""
        http = played.http(KEY)
        for number in range(1, HANDS + 1):
            path = f"/v1/rooms/r1/hands/{number}/record?include=questions"
            record = (await http.get(path)).json()
            own = [one for one in record["decisions"] if one["playerId"] == "player-1"]
            reply = await Author(played).get(token_of("player-1"), f"/{number}")
            detail = OwnHandDetail.model_validate_json(reply.content)
            assert len(detail.decisions) == len(own) == detail.hand.decisions > 0
            for said, recorded in zip(detail.decisions, own, strict=True):
                assert said.question == recorded["question"]
                assert (said.answer or {})["action"] == said.action
                assert (said.outcome, said.reason) == ("ok", None)
                assert said.latency_ms is not None
                assert (said.question or {})["playerId"] == "player-1"
            shown = (await http.get(f"/v1/rooms/r1/hands/{number}")).json()["hand"]
            seen = {one["playerId"] for one in shown["shown"]}
            (other,) = (one for one in record["holeCards"] if one["playerId"] == "player-2")
            text = reply.text.replace(" ", "")
            hidden = [card for card in other["cards"] if card not in shown["communityCards"]]
            if "player-2" not in seen:
                for card in hidden:
                    assert f'"rank":"{card["rank"]}","suit":"{card["suit"]}"' not in text
            for word in ("deck", "odds", "privateStates", "seed", "secret", "seatToken"):
                assert f'"{word}"' not in reply.text

    async def test_pages_and_orders(self, played: CasinoHarness) -> None:
        author, token = Author(played), token_of("player-1")
        seen: list[int] = []
        page = await author.page(token, "?limit=3")
        seen += [hand.hand_number for hand in page.hands]
        page = await author.page(token, f"?limit=3&after={page.next}")
        seen += [hand.hand_number for hand in page.hands]
        assert (seen, page.next) == ([4, 3, 2, 1], None)
        nets = [hand.net for hand in (await author.page(token)).hands]
        losses = [hand.net for hand in (await author.page(token, "?order=losses")).hands]
        assert losses == sorted(net for net in nets if net is not None and net < 0)
        assert (await author.page(token, "?order=faults")).hands == ()


class TestAdmission:
    """Only the player, and the operator."""

    async def test_who_may_read(self, played: CasinoHarness) -> None:
        own = token_of("player-1")
        for path in ("", "/1"):
            for token in (own, view_key(own), KEY):
                assert (await Author(played).get(token, path)).status_code == 200

    async def test_who_may_not(self, played: CasinoHarness) -> None:
        """Nobody else; and there is no telling which players and hands there are."""
        own, other = token_of("player-1"), token_of("player-2")
        wrong = ("", "secret", other, view_key(other), view_key(view_key(own)), own[:-1])
        for token in (*wrong, token_of("player-1", "secret-of-another-room")):
            for player in ("player-1", "player-9"):
                for path in ("", "/1", "/99", "?nonsense=1"):
                    reply = await Author(played, player).get(token, path)
                    assert reply.status_code == 401
                    assert reply.json()["type"] == "/problems/unauthorized"
                    assert reply.headers["www-authenticate"] == "Bearer"

    async def test_trying_keys_is_limited(self) -> None:
        """A request costs as much as five commands, whether it is admitted or not."""
        made = CasinoHarness(commands_per_minute=12)
        async with made.lobby.running():
            statuses = [(await Author(made).get("guess")).status_code for _ in range(3)]
            assert statuses == [404, 404, 429]

    async def test_keys_of_the_table_read_nothing(self, played: CasinoHarness) -> None:
        key = played.key()
        for token in (key.secret, key.table, key.events):
            assert (await Author(played).get(token)).status_code == 401

    async def test_a_view_key_is_no_seat_token(self, played: CasinoHarness) -> None:
        """It opens no other door."""
        http = played.http(view_key(token_of("player-1")))
        assert (await http.get("/v1/rooms/r1/players/player-1/faults")).status_code == 401
        assert (await http.get("/v1/rooms/r1/hands/1/record")).status_code == 401
        assert (await http.delete("/v1/rooms/r1/players/player-1")).status_code == 401

    async def test_who_left_reads_on_until_the_end(self, played: CasinoHarness) -> None:
        """Also in a closed room, as far as the table still gives records."""
        http, token = played.http(KEY), token_of("player-1")
        assert (await http.delete("/v1/rooms/r1/players/player-1")).status_code == 202
        assert len((await Author(played).page(token)).hands) == HANDS
        assert (await http.delete("/v1/rooms/r1")).status_code == 202
        await Operator(played).until(lambda room: room.state == "closed")
        page = await Author(played).page(token)
        assert [hand.hand_number for hand in page.hands] == [4, 3, 2, 1]
        assert all(hand.net is not None for hand in page.hands)
        assert (await Author(played).get(token_of("player-2"))).status_code == 401

    async def test_readers_that_need_a_key(self) -> None:
        made = CasinoHarness(operator_token=SecretStr(KEY), readers="operator")
        async with made.tables.running(), made.lobby.running():
            operator = Operator(made)
            await operator.open(maxSeats=2)
            made.player("ada")
            await operator.seat("ada")
            author = Author(made)
            assert (await author.page(token_of("player-1"))).hands == ()
            assert (await author.get("")).status_code == 401
            for token, status in ((token_of("player-1"), 401), (KEY, 404)):
                reply = await made.http(token).get("/v1/rooms/none/players/player-1/hands")
                assert reply.status_code == status


class TestIds:
    """An id is its agent's, whatever the table reports."""

    def test_an_id_is_never_used_twice(self) -> None:
        room = new_room()
        room.invited_ids.add("player-1")
        restarted = Room.from_json(room.to_json())
        assert restarted.next_player_id() == "player-2"


async def test_archived_rooms_and_tables_that_seat_players(tmp_path: Path) -> None:
    """An agent that was invited in vain does not read the hands of who got its id at the table."""
    store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db")
    harness = CasinoHarness(store=store, operator_token=SecretStr(KEY))
    async with harness.lobby.running():
        room = new_room()
        room.secret, room.invited_ids = "secret", {"p0"}
        await store.add(room)
        factory = EventFactory(room)
        await store.record(room, [factory.registered("p1"), *factory.hand(1, {"p0": 1, "p1": 2})])
        await store.record(room, [factory.status("left", playerId="p1")])
        await store.record(room, [factory.status("closed", "idle")])
        room.close("over")
        for _ in range(2):
            page = await Author(harness, "p0").page(token_of("p0"))
            assert [hand.hand_number for hand in page.hands] == [1]
            assert page.cards_missing
            detail = await Author(harness, "p0").hand(token_of("p0"), 1)
            assert len(detail.decisions) == 2
            assert detail.record_missing
            assert (await Author(harness, "p1").get(token_of("p1"))).status_code == 401
            if room.archived_at is None:
                await store.archive(room)
