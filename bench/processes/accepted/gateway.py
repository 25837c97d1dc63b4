"""The calls of guests, of wallets and of seats that a gateway accepts, and their frames."""

import json
from typing import Any, Final

from accepted.calls import RULES, Accepted, Around, Client, Frames, until
from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey
from support.attack.large_calls import NUMBER, PAD, Call, Victim, padded

_WALLET: Final = PrivateKey(b"\x17" * 32)
_NONCE: Final = "@nonce@".ljust(32, "@")
_SIGNATURE: Final = "@signature@".ljust(132, "@")
_PLAYER: Final = "@player@".ljust(12, "@")
_BEARER: Final = "@bearer@"
_LINK: Final = "@link@"
_KIND: Final = "@kind@"
"""Texts of calls, as long as what replaces them."""


def of_gateway(target: Victim, around: Around) -> Accepted:
    """Return the calls of guests, of wallets and of seats, and the frames of their sockets."""
    lobby, http = Client(around.lobby_url, ""), Client(target.url, "")
    for room, seats in (("quiet", 10), ("boards", 10), ("asked", 2), ("turns", 2)):
        lobby.open(room, None, maxSeats=seats, maxHands=1_000_000, rebuy="auto")
    guest = _guest(http)
    bearer = {"Authorization": f"Bearer {guest}"}
    of_guest = Client(target.url, guest)
    wallet = _Wallet(http, of_guest)

    def joined(_reply: bytes) -> dict[str, str]:
        of_guest.post("/api/rooms/quiet/join", {})
        return {}

    def closed(reply: bytes) -> dict[str, str]:
        if reply:
            content = json.loads(reply)
            lobby.delete(f"/v1/rooms/{content.get('match_id', content.get('id'))}")
        return {}

    def given_back(reply: bytes) -> dict[str, str]:
        if reply and "token" in (taken := json.loads(reply)):
            Client(target.url, taken["token"]).delete("/bgp/seats")
        return {}

    seat = {"match_id": "boards", "name": "Ada", "type": "ai"}
    taken, left = http.post("/bgp/seats", seat), http.post("/bgp/seats", seat)
    Client(target.url, left["token"]).delete("/bgp/seats")
    of_seat = {"Authorization": f"Bearer {taken['token']}"}
    core = {"version": "1.0.0", "game": taken["game"], "agent_id": taken["agent_id"]}
    state = {**core, "type": "get_state", "match_id": "boards", "pad": PAD}
    play = _Play(target, lobby, around)
    strict = "/bgp?dialect=schemas-1.0.0"
    made = {**core, "type": "create_match", "settings": {"version": "1.0.0", "data": RULES}}
    pad = padded({"pad": PAD})
    routes = [
        Call("POST", "/bgp", padded(state), of_seat),
        Call("POST", strict, padded(state), of_seat),
        Call("POST", strict, padded({**core, "type": "get_matches", "pad": PAD})),
        Call("POST", strict, padded({**made, "pad": PAD}), renew=closed),
        Call("POST", "/bgp/seats", padded({**seat, "pad": PAD}), renew=given_back),
        Call("DELETE", "/bgp/seats", pad, {"Authorization": f"Bearer {left['token']}"}),
        Call("POST", "/api/auth/guest", padded({"displayName": "Ada", "pad": PAD})),
        Call(
            "POST",
            "/api/auth/verify",
            padded({"address": wallet.address, **wallet.proof, "pad": PAD}),
            renew=wallet.signed,
        ),
        Call(
            "POST",
            "/api/auth/link-account",
            padded({"walletAddress": wallet.address, **wallet.proof, "pad": PAD}),
            bearer,
            wallet.unlinked,
        ),
        Call("DELETE", f"/api/auth/link-account/{_LINK}", pad, bearer, wallet.linked),
        Call("POST", "/api/rooms", padded({"config": RULES}), bearer, closed),
        Call("POST", "/api/rooms/quiet/join", pad, bearer),
        Call("POST", "/api/rooms/quiet/leave", pad, bearer, joined),
        *(
            Call("GET", path, pad, bearer)
            for path in (
                f"/api/auth/challenge?address={wallet.address}",
                "/api/auth/link-account",
                "/api/games",
                "/api/games/texas-holdem/spec",
                "/api/lobby",
                "/api/wallet/config",
                "/api/wallet/transactions",
            )
        ),
        Call(
            "POST",
            "/bgp",
            padded({**play.action, "pad": PAD}),
            {"Authorization": f"Bearer {_BEARER}"},
            play.awaited,
        ),
    ]

    def frame(kind: str, **payload: Any) -> str:
        content = {"type": kind, "messageId": f"{kind}{NUMBER}", "payload": {**payload, "pad": PAD}}
        return padded(content).decode()

    sign_in = json.dumps({"type": "authenticate", "payload": {"token": guest}})
    hello = json.dumps({"id": "hello", "skill": "hello", "data": {"name": "Bot"}})
    order = {"roomId": "quiet", "requestId": "join"}
    frames = [
        Frames("/ws", "heartbeat", frame("heartbeat"), '"pong"', [sign_in]),
        Frames("/ws", "balance_query", frame("balance_query"), "balance_response", [sign_in]),
        Frames("/ws", "session_extend", frame("session_extend"), "session_extended", [sign_in]),
        Frames("/bgp/ws", "get_state", padded(state).decode(), "_response", headers=of_seat),
        Frames(
            "/bots",
            "join",
            padded({"id": "join", "skill": "join", "data": {**order, "pad": PAD}}).decode(),
            '"playerId"',
            [hello],
        ),
    ]
    of_guest.post("/api/rooms/turns/join", {})
    action: dict[str, Any] = {"type": "submit_action", "messageId": f"a{NUMBER}"}
    frames.append(
        Frames(
            "/ws",
            "submit_action",
            padded(
                {**action, "tableId": "turns", "payload": {"action": _KIND}, "pad": PAD}
            ).decode(),
            '"ack"',
            [sign_in],
            awaited='"game_action_request"',
            chosen=lambda message: _kind_of(json.loads(message)["payload"]["availableActions"]),
            begin=lambda: lobby.seat("turns", around.players.cards[5]),
        )
    )
    never = {"POST /api/wallet/withdraw": "play chips cannot be withdrawn: it refuses everybody"}
    return Accepted(routes=routes, frames=frames, never=never)


