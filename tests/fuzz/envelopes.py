"""Every way to write a typed call as HTTP, and every way that the SDK offers beside those."""

import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from casino.attack.binding_calls import BINDINGS, FILL, TriedBinding, filled
from casino_agentkit import EXTENSION
from casino_agentkit.protocol import JSON, REST_PATH, RPC_PATH
from fuzz.typed_calls import TypedCall
from fuzz.values import Raw, encoded, mutated, odd

Headers = dict[str, str]
TYPED: Headers = {"Content-Type": JSON, "A2A-Version": "1.0", "A2A-Extensions": EXTENSION}
FAST = BINDINGS[0]


class Written(NamedTuple):
    """A call as it is sent, but for the address of its agent."""

    path: str
    body: bytes
    headers: Headers = TYPED


def envelope(call: TypedCall, binding: TriedBinding = FAST) -> dict[str, Any]:
    """Return a call as a binding has it, with the same id at every run."""
    body = binding.body(call.skill, call.data)
    said: dict[str, Any] = body.get("params", body).get("message", {})
    said |= {"messageId": "m-1"} if said else {}
    return body


def written(call: TypedCall, binding: TriedBinding = FAST) -> Written:
    body = encoded(envelope(call._replace(data=FILL), binding))
    return Written(binding.path_of(call.skill), filled(body, encoded(call.data)))


def spoilt(rng: random.Random, call: TypedCall) -> Written:
    """Write a call whose envelope is wrong somewhere, or says more than it needs to."""
    rpc = envelope(call)
    whole = rng.choice((rpc, {"message": rpc["params"]["message"]}))
    path = rng.choice((RPC_PATH, RPC_PATH, RPC_PATH + "/"))
    if "jsonrpc" not in whole:
        path = REST_PATH + rng.choice(("/message:send", "/message:stream", "/t/message:send"))
    draw = rng.random()
    if draw < 0.5:
        return Written(path, encoded(mutated(rng, whole)))
    sent = whole["params"]["message"] if "params" in whole else whole["message"]
    sent |= rng.choice(_MESSAGES)(rng, call)
    if draw < 0.6 and "jsonrpc" in whole:
        whole |= rng.choice(_ENVELOPES)(rng)
    return Written(path, encoded(whole))


_SKILLS: tuple[Any, ...] = (
    "act",
    "listRooms",
    "tableSummary",
    "abolishRoom",
    "",
    7,
    None,
    ["act"],
    "act ",
    "ACT",
)
_IDS: tuple[Any, ...] = (
    None, True, 1.5, 0, -1, 10**30, "", "x" * 3_000, [], {}, "\0", Raw("1e2"), Raw("-0"),
    Raw("1e400"), Raw("NaN"), Raw('"\\ud800"'),
)  # fmt: skip
METHODS = (
    "GetTask", "ListTasks", "CancelTask", "SubscribeToTask", "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig", "GetExtendedAgentCard", "SendStreamingMessage",
)  # fmt: skip
_MESSAGES: tuple[Callable[[random.Random, TypedCall], dict[str, Any]], ...] = (
    lambda _rng, call: {"parts": [{"data": call.data}, {"data": call.data}]},
    lambda _rng, _call: {"parts": []},
    lambda _rng, _call: {"parts": [{}]},
    lambda _rng, call: {"parts": [{"data": call.data}, {"text": "and so on"}]},
    lambda _rng, _call: {"parts": [{"text": "what shall I do?"}]},
    lambda rng, _call: {"parts": [{"text": encoded(odd(rng)).decode()}]},
    lambda _rng, _call: {"parts": [{"raw": "AAAA", "filename": "x", "mediaType": "image/png"}]},
    lambda rng, _call: {"parts": [{"raw": rng.choice(("!", "A", 7))}]},
    lambda _rng, _call: {"parts": [{"url": "http://127.0.0.1:1/x", "mediaType": "text/plain"}]},
    lambda rng, call: {"parts": [{"data": call.data, "mediaType": rng.choice(("", "text/x", 7))}]},
    lambda _rng, call: {"parts": [{"data": call.data, "text": "both"}]},
    lambda rng, _call: {"parts": [{"data": odd(rng), "mediaType": JSON}]},
    lambda rng, _call: {"metadata": {EXTENSION: {"skill": rng.choice(_SKILLS)}}},
    lambda rng, _call: {"metadata": {EXTENSION: {"skill": "act"}, "skill": rng.choice(_SKILLS)}},
    lambda rng, _call: {"metadata": {EXTENSION: odd(rng)}},
    lambda rng, _call: {"metadata": odd(rng)},
    lambda _rng, _call: {"metadata": {}},
    lambda rng, _call: {"extensions": rng.choice(([], ["urn:x"], [EXTENSION] * 2, None))},
    lambda rng, _call: {"role": rng.choice(("ROLE_AGENT", "user", "", 1, 2, 99, None))},
    lambda rng, _call: {"taskId": rng.choice(("nowhere", "", 7)), "contextId": "c"},
    lambda rng, _call: {"messageId": rng.choice(("", None, 7, "\0", "m" * 5_000))},
    lambda rng, _call: {"contextId": rng.choice(("", None, "\u202e", "c" * 5_000, {}))},
    lambda rng, _call: {"referenceTaskIds": rng.choice((["a"], "a", [7]))},
)  # fmt: skip
_ENVELOPES: tuple[Callable[[random.Random], dict[str, Any]], ...] = (
    lambda rng: {"id": rng.choice(_IDS)},
    lambda rng: {"method": rng.choice((*METHODS, "message/send", "", None, 7, "SendMessage\0"))},
    lambda rng: {"jsonrpc": rng.choice(("1.0", 2.0, 2, "", None, ["2.0"]))},
    lambda rng: {"params": odd(rng)},
)
_OLD = ("message/send", "message/stream", "tasks/get", "tasks/cancel", "agent/getCard")
_PARAMS: dict[str, Any] = {
    "id": "t-1",
    "taskId": "t-1",
    "name": "tasks/t-1",
    "pageSize": 10,
    "historyLength": 1,
    "url": "http://127.0.0.1:1/",
    "pageToken": "x",
}


