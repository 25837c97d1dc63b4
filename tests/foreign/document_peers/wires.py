"""How documents' peers reach each other: A2A 1.0, or the original framework's HTTP profile.

Version 1.9 of that framework finds an agent at the origin of its `url` and drops any path below it;
version 5 keeps the path of the first interface whose binding contains "HTTP". Neither sends a
header, and both read nothing of an error but its status.
"""

import json
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any
from urllib.parse import urljoin

from typing_extensions import override

Json = dict[str, Any]
Answer = Callable[[str, Json], Json]
"""Runs a skill; raises Refused, or InvalidInput."""

CARD_PATHS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
JSON = "application/json"
_REFUSED, _INVALID, _NO_METHOD = -32004, -32602, -32601
_ids = count(1)
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Refused(Exception):
    """An agent refuses a call, or cannot be called."""


class InvalidInput(Exception):
    """An input is not of its skill's shape."""


class Wire(ABC):
    """One way to publish a card, to answer and to call."""

    def __init__(self) -> None:
        self._cards: dict[str, Json] = {}

    base = ""
    """Path below the origin at which agents are served."""

    @abstractmethod
    def card(self, url: str, skills: Iterable[str]) -> Json:
        """Return what the card of an agent at this URL has beside its name."""

    @abstractmethod
    def reply(
        self, path: str, body: Json, skills: Iterable[str], answer: Answer
    ) -> tuple[int, Json]:
        """Return status and content of the reply to a POST; `path` is below the agent's base."""

    @abstractmethod
    def request(self, card: Json, skill: str, data: Json) -> urllib.request.Request:
        """Return the request of a call; raises Refused if the card does not offer it."""

    @abstractmethod
    def output(self, content: Json) -> Json:
        """Return what a reply's content holds; raises Refused."""

    def call(self, card_url: str, skill: str, data: Json, timeout_s: float = 60) -> Json:
        """Call a skill of the agent with this card. Raises Refused."""
        card = self._cards.get(card_url)
        if card is None:
            card = self._cards[card_url] = _fetch(urllib.request.Request(card_url), timeout_s)
        return self.output(_fetch(self.request(card, skill, data), timeout_s))