class _Wallet:
    """A wallet that signs what it is asked to, and is linked to a guest."""

    address: Final = _WALLET.public_key.to_checksum_address()

    def __init__(self, http: Client, guest: Client) -> None:
        self._http, self._guest = http, guest
        self.proof = {"nonce": _NONCE, "signature": _SIGNATURE}

    def signed(self, _reply: bytes) -> dict[str, str]:
        """Return the signature of a new challenge."""
        challenge = self._http.get(f"/api/auth/challenge?address={self.address}")
        content = challenge["message"].encode()
        digest = keccak(b"\x19Ethereum Signed Message:\n%d" % len(content) + content)
        signature = "0x" + _WALLET.sign_msg_hash(digest).to_bytes().hex()
        return {_NONCE: challenge["nonce"], _SIGNATURE: signature}

    def unlinked(self, reply: bytes) -> dict[str, str]:
        """Remove the link; returns what a new one needs."""
        for link in self._guest.get("/api/auth/link-account")["links"]:
            self._guest.delete(f"/api/auth/link-account/{link['linkId']}")
        return self.signed(reply)

    def linked(self, reply: bytes) -> dict[str, str]:
        """Make the link anew; returns its id."""
        proved = self.unlinked(reply)
        proof = {name: proved[text] for name, text in self.proof.items()}
        body = {"walletAddress": self.address, **proof}
        return {_LINK: self._guest.post("/api/auth/link-account", body)["linkId"]}


class _Play:
    """A seat of the Boardgame Protocol that is asked, hand after hand, once it is taken."""

    def __init__(self, target: Victim, lobby: Client, around: Around) -> None:
        self._target, self._lobby, self._around = target, lobby, around
        self._seat: dict[str, Any] = {}
        self.action = {
            "version": "1.0.0",
            "type": "perform_action",
            "game": "texas-holdem",
            "match_id": "asked",
            "agent_id": _PLAYER,
            "action": {"type": _KIND},
        }

    def awaited(self, _reply: bytes) -> dict[str, str]:
        """Wait until the seat is asked; returns what it answers."""
        if not self._seat:
            seat = {"match_id": "asked", "name": "Bob", "type": "ai"}
            self._seat = Client(self._target.url, "").post("/bgp/seats", seat)
            self._lobby.seat("asked", self._around.players.cards[4])
        client = Client(self._target.url, self._seat["token"])
        message = {**self.action, "type": "get_state", "agent_id": self._seat["agent_id"]}
        offers: list[Any] = []

        def is_asked() -> bool:
            state = client.post("/bgp", message)["state"]
            offers[:] = state["data"]["available_actions"]
            return bool(offers)

        until(is_asked)
        return {
            _PLAYER: self._seat["agent_id"],
            _BEARER: self._seat["token"],
            **_kind_of(offers),
        }


def _kind_of(offers: list[dict[str, Any]]) -> dict[str, str]:
    """Return the action that keeps a player in the hand, and the text that it replaces."""
    kinds = [str(offer.get("action_type", offer.get("type"))) for offer in offers]
    return {_KIND: next((kind for kind in kinds if kind in {"check", "call"}), kinds[-1])}


def _guest(http: Client) -> str:
    token: str = http.post("/api/auth/guest", {})["token"]
    return token
