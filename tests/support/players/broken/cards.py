"""Bots whose card or signup is faulty."""

from typing import Any

from support.players.broken.bot import Bot
from support.processes import reserved_port


class CardOfHtml(Bot):
    """Serves a page instead of its card."""

    def get(self) -> tuple[int, bytes]:
        return 200, b"<html><body>My bot</body></html>"


class CardAbsent(Bot):
    """Serves no card."""

    def get(self) -> tuple[int, bytes]:
        return 404, b"{}"


class CardOfAnotherShape(Bot):
    """Serves JSON that is no card."""

    def card(self) -> Any:
        return {"name": ["My bot"], "skills": "signup, act"}


class CardWithoutInterface(Bot):
    """Says nowhere where it is called."""

    def card(self) -> Any:
        card = super().card()
        del card["supportedInterfaces"]
        return card


class CardAtDeadPort(Bot):
    """Advertises a port at which nothing listens."""

    def interface(self) -> dict[str, str]:
        return {**super().interface(), "url": f"http://127.0.0.1:{reserved_port()}/rpc"}


class CardOfTls(Bot):
    """Advertises https, and serves http."""

    def interface(self) -> dict[str, str]:
        url = f"{self.address}/rpc".replace("http:", "https:")
        return {**super().interface(), "url": url}


class CardOf03(Bot):
    """Has a card of A2A 0.3."""

    def card(self) -> Any:
        card = super().card()
        del card["supportedInterfaces"]
        modes = {"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"]}
        skills: list[dict[str, Any]] = [
            {"id": name, "name": name, "description": name, "tags": []}
            for name in ("signup", "act")
        ]
        version = {"protocolVersion": "0.3.0", "url": f"{self.address}/rpc"}
        return card | version | modes | {"skills": skills, "preferredTransport": "JSONRPC"}


class CardWithoutSkills(Bot):
    """Declares no skill."""

    def card(self) -> Any:
        return super().card() | {"skills": []}


class SignupRefused(Bot):
    """Has no signup."""

    def answer(self, call: dict[str, Any]) -> Any:
        answer = super().answer(call)
        if "displayName" in answer:
            raise LookupError
        return answer


class SignupWithoutName(Bot):
    """Accepts without a name."""

    def signup(self, invitation: dict[str, Any]) -> Any:
        return {"ok": bool(invitation)}


class SignupWithAllChips(Bot):
    """Asks for more chips than the room allows."""

    def signup(self, invitation: dict[str, Any]) -> Any:
        return super().signup(invitation) | {"buyIn": invitation["maxBuyIn"] * 10}


class OneTableOnly(Bot):
    """Takes one seat and no other."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: set[str] = set()

    def signup(self, invitation: dict[str, Any]) -> Any:
        self.tables.add(invitation["tableId"])
        return super().signup(invitation) if len(self.tables) == 1 else {}