class A2A(Wire):
    """JSON-RPC `SendMessage`; the input is a data part.

    A2A has no field for the skill that is meant: a caller names it in the message's metadata, and
    an agent finds any of its own ids there.
    """

    @override
    def card(self, url: str, skills: Iterable[str]) -> Json:
        interface = {"url": f"{url}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        return {
            "description": "Knows the casino protocol's document, and nothing else.",
            "version": "1",
            "supportedInterfaces": [interface],
            "capabilities": {"streaming": False, "pushNotifications": False},
            "defaultInputModes": [JSON],
            "defaultOutputModes": [JSON],
            "skills": [
                {"id": name, "name": name, "description": f"The entrypoint {name}.", "tags": ["x"]}
                for name in skills
            ],
        }

    @override
    def reply(
        self, path: str, body: Json, skills: Iterable[str], answer: Answer
    ) -> tuple[int, Json]:
        reply: Json = {"jsonrpc": "2.0", "id": body.get("id")}
        if path != "/rpc" or body.get("method") != "SendMessage":
            error: Json = {"code": _NO_METHOD, "message": "only SendMessage is offered"}
            return 200, {**reply, "error": error}
        message = body["params"]["message"]
        data: Json = next((part["data"] for part in message["parts"] if "data" in part), {})
        metadata = json.dumps(message.get("metadata"))
        skill = next((name for name in skills if json.dumps(name) in metadata), "")
        try:
            part = {"data": answer(skill, data), "mediaType": JSON}
        except Refused as refused:
            return 200, {**reply, "error": {"code": _REFUSED, "message": str(refused)}}
        except InvalidInput as invalid:
            return 200, {**reply, "error": {"code": _INVALID, "message": str(invalid)}}
        message = {"messageId": f"r{next(_ids)}", "role": "ROLE_AGENT", "parts": [part]}
        return 200, {**reply, "result": {"message": message}}

    @override
    def request(self, card: Json, skill: str, data: Json) -> urllib.request.Request:
        url = next(
            interface["url"]
            for interface in card["supportedInterfaces"]
            if interface["protocolBinding"] == "JSONRPC"
        )
        message = {
            "messageId": f"m{next(_ids)}",
            "role": "ROLE_USER",
            "metadata": {"skillId": skill},
            "parts": [{"data": data, "mediaType": JSON}],
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
        headers = {"Content-Type": JSON, "A2A-Version": "1.0"}
        return urllib.request.Request(url, json.dumps(body).encode(), headers)

    @override
    def output(self, content: Json) -> Json:
        if "error" in content:
            raise Refused(str(content["error"]))
        (part,) = content["result"]["message"]["parts"]
        output: Json = part["data"]
        return output


class _Invoke(Wire):
    """`POST /entrypoints/SKILL/invoke`, with `{"input": …}` and `{"output": …}`."""

    @override
    def card(self, url: str, skills: Iterable[str]) -> Json:
        return {
            "protocolVersion": "1.0",
            "url": f"{url}/",
            "supportedInterfaces": [{"url": f"{url}/", "protocolBinding": "HTTP+JSON"}],
            "version": "0.1.0",
            "capabilities": {"streaming": True, "pushNotifications": False},
            "skills": [{"id": name, "name": name, "streaming": False} for name in skills],
            "entrypoints": {name: {"streaming": False} for name in skills},
        }

    @override
    def reply(
        self, path: str, body: Json, skills: Iterable[str], answer: Answer
    ) -> tuple[int, Json]:
        skill = path.removeprefix("/entrypoints/").removesuffix("/invoke")
        if skill not in skills or path != f"/entrypoints/{skill}/invoke":
            return 404, {"error": {"code": "entrypoint_not_found"}}
        try:
            output = answer(skill, body.get("input", body))
        except Refused as refused:
            return 500, {"error": {"code": "internal_error", "message": str(refused)}}
        except InvalidInput as invalid:
            issues = [{"code": "invalid_value", "path": [], "message": str(invalid)}]
            return 400, {"error": {"code": "invalid_input", "issues": issues}}
        return 200, {"run_id": f"run-{next(_ids)}", "status": "succeeded", "output": output}

    @abstractmethod
    def address(self, card: Json, path: str) -> str:
        """Return the URL of a path of an agent."""

    @override
    def request(self, card: Json, skill: str, data: Json) -> urllib.request.Request:
        if not any(offered["id"] == skill for offered in card["skills"]):
            raise Refused(f"the skill {skill} is not in the card")
        body = json.dumps({"input": data}).encode()
        url = self.address(card, f"entrypoints/{skill}/invoke")
        return urllib.request.Request(url, body, {"Content-Type": JSON})

    @override
    def output(self, content: Json) -> Json:
        output: Json = content["output"]
        return output


class Invoke1(_Invoke):
    """As version 1.9 of the framework speaks it."""

    @override
    def address(self, card: Json, path: str) -> str:
        url: str = card["url"]
        return urljoin(url, f"/{path}")


class Invoke5(_Invoke):
    """As version 5 of the framework speaks it, with agents below the root."""

    base = "/agents/this"

    @override
    def address(self, card: Json, path: str) -> str:
        interfaces = card.get("supportedInterfaces", ())
        interface = next((one for one in interfaces if "HTTP" in one["protocolBinding"]), card)
        base: str = interface["url"]
        return f"{base.rstrip('/')}/{path}"


WIRES: dict[str, type[Wire]] = {"A2A 1.0": A2A, "invoke 1.9": Invoke1, "invoke 5": Invoke5}


def _fetch(request: urllib.request.Request, timeout_s: float) -> Json:
    try:
        with _opener.open(request, timeout=timeout_s) as reply:
            content: Json = json.load(reply)
            return content
    except urllib.error.HTTPError as error:
        raise Refused(f"Agent invocation failed: {error.code} {error.reason}") from error
    except (urllib.error.URLError, OSError) as error:
        raise Refused(f"{request.full_url}: {error}") from error