def other_method(rng: random.Random) -> Written:
    """Write a JSON-RPC call of another method than SendMessage, those of A2A 0.3 included."""
    if rng.random() < 0.3:
        parts = [{"kind": "text", "text": "hello"}]
        old = {"kind": "message", "messageId": "m", "role": "user", "parts": parts}
        params: Any = {"message": old}
        method, version = rng.choice(_OLD), rng.choice(("0.3", "0.3.0", "1.0"))
    else:
        params = mutated(rng, _PARAMS) if rng.random() < 0.7 else dict(_PARAMS)
        method, version = rng.choice(METHODS), "1.0"
    whole = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return Written(RPC_PATH, encoded(whole), {**TYPED, "A2A-Version": version})


_REST = (
    ("GET", "/tasks"), ("GET", "/tasks/{}"), ("POST", "/tasks/{}:cancel"),
    ("GET", "/tasks/{}:subscribe"), ("POST", "/tasks/{}:subscribe"), ("GET", "/extendedAgentCard"),
    ("POST", "/tasks/{}/pushNotificationConfigs"), ("GET", "/tasks/{}/pushNotificationConfigs"),
    ("GET", "/tasks/{}/pushNotificationConfigs/{}"), ("GET", "/{}/tasks"),
    ("DELETE", "/tasks/{}/pushNotificationConfigs/{}"), ("GET", "/v1/card"),
    ("GET", "/message:send"),
    ("PUT", "/message:send"), ("GET", "/{}/{}/tasks"),
)  # fmt: skip
_QUERIES = (
    "", "?pageSize=10", "?pageSize=x", "?pageSize=99999999999999999999", "?historyLength=-1",
    "?historyLength=1e9", "?status=TASK_STATE_X", "?nothing=1", "?pageSize=1&pageSize=2",
    "?%ff=%00",
    "?includeArtifacts=maybe", "?statusTimestampAfter=yesterday", "?pageSize[]=1", "?=",
)  # fmt: skip
_NAMES = ("t-1", "%00", "%2e%2e", "%ff", "a%2Fb", "%F0%9F%92%A3", "x" * 300, "a:b", "%0d%0ax")


def other_route(rng: random.Random) -> tuple[str, Written]:
    """Return a method and a request of the SDK's other HTTP+JSON routes."""
    method, path = rng.choice(_REST)
    while "{}" in path:
        path = path.replace("{}", rng.choice(_NAMES), 1)
    query = rng.choice(_QUERIES) if rng.random() < 0.6 else ""
    body = encoded(mutated(rng, _PARAMS)) if method in {"POST", "PUT"} else b""
    version = rng.choice(("1.0", "1.0", "1.0", "0.3", "9", ""))
    return method, Written(REST_PATH + path + query, body, {**TYPED, "A2A-Version": version})


def outcome_of(body: bytes) -> tuple[str, Any]:
    """Return what an answer of A2A says: its data, or its error.

    Raises ValueError for an answer that says neither.
    """
    answer = json.loads(body)
    if "error" in answer:
        return "error", answer["error"]
    found = answer.get("result", answer).get("message")
    if found is None:
        raise ValueError("an answer without a message")
    return "data", [part.get("data") for part in found["parts"]]
