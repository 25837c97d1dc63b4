"""REST of A2G over a real seat: sign-in, lobby and wallet."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from casino_contracts import ListedGame
from casino_gateway.a2g.a2g_codes import A2gLimits
from casino_gateway.a2g.authentication import signer_of
from casino_gateway.seats.listed_games import ListedGames
from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey
from support.gateway.a2g_side import A2gSide, a2g_side
from support.gateway.seat_side import OneRoom, SeatSide, advance

KEY = "0x" + "11" * 32


async def test_all_but_sign_in_need_a_token(tmp_path: Path) -> None:
    """A2G-16: in the protocol's own error form, also for tokens in the URL."""
    async with a2g_side(tmp_path) as side:
        token = await side.guest()
        paths = ["/api/games", "/api/games/kuhn_poker/spec", "/api/lobby", "/api/wallet/config"]
        for path in [*paths, "/api/wallet/transactions", f"/api/lobby?token={token}"]:
            reply = await side.get(path, None)
            assert reply.status_code == 401
            assert reply.json()["code"] == "AUTH_REQUIRED"
            assert (await side.get(path, "wrong")).json()["code"] == "AUTH_INVALID"
        for path in ("/api/rooms", "/api/rooms/room/join", "/api/wallet/withdraw"):
            assert (await side.post(path, None, {})).status_code == 401


async def test_games_and_rooms_are_views_of_the_lobby(tmp_path: Path) -> None:
    """A2G-01, A2G-16: each game has a specification; a room says who plays for what."""
    async with a2g_side(tmp_path) as side:
        token = await side.guest()
        (game,) = (await side.get("/api/games", token)).json()["games"]
        assert (game["gameType"], game["specVersion"]) == ("kuhn_poker", "1.3.0")
        spec = await side.get("/api/games/kuhn_poker/spec", token)
        assert spec.headers["content-type"].startswith("text/markdown")
        same = await side.http.get(
            "/api/games/kuhn_poker/spec",
            headers={"Authorization": f"Bearer {token}", "If-None-Match": spec.headers["etag"]},
        )
        assert same.status_code == 304
        unknown = await side.get("/api/games/chess/spec", token)
        assert (unknown.status_code, unknown.json()["code"]) == (404, "GAME_NOT_FOUND")
        (room,) = (await side.get("/api/lobby", token)).json()["rooms"]
        assert {key: room[key] for key in ("id", "gameType", "playerCount", "maxPlayers")} == {
            "id": "room",
            "gameType": "kuhn_poker",
            "playerCount": 2,
            "maxPlayers": 2,
        }
        assert (room["minBuyin"], room["maxBuyin"], room["gameStatus"]) == (20, 200, "playing")
        assert room["players"][0]["chips"] == 100


class LateGame(OneRoom):
    """A lobby that hears of a game, and has a room of it at once."""

    is_known = False

    async def games(self) -> list[ListedGame]:
        return await super().games() if self.is_known else []


async def test_who_sees_a_room_finds_its_game() -> None:
    """Games and rooms are each kept for a second, but no room is without its game."""
    seats = LateGame(SeatSide())
    games = ListedGames(seats, lambda: 0.0)
    assert await games.offered() == []
    seats.is_known = True
    assert await games.offered() == []
    assert {room["gameType"] for room in await games.rooms()} == {"kuhn_poker"}
    assert [game.game_type for game in await games.offered()] == ["kuhn_poker"]


async def test_a_seat_is_taken_once_and_left(tmp_path: Path) -> None:
    """A2G-16: joining again gives the same seat; another login finds the room full."""
    async with a2g_side(tmp_path) as side:
        token, other = await side.guest("Ada"), await side.guest("Bob")
        body = {"buyIn": 50, "seat": 3, "displayName": "A\u200bda", "playerType": "human"}
        first, same = await asyncio.gather(
            *(side.post("/api/rooms/room/join", token, body) for _ in range(2))
        )
        assert same.json() == first.json()
        assert first.json()["playerId"] == "ada"
        assert (await side.post("/api/rooms/room/join", token, {})).json() == first.json()
        (order,) = side.seats.orders
        assert (order.display_name, order.buy_in, order.preferred_seat) == ("Ada", 50, 3)
        assert (order.kind, order.address) == ("human", "127.0.0.1")
        full = await side.post("/api/rooms/room/join", other, {})
        assert (full.status_code, full.json()["code"]) == (409, "TABLE_FULL")
        nowhere = await side.post("/api/rooms/nowhere/join", other, {})
        assert (nowhere.status_code, nowhere.json()["code"]) == (404, "TABLE_NOT_FOUND")
        assert (await side.post("/api/rooms/room/leave", other, {})).status_code == 404
        assert (await side.post("/api/rooms/room/leave", token, {})).status_code == 200
        assert side.seats.left == [side.seat]


