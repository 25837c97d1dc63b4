"""Fast client binding of typed calls: JSON-RPC 2.0, with envelopes built by hand.

A plain answer, a message of one data part as most agents send it, is read by a struct: everything
in it is known. Other replies are read as JSON values, and so is a plain one whose data is not read:
the output is the same either way.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

import msgspec
import orjson

from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.agent_reply import refused, retry_after_s
from casino_agentkit.client.http.http_reply import HttpReply
from casino_agentkit.client.transport import Transport, send_following
from casino_agentkit.errors import ProtocolFault, RemoteRefused
from casino_agentkit.protocol import (
    EXTENSION,
    EXTENSIONS_HEADER,
    JSON,
    VERSION,
    VERSION_HEADER,
    MessageIds,
    is_id,
)

_MOST_BYTES: Final = 16_384
"""The largest plain reply; a larger one is counted value by value before it is read."""


class _AnswerPart(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    data: msgspec.Raw
    mediaType: str = ""  # noqa: N815  as it is sent


class _AnswerMessage(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    parts: tuple[_AnswerPart]
    messageId: str = ""  # noqa: N815
    contextId: str = ""  # noqa: N815
    role: str = ""
    extensions: tuple[str, ...] = ()


class _Result(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    message: _AnswerMessage


class _Response(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    jsonrpc: Literal["2.0"]
    id: str
    result: _Result


_DECODER: Final = msgspec.json.Decoder(_Response)


class PlainAnswer(NamedTuple):
    """The data of an answer, as JSON, and its context id, "" without a valid one."""

    data: bytes
    context_id: str


def plain_answer(body: bytes | bytearray, call_id: str) -> PlainAnswer | None:
    if len(body) > _MOST_BYTES or not body.isascii():
        return None
    try:
        response = _DECODER.decode(body)
    except (ValueError, RecursionError):  # not plain, or nested too deep
        return None
    if response.id != call_id:
        return None
    message = response.result.message
    context_id = message.contextId
    return PlainAnswer(bytes(message.parts[0].data), context_id if is_id(context_id) else "")


OutputT = TypeVar("OutputT")

_HEADERS = {"Content-Type": JSON, VERSION_HEADER: VERSION, EXTENSIONS_HEADER: EXTENSION}
_OK = 200
_TOKENS = 256  # tokens whose headers are kept
_ENVELOPE = '{"jsonrpc": "2.0", "id": that of the request, "result": {"message": ...}}'
_OTHER_ID = "the reply's id is not that of the request: copy id from the request"
_NO_ID = "the reply has no id: copy id from the request"


@dataclass(frozen=True, slots=True)
class ReadAnswer(Generic[OutputT]):
    """An output, and the context id of its reply, "" without one."""

    output: OutputT
    context_id: str


class JsonRpcBinding:
    """Calls one agent at its JSON-RPC URL."""

    def __init__(
        self, transport: Transport, url: str, tenant: str, ids: MessageIds, bounds: ReplyBounds
    ) -> None:
        self._transport = transport
        self._bounds = bounds
        self.url = url
        self._ids = ids
        self._tenant = b'"tenant":' + orjson.dumps(tenant) + b"," if tenant else b""
        self._heads: dict[str, bytes] = {}
        self._headers: dict[str | None, Mapping[str, str]] = {}
        """By token: the same object for every call, by which a transport knows it again."""

    async def send(
        self,
        skill: str,
        data: bytes | None,
        text: str | None,
        context_id: str | None,
        timeout_s: float,
        token: str | None = None,
    ) -> dict[str, Any]:
        call_id = self._ids.next()
        body = self._body(call_id, skill, data, text, context_id)
        return await self._call(call_id, body, timeout_s, token)

    async def ask(
        self,
        skill: str,
        data: bytes,
        context_id: str | None,
        timeout_s: float,
        token: str | None,
        read: Callable[[bytes], OutputT] | None,
    ) -> "ReadAnswer[OutputT] | dict[str, Any]":
        """Send a call with data; return its answer as `read` reads it, else the result as JSON."""
        call_id = self._ids.next()
        body = self._body(call_id, skill, data, None, context_id)
        reply = await self._post(body, timeout_s, token)
        if read is not None and reply.status == _OK:
            answer = plain_answer(reply.body, call_id)
            if answer is not None:
                try:
                    return ReadAnswer(read(answer.data), answer.context_id)
                except ValueError:  # the model has to read it
                    pass
        return self._result_of(call_id, reply)

    async def get_task(
        self, task_id: str, timeout_s: float, token: str | None = None
    ) -> dict[str, Any]:
        return {"task": await self._call_task(b"GetTask", task_id, timeout_s, token)}

    async def cancel_task(self, task_id: str, timeout_s: float, token: str | None = None) -> None:
        await self._call_task(b"CancelTask", task_id, timeout_s, token)

    async def _call_task(
        self, method: bytes, task_id: str, timeout_s: float, token: str | None
    ) -> dict[str, Any]:
        call_id = self._ids.next()
        body = b"".join(
            (
                b'{"jsonrpc":"2.0","id":"',
                call_id.encode(),
                b'","method":"',
                method,
                b'","params":{',
                self._tenant,
                b'"id":',
                orjson.dumps(task_id),
                b"}}",
            )
        )
        return await self._call(call_id, body, timeout_s, token)

    def _body(
        self, call_id: str, skill: str, data: bytes | None, text: str | None, context_id: str | None
    ) -> bytes:
        head = self._heads.get(skill)
        if head is None:
            head = self._heads[skill] = (
                b'","role":"ROLE_USER","extensions":[%b],"metadata":{%b:{"skill":%b}},"parts":['
                % (orjson.dumps(EXTENSION), orjson.dumps(EXTENSION), orjson.dumps(skill))
            )
        encoded_id = call_id.encode()
        return b"".join(
            (
                b'{"jsonrpc":"2.0","id":"',
                encoded_id,
                b'","method":"SendMessage","params":{',
                self._tenant,
                b'"message":{',
                b'"contextId":' + orjson.dumps(context_id) + b"," if context_id else b"",
                b'"messageId":"',
                encoded_id,
                head,
                b'{"text":' + orjson.dumps(text) + b"}" if text else b"",
                b"," if text and data else b"",
                b'{"data":' + data + b',"mediaType":"application/json"}' if data else b"",
                b"]}}}",
            )
        )

    async def _call(
        self, call_id: str, body: bytes, timeout_s: float, token: str | None
    ) -> dict[str, Any]:
        return self._result_of(call_id, await self._post(body, timeout_s, token))

    async def _post(self, body: bytes, timeout_s: float, token: str | None) -> HttpReply:
        headers = self._headers.get(token)
        if headers is None:
            headers = {**_HEADERS, "Authorization": f"Bearer {token}"} if token else _HEADERS
            if len(self._headers) >= _TOKENS:
                self._headers.clear()
            self._headers[token] = headers
        return await send_following(self._transport, "POST", self.url, headers, body, timeout_s)

    def _result_of(self, call_id: str, reply: HttpReply) -> dict[str, Any]:
        if reply.status != _OK:
            raise ProtocolFault(
                self.url,
                f"HTTP status {reply.status}",
                status=reply.status,
                said=self._said(call_id, reply),
                retry_after_s=retry_after_s(reply.retry_after),
            )
        return self._result(call_id, reply)

    def _said(self, call_id: str, reply: HttpReply) -> str:
        """Return the message of a JSON-RPC error to this call, "" if the reply is anything else."""
        try:
            self._result(call_id, reply)
        except RemoteRefused as error:
            return error.message
        except ProtocolFault:
            pass
        return ""

    def _result(self, call_id: str, reply: HttpReply) -> dict[str, Any]:
        """Return the result in a JSON-RPC response. Raises RemoteRefused or ProtocolFault."""
        try:
            envelope = self._bounds.parse(reply.body)
        except ValueError as error:
            raise ProtocolFault(self.url, f"the reply {error}") from error
        if not isinstance(envelope, dict) or envelope.get("jsonrpc") != "2.0":
            # The content is not included: the URL may be of an unrelated internal service.
            raise ProtocolFault(self.url, f"the reply is not a JSON-RPC response: send {_ENVELOPE}")
        is_ours = envelope.get("id") == call_id
        if envelope.get("error") is not None and (is_ours or envelope.get("id") is None):
            raise refused(self.url, envelope["error"])
        if not is_ours:
            raise ProtocolFault(self.url, _OTHER_ID if "id" in envelope else _NO_ID)
        result = envelope.get("result")
        if not isinstance(result, dict):
            raise ProtocolFault(
                self.url, f"the reply has neither result nor error: send {_ENVELOPE}"
            )
        return result
