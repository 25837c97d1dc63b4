"""What a model says, as OpenAI's chat and responses protocols and Anthropic's messages write it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PROTOCOL_BY_PATH = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "anthropic",
}
_PIECE = 7
"""Characters of a piece of a stream."""


@dataclass(frozen=True)
class ModelSaid:
    """What a model says: text, thoughts, calls of tools, or a refusal."""

    text: str = ""
    model: str = "stand-in"
    thoughts: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    refusal: str = ""
    finish: str = "stop"
    """Why it ended: `stop`, `length` or `content_filter`."""
    tokens: tuple[int, int] | None = (40, 10)
    """Those of prompt and answer; None if the provider does not count."""


def error(protocol: str, message: str, kind: str) -> dict[str, Any]:
    if protocol == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}}
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def whole(protocol: str, said: ModelSaid) -> dict[str, Any]:
    """Return an answer in one piece."""
    return {"chat": _chat, "responses": _response, "anthropic": _message}[protocol](said)


def streamed(protocol: str, said: ModelSaid) -> list[bytes]:
    """Return an answer as the events of a stream."""
    events = {"chat": _chat_events, "responses": _response_events, "anthropic": _message_events}
    return list(events[protocol](said))


def _event(data: dict[str, Any], name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _pieces(text: str) -> list[str]:
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


# OpenAI, chat.


def _chat_usage(said: ModelSaid) -> dict[str, Any]:
    if said.tokens is None:
        return {}
    sent, got = said.tokens
    return {"usage": {"prompt_tokens": sent, "completion_tokens": got, "total_tokens": sent + got}}


def _chat_calls(said: ModelSaid) -> list[dict[str, Any]]:
    return [
        {
            "index": number,
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(said.calls)
    ]


def _chat(said: ModelSaid) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.thoughts:
        message["reasoning_content"] = said.thoughts
    if said.calls:
        message["tool_calls"] = _chat_calls(said)
    if said.refusal:
        message["refusal"] = said.refusal
    finish = "tool_calls" if said.calls else said.finish
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": said.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        **_chat_usage(said),
    }


def _chat_events(said: ModelSaid) -> Iterator[bytes]:
    head = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": said.model,
    }

    def chunk(finish: str | None = None, **delta: Any) -> bytes:
        return _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield b": keep-alive\n\n"
    yield chunk(role="assistant", content="")
    for piece in _pieces(said.thoughts):
        yield chunk(reasoning_content=piece)
    for piece in _pieces(said.text):
        yield chunk(content=piece)
    if said.refusal:
        yield chunk(refusal=said.refusal)
    if said.calls:
        yield chunk(tool_calls=_chat_calls(said))
    yield chunk("tool_calls" if said.calls else said.finish)
    if said.tokens is not None:
        yield _event({**head, "choices": [], **_chat_usage(said)})
    yield b"data: [DONE]\n\n"


# OpenAI, responses.


def _output(said: ModelSaid) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if said.thoughts:
        summary = [{"type": "summary_text", "text": said.thoughts}]
        items.append({"type": "reasoning", "id": "rs_1", "summary": summary})
    for number, (name, arguments) in enumerate(said.calls):
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "name": name,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
        )
    if said.text or said.refusal:
        text: dict[str, Any] = {"type": "output_text", "text": said.text, "annotations": []}
        part = {"type": "refusal", "refusal": said.refusal} if said.refusal else text
        items.append(
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    return items


def _response(said: ModelSaid) -> dict[str, Any]:
    why = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(said.finish)
    document: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": said.model,
        "status": "incomplete" if why else "completed",
        "incomplete_details": {"reason": why} if why else None,
        "error": None,
        "instructions": None,
        "metadata": {},
        "output": _output(said),
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
    }
    if said.tokens is not None:
        sent, got = said.tokens
        document["usage"] = {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": got,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + got,
        }
    return document


def _response_events(said: ModelSaid) -> Iterator[bytes]:
    number = 0

    def event(name: str, **data: Any) -> bytes:
        nonlocal number
        number += 1
        return _event({"type": name, "sequence_number": number, **data}, name)

    document = _response(said)
    begun = {**document, "status": "in_progress", "incomplete_details": None, "output": []}
    yield event("response.created", response=begun)
    part: dict[str, Any]
    for index, item in enumerate(document["output"]):
        at = {"item_id": item["id"], "output_index": index}
        empty = {**item, "content": []} if item["type"] == "message" else item
        if item["type"] == "function_call":
            empty = {**item, "arguments": ""}
        elif item["type"] == "reasoning":
            empty = {**item, "summary": []}
        yield event("response.output_item.added", output_index=index, item=empty)
        if item["type"] == "function_call":
            given = item["arguments"]
            yield event("response.function_call_arguments.delta", **at, delta=given)
            yield event("response.function_call_arguments.done", **at, arguments=given)
        elif item["type"] == "reasoning":
            part = {"type": "summary_text", "text": ""}
            yield event("response.reasoning_summary_part.added", **at, summary_index=0, part=part)
            for piece in _pieces(said.thoughts):
                name = "response.reasoning_summary_text.delta"
                yield event(name, **at, summary_index=0, delta=piece)
        elif said.refusal:
            part = {"type": "refusal", "refusal": ""}
            yield event("response.content_part.added", **at, content_index=0, part=part)
            yield event("response.refusal.delta", **at, content_index=0, delta=said.refusal)
            name = "response.refusal.done"
            yield event(name, **at, content_index=0, refusal=said.refusal)
        else:
            part = {"type": "output_text", "text": "", "annotations": []}
            yield event("response.content_part.added", **at, content_index=0, part=part)
            for piece in _pieces(said.text):
                name = "response.output_text.delta"
                yield event(name, **at, content_index=0, delta=piece, logprobs=[])
        yield event("response.output_item.done", output_index=index, item=item)
    yield event(f"response.{document['status']}", response=document)


# Anthropic.


def _blocks(said: ModelSaid) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if said.thoughts:
        blocks.append({"type": "thinking", "thinking": said.thoughts, "signature": "sig"})
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    blocks += [
        {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
        for number, (name, arguments) in enumerate(said.calls)
    ]
    return blocks


def _stop(said: ModelSaid) -> dict[str, Any]:
    if said.refusal:
        details = {"type": "refusal", "explanation": said.refusal, "category": None}
        return {"stop_reason": "refusal", "stop_sequence": None, "stop_details": details}
    reasons = {"length": "max_tokens", "content_filter": "refusal"}
    reason = "tool_use" if said.calls else reasons.get(said.finish, "end_turn")
    return {"stop_reason": reason, "stop_sequence": None}


def _message(said: ModelSaid) -> dict[str, Any]:
    sent, got = said.tokens or (0, 0)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": _blocks(said),
        **_stop(said),
        "usage": {"input_tokens": sent, "output_tokens": got},
    }


def _message_events(said: ModelSaid) -> Iterator[bytes]:
    def event(name: str, **data: Any) -> bytes:
        return _event({"type": name, **data}, name)

    message = _message(said)
    sent, got = said.tokens or (0, 0)
    begun: dict[str, Any] = {
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": sent, "output_tokens": 0},
    }
    yield event("message_start", message={**message, **begun})
    yield event("ping")
    for index, block in enumerate(message["content"]):
        kind = block["type"]
        blank: dict[str, Any] = {"input": {}} if kind == "tool_use" else {kind: ""}
        begun = {**block, **blank}
        yield event("content_block_start", index=index, content_block=begun)
        if kind == "tool_use":
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        else:
            deltas = [{"type": f"{kind}_delta", kind: piece} for piece in _pieces(block[kind])]
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event("message_delta", delta=_stop(said), usage={"output_tokens": got})
    yield event("message_stop")