async def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    """The field and what it must be; a body that is none is refused as well."""
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"buyIn": "50"}, "buyIn"),
        ({"buyIn": True}, "buyIn"),
        ({"buyIn": -1}, "buyIn"),
        ({"seat": 1.5}, "seat"),
        ({"seat": 10}, "seat"),
        ({"displayName": 7}, "displayName"),
        ({"playerType": "cat"}, "playerType"),
    ]
    async with a2g_side(tmp_path) as side:
        token = await side.guest()
        for body, field in wrong:
            reply = await side.post("/api/rooms/room/join", token, body)
            assert reply.status_code == 400
            assert reply.json()["message"].startswith(f"{field}: must be")
        for content in (b"no JSON", b"[1]", b'{"a":' * 50 + b"1" + b"}" * 50):
            reply = await side.http.post("/api/auth/guest", content=content)
            assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_MESSAGE")


async def test_a_large_body_is_refused(tmp_path: Path) -> None:
    async with a2g_side(tmp_path) as side:
        reply = await side.http.post("/api/auth/guest", json={"displayName": "x" * 66_000})
        assert reply.status_code == 413


async def test_rooms_are_opened_only_where_it_is_allowed(tmp_path: Path) -> None:
    """Then with the lobby's own words for what is wrong."""
    async with a2g_side(tmp_path) as side:
        reply = await side.post("/api/rooms", await side.guest(), {})
        assert (reply.status_code, reply.json()["code"]) == (403, "NOT_PERMITTED")
    async with a2g_side(tmp_path, A2gLimits(create_rooms=True)) as side:
        token = await side.guest()
        reply = await side.post("/api/rooms", token, {"launchOptions": {}})
        assert reply.json()["message"].startswith("launchOptions: is unknown")
        reply = await side.post("/api/rooms", token, {"gameType": "kuhn_poker"})
        assert (reply.status_code, reply.json()["code"]) == (400, "SEAT_UNAVAILABLE")
        assert "config: is missing" in reply.json()["message"]


async def test_sign_ins_of_an_address_are_limited(tmp_path: Path) -> None:
    """So that nobody fills the database."""
    async with a2g_side(tmp_path, A2gLimits(logins_per_address=2)) as side:
        await side.guest()
        await side.guest()
        reply = await side.http.post("/api/auth/guest", json={})
        assert (reply.status_code, reply.json()["code"]) == (429, "RATE_LIMITED")
        assert reply.headers["retry-after"]


def wallet_of(key: str) -> str:
    return str(PrivateKey(bytes.fromhex(key[2:])).public_key.to_checksum_address())


def signature_of(text: str, key: str) -> str:
    """Return the signature of a text as wallets make it (EIP-191)."""
    content = text.encode()
    digest = keccak(b"\x19Ethereum Signed Message:\n%d" % len(content) + content)
    signed = PrivateKey(bytes.fromhex(key[2:])).sign_msg_hash(digest).to_bytes()
    return "0x" + signed[:-1].hex() + f"{signed[-1] + 27:02x}"


def test_a_signature_of_another_library_is_read() -> None:
    """Made with eth-account 0.14.0, by the key 0x4c08...2318 of web3's documentation."""
    signer = signer_of(
        "casino.test wants you to sign in: ä ♠",
        "0x2291c5599f1bdb001da244a212b3319afb4c9f2e0d9bd4b1fe052deeef900d013981d54fd93e544891778331"
        "322ade24d5627942cc835d06fff042a0c75828571c",
    )
    assert signer == "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"


async def signed_in(side: A2gSide, key: str = KEY) -> dict[str, Any]:
    address = wallet_of(key)
    asked = await side.http.get("/api/auth/challenge", params={"address": address.lower()})
    assert asked.status_code == 200, asked.text
    body = {
        "address": address,
        "signature": signature_of(asked.json()["message"], key),
        "nonce": asked.json()["nonce"],
    }
    reply = await side.http.post("/api/auth/verify", json=body)
    return {"status": reply.status_code, "sent": body, "text": asked.json(), **reply.json()}


async def signed_link(side: A2gSide, key: str = KEY) -> dict[str, Any]:
    """Return a wallet's consent to a link."""
    wallet = wallet_of(key)
    asked = (await side.http.get("/api/auth/challenge", params={"address": wallet})).json()
    return {
        "walletAddress": wallet,
        "nonce": asked["nonce"],
        "signature": signature_of(asked["message"], key),
    }


async def test_a_wallet_signs_in(tmp_path: Path) -> None:
    """With the text of EIP-4361; a nonce counts once, for its address, within five minutes."""
    async with a2g_side(tmp_path) as side:
        done = await signed_in(side)
        address = wallet_of(KEY)
        assert (done["status"], done["walletAddress"]) == (200, address)
        lines = done["text"]["message"].splitlines()
        assert lines[0] == "casino.test wants you to sign in with your Ethereum account:"
        assert lines[1] == address
        assert f"Nonce: {done['text']['nonce']}" in lines
        again = await side.http.post("/api/auth/verify", json=done["sent"])
        assert (again.status_code, again.json()["code"]) == (401, "AUTH_INVALID")
        async with side.client() as client:
            answer = await client.sign_in(done["token"])
            assert answer["payload"]["walletAddress"] == address
        challenge = await side.http.get("/api/auth/challenge", params={"address": address})
        body = {**done["sent"], "nonce": challenge.json()["nonce"]}
        assert (await side.http.post("/api/auth/verify", json=body)).status_code == 401
        for wrong in ({"signature": "0x12"}, {"address": "me"}, {"signature": None}):
            body = {**done["sent"], **wrong}
            challenge = await side.http.get("/api/auth/challenge", params={"address": address})
            body["nonce"] = challenge.json()["nonce"]
            assert (await side.http.post("/api/auth/verify", json=body)).status_code == 400
        challenge = await side.http.get("/api/auth/challenge", params={"address": address})
        await advance(301)
        body = {**done["sent"], "nonce": challenge.json()["nonce"]}
        reply = await side.http.post("/api/auth/verify", json=body)
        assert "5 minutes" in reply.json()["message"]


