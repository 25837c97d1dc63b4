"""One answer in the words of each protocol: A2A 1.0 (JSON-RPC, HTTP+JSON), A2A 0.3, invoke."""

import json
from dataclasses import dataclass
from typing import Any

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"
BINDINGS = ("jsonrpc", "rest", "v03")
"""Those of A2A."""
INVOKE = "invoke"
EVERY_BINDING = (*BINDINGS, INVOKE)


def card(binding: str, base: str) -> dict[str, Any]:
    """Return the card of an agent below `base` that speaks one binding."""
    if binding == INVOKE:
        return {"name": "Raw", "url": f"{base}/", "skills": [{"id": "signup"}, {"id": "act"}]}
    common = {
        "name": "Raw",
        "description": "d",
        "version": "1",
        "capabilities": {"extensions": [{"uri": EXTENSION}]},
        "skills": [
            {"id": skill, "name": skill, "description": "d", "tags": ["t"]}
            for skill in ("signup", "act")
        ],
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
    }
    if binding == "v03":
        spoken = {"protocolVersion": "0.3.0", "preferredTransport": "JSONRPC", "url": f"{base}/rpc"}
        return {**common, **spoken}
    name = {"jsonrpc": "JSONRPC", "rest": "HTTP+JSON"}[binding]
    interface = {"url": f"{base}/rpc", "protocolBinding": name, "protocolVersion": "1.0"}
    return {**common, "supportedInterfaces": [interface]}


@dataclass(frozen=True)
class Call:
    """A call as it arrived: by which binding, and its id (only JSON-RPC has one)."""

    binding: str
    call_id: Any = None

    def part(self, kind: str, content: Any) -> dict[str, Any]:
        """Return a part of a message: `data` or `text`."""
        return {"kind": kind, kind: content} if self.binding == "v03" else {kind: content}

    def message(self, *parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
        if self.binding == INVOKE:
            outputs = [content for part in parts for content in part.values()]
            output = outputs[0] if len(outputs) == 1 else outputs
            return {"run_id": "r", "status": "succeeded", "output": output, **fields}
        is_old = self.binding == "v03"
        role = {"kind": "message", "role": "agent"} if is_old else {"role": "ROLE_AGENT"}
        message = {"messageId": "m", **role, "parts": list(parts), **fields}
        return self._result(message if is_old else {"message": message})

    def task(self, state: str, **fields: Any) -> dict[str, Any]:
        """Return a reply with a task; `state` as 0.3 writes it."""
        if self.binding == INVOKE:
            return {"taskId": "t-1", "status": state, **fields}
        is_old = self.binding == "v03"
        named = state if is_old else f"TASK_STATE_{state.upper()}"
        task = {"id": "t-1", "contextId": "c", "status": {"state": named}, **fields}
        return self._result({"kind": "task", **task} if is_old else {"task": task})

    def answer(self, data: Any) -> dict[str, Any]:
        return self.message(self.part("data", data))

    def text(self, text: str) -> dict[str, Any]:
        return self.message(self.part("text", text))

    def refusal(self, message: Any, reason: Any, errors: Any) -> tuple[int, dict[str, Any]]:
        """Return status and body of a refusal."""
        if self.binding == INVOKE:
            error = {"code": "invalid_input", "message": message, "reason": reason}
            return 400, {"error": {**error, "issues": _issues(errors)}}
        info = {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "UNSUPPORTED_OPERATION",
            "domain": "a2a-protocol.org",
            "metadata": {"reason": reason, "errors": errors},
        }
        if self.binding == "rest":
            error = {"code": 400, "status": "X", "message": message, "details": [info]}
            return 400, {"error": error}
        error = {"code": -32004, "message": message, "data": [info]}
        return 200, {"jsonrpc": "2.0", "id": self.call_id, "error": error}

    def _result(self, result: dict[str, Any]) -> dict[str, Any]:
        if self.binding == "rest":
            return result
        return {"jsonrpc": "2.0", "id": self.call_id, "result": result}


def _issues(errors: Any) -> Any:
    """Return faults in the form of the invoke profile, as far as they are any."""
    if not isinstance(errors, list):
        return errors
    return [
        {"path": [error.get("field")], "message": error.get("message")}
        if isinstance(error, dict)
        else error
        for error in errors
    ]


def with_deep_data(call: Call, deep: bytes) -> bytes:
    """Return a reply around JSON that Python's writer would not write."""
    return json.dumps(call.answer("DEEP")).encode().replace(b'"DEEP"', deep)
