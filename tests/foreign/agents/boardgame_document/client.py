"""A client of the Boardgame Protocol, from the text of its document alone: no library of ours.

    python client.py URL TOKEN MATCH AGENT GAME DEFAULT

The messages are those of the document, with the names of the match put in. What the document
leaves to the game (which actions there are) is what the game's author says. Every third decision
is DEFAULT, sent as an action. Ends when the match has an end; prints one line of JSON.
"""

import json
import sys
import time
import urllib.request
from typing import Any

Json = dict[str, Any]

GET_STATE = """{
  "version": "1.0.0",
  "type": "get_state",
  "game": "game_code",
  "match_id": "abc123",
  "agent_id": "agent_2",
  "state": {
    "version": "1.0.0"
  }
}"""
PERFORM_ACTION = """{
  "version": "1.0.0",
  "type": "perform_action",
  "game": "game_code",
  "match_id": "abc123",
  "agent_id": "agent_2",
  "action": {
    "version": "1.0.0",
    "type": "some_action",
    "data": {
      "example_property": "example_value"
    }
  }
}"""
URL, TOKEN, MATCH, AGENT, GAME, DEFAULT = sys.argv[1:]


def filled(text: str) -> Json:
    names = {"game_code": GAME, "abc123": MATCH, "agent_2": AGENT}
    for example, name in names.items():
        text = text.replace(f'"{example}"', json.dumps(name))
    message: Json = json.loads(text)
    return message


def sent(message: Json) -> Json:
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    body = json.dumps(message).encode()
    with urllib.request.urlopen(urllib.request.Request(URL, body, headers), timeout=30) as reply:
        answer: Json = json.load(reply)
    assert answer["version"] == "1.0.0", answer
    assert answer["match_id"] == MATCH, answer
    assert answer.get("type") == f"{message['type']}_response", answer
    return answer


def pig(state: Json) -> tuple[str, Json]:
    if state["public"]["turn_total"] >= 6:
        return "HOLD", {}
    return "ROLL", {"dice": 1}


def my_game(state: Json) -> tuple[str, Json]:
    return "PLAY_CARD", {"card": state["private"]["hand"][-1]}


def main() -> None:
    choose = {"pig": pig, "my_game": my_game}[GAME]
    counted: Json = {"own": 0, "default": 0, "refused": [], "versions": []}
    while True:
        state = sent(filled(GET_STATE))
        if state["state"]["version"] not in counted["versions"]:
            counted["versions"].append(state["state"]["version"])
        if state.get("ended_at"):
            break
        if state["status"] != "started" or state["active_agent_id"] != AGENT:
            time.sleep(0.01)
            continue
        message = filled(PERFORM_ACTION)
        action = message["action"]
        is_default = (counted["own"] + counted["default"]) % 3 == 2
        action["type"], action["data"] = (
            (DEFAULT, {}) if is_default else choose(state["state"]["data"])
        )
        reply = sent(message)["action_response"]
        if reply["status"] == "success":
            counted["default" if is_default else "own"] += 1
        else:
            counted["refused"].append(reply)
            break
    sys.stdout.write(json.dumps(counted) + "\n")


main()