async def test_a_linked_wallet_plays_within_limits(tmp_path: Path) -> None:
    """Only with its signature, and until the wallet or the account removes the link."""
    async with a2g_side(tmp_path) as side:
        owner, other = await side.guest("Owner"), await side.guest("Other")
        wallet = wallet_of(KEY)
        body: dict[str, Any] = {"walletAddress": wallet, "permissions": {"allowedGames": 7}}
        wrong = await side.post("/api/auth/link-account", owner, body)
        assert wrong.json()["message"].startswith("permissions.allowedGames: must be")
        body["permissions"] = {"allowedGames": ["roulette"], "maxStakePerRound": 5}
        unsigned = await side.post("/api/auth/link-account", other, body)
        assert unsigned.status_code == 400
        assert "nonce" in unsigned.json()["message"]
        consent = await signed_link(side)
        anybody = await signed_link(side, "0x" + "2" * 64)
        for forged in (
            {**consent, "signature": anybody["signature"]},  # uses the nonce up
            consent,
            {**anybody, "walletAddress": wallet},
        ):
            refused = await side.post("/api/auth/link-account", other, {**body, **forged})
            assert refused.status_code == 401
        old = await signed_link(side)
        await advance(301)
        assert (await side.post("/api/auth/link-account", owner, body | old)).status_code == 401
        consent = await signed_link(side)
        linked = await side.post("/api/auth/link-account", owner, body | consent)
        assert linked.status_code == 201
        assert (await side.post("/api/auth/link-account", owner, body | consent)).status_code == 401
        again = body | await signed_link(side)
        assert (await side.post("/api/auth/link-account", other, again)).status_code == 409
        done = await signed_in(side)
        for token in (owner, done["token"]):
            seen = await side.http.get(
                "/api/auth/link-account", headers={"Authorization": f"Bearer {token}"}
            )
            assert [each["linkId"] for each in seen.json()["links"]] == [linked.json()["linkId"]]
        refused = await side.post("/api/rooms/room/join", done["token"], {})
        assert (refused.status_code, refused.json()["code"]) == (403, "NOT_PERMITTED")
        link = f"/api/auth/link-account/{linked.json()['linkId']}"
        headers = [{"Authorization": f"Bearer {token}"} for token in (other, done["token"])]
        assert (await side.http.delete(link, headers=headers[0])).status_code == 404
        assert (await side.http.delete(link, headers=headers[1])).status_code == 204
        assert (await side.post("/api/rooms/room/join", done["token"], {})).status_code == 200


async def test_links_of_earlier_versions_bind_nobody(tmp_path: Path) -> None:
    """No wallet signed them: the wallet plays, sees no link, and may be linked."""
    wallet = wallet_of(KEY)
    rows = sqlite3.connect(tmp_path / "gateway.db")
    with closing(rows), rows:
        rows.execute(
            "CREATE TABLE a2g_link (link_id TEXT PRIMARY KEY, login_id TEXT NOT NULL,"
            " wallet_address TEXT NOT NULL UNIQUE, permissions TEXT NOT NULL)"
        )
        limits = '{"allowedGames": ["no_game_at_all"], "maxStakePerRound": 0}'
        rows.execute("INSERT INTO a2g_link VALUES ('1', 'mallory', ?, ?)", (wallet, limits))
    async with a2g_side(tmp_path) as side:
        token = (await signed_in(side))["token"]
        headers = {"Authorization": f"Bearer {token}"}
        seen = await side.http.get("/api/auth/link-account", headers=headers)
        assert seen.json() == {"links": []}
        assert (await side.post("/api/rooms/room/join", token, {})).status_code == 200
        body = await signed_link(side)
        assert (await side.post("/api/auth/link-account", token, body)).status_code == 201


async def test_a_login_is_over_after_a_day_or_idle(tmp_path: Path) -> None:
    """AUTH_EXPIRED first; later it is unknown, and its bookings with it."""
    async with a2g_side(tmp_path) as side:
        token = await side.guest()
        side.ahead = timedelta(minutes=29)
        assert (await side.get("/api/games", token)).status_code == 200
        side.ahead = timedelta(minutes=58)
        assert (await side.get("/api/games", token)).status_code == 200
        side.ahead = timedelta(minutes=90)
        assert (await side.get("/api/games", token)).json()["code"] == "AUTH_EXPIRED"
        await side.guest()
        assert (await side.get("/api/games", token)).json()["code"] == "AUTH_INVALID"
