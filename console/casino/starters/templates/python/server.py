"""Serves the bot: `python server.py`. There is nothing to change here to play better."""

import json
import os
import signal
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bot import NAME, act
from deal import contribute

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"
PARSE_ERROR, NO_METHOD, BAD_PARAMS, FAILED = -32700, -32601, -32602, -32603


def card(address: str) -> dict:
    """Return the agent card: where the bot is called, and what it can do."""
    json_type = ["application/json"]
    return {
        "name": NAME,
        "description": "Plays Texas Hold'em for chips.",
        "version": "1",
        "supportedInterfaces": [
            {
                "url": f"http://{address}/rpc",
                "protocolBinding": "JSONRPC",
                "protocolVersion": "1.0",
            }
        ],
        "capabilities": {"extensions": [{"uri": EXTENSION}]},
        "defaultInputModes": json_type,
        "defaultOutputModes": json_type,
        "skills": [
            {"id": "signup", "name": "signup", "description": "Takes a seat.", "tags": ["poker"]},
            {"id": "act", "name": "act", "description": "Decides a turn.", "tags": ["poker"]},
            {
                "id": "contribute",
                "name": "contribute",
                "description": "Takes part in the deal.",
                "tags": ["poker"],
            },
        ],
    }


class Refused(Exception):
    """A call that gets an error as its answer: a code of JSON-RPC and a sentence."""


def signed_up(invitation: dict) -> dict:
    """Take a seat at a table; raises Refused for games that the bot cannot play."""
    game = invitation.get("gameType", "texas-holdem")
    if game != "texas-holdem":
        raise Refused(BAD_PARAMS, f"{NAME} plays texas-holdem only, not {game}")
    print(f"seat at {invitation.get('tableId')}", flush=True)
    return {"displayName": NAME}


def decided(turn: dict) -> dict:
    """Decide a turn and log it."""
    if len(turn.get("holeCards", ())) != 2 or not turn.get("legalActions"):
        raise Refused(BAD_PARAMS, "act needs holeCards and legalActions")
    if "rejected" in turn:
        print("rejected:", turn["rejected"]["message"], flush=True)
    answer = act(turn)
    hole, board = cards(turn["holeCards"]), cards(turn.get("communityCards", []))
    amount = f" {answer['amount']}" if "amount" in answer else ""
    print(
        f"{turn.get('requestId', '?')} {turn.get('bettingRound', '')} {hole} | {board}"
        f"  pot {turn.get('pot')}, to call {turn.get('toCall')}: {answer['action']}{amount}",
        flush=True,
    )
    return answer


def contributed(request: dict) -> dict:
    """Take part in the deal; raises Refused."""
    try:
        return contribute(request)
    except ValueError as error:
        print("the deal is not fair:", error, flush=True)
        raise Refused(BAD_PARAMS, str(error)) from error


def cards(dealt: list) -> str:
    """Return cards as letters, such as `Ks Td`."""
    return " ".join(card["rank"] + card["suit"][0] for card in dealt) or "-"


def reply_to(body: bytes) -> dict:
    """Answer a JSON-RPC call; every fault is an answer, too, so that the caller learns of it."""
    call_id = None
    try:
        call = parsed(body)
        call_id = call.get("id")
        skill, data = called(call)
        answer = skill(data)
        json.dumps(answer, allow_nan=False)
    except Refused as refused:
        return fault(call_id, *refused.args)
    except Exception as error:
        traceback.print_exc()  # a mistake in `act`: the table is told which
        return fault(call_id, FAILED, f"{type(error).__name__}: {error}")
    part = {"data": answer, "mediaType": "application/json"}
    message = {"messageId": f"r-{call_id}", "role": "ROLE_AGENT", "parts": [part]}
    return {"jsonrpc": "2.0", "id": call_id, "result": {"message": message}}


def parsed(body: bytes) -> dict:
    """Return the JSON object of a body; raises Refused."""
    try:
        call = json.loads(body)
    except ValueError as error:
        raise Refused(PARSE_ERROR, f"the body is no JSON: {error}") from error
    if not isinstance(call, dict):
        raise Refused(BAD_PARAMS, "the body is no JSON object")
    return call


def called(call: dict) -> tuple:
    """Return the function of the skill that is called, and its input; raises Refused."""
    if call.get("method") != "SendMessage":
        raise Refused(NO_METHOD, f"no method {call.get('method')}; there is SendMessage")
    try:
        message = call["params"]["message"]
        skill, data = message["metadata"][EXTENSION]["skill"], message["parts"][0]["data"]
    except (KeyError, IndexError, TypeError) as error:
        raise Refused(BAD_PARAMS, f"not a call of a skill: {error!r}") from error
    skills = {"signup": signed_up, "act": decided, "contribute": contributed}
    if skill not in skills:
        raise Refused(BAD_PARAMS, f"no skill {skill}; there are {', '.join(skills)}")
    if not isinstance(data, dict):
        raise Refused(BAD_PARAMS, "not a call of a skill: the first part has no data")
    return skills[skill], data


def fault(call_id: object, code: int, message: str) -> dict:
    """Return a JSON-RPC error."""
    return {"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": message}}


class Handler(BaseHTTPRequestHandler):
    """Serves one connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # buffered: headers and body go out together, not 40 ms apart

    def do_GET(self) -> None:
        """Serve the card, at the address that it was asked at."""
        if self.path == "/.well-known/agent-card.json":
            self.reply(200, card(self.headers["Host"]))
        else:
            self.reply(404, {"error": "the card is at /.well-known/agent-card.json"})

    def do_POST(self) -> None:
        """Serve a call."""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.reply(200, reply_to(body))

    def reply(self, status: int, answer: dict) -> None:
        """Send JSON."""
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no line for each request."""


def main() -> None:
    """Serve until Ctrl-C."""
    host, port = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "9000"))
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stop as by Ctrl-C
    print(f"{NAME}: http://{host}:{port}/.well-known/agent-card.json", flush=True)
    try:
        ThreadingHTTPServer((host, port), Handler).serve_forever()
    except KeyboardInterrupt:
        print("stopped", flush=True)


if __name__ == "__main__":
    main()
