"""Play an OpenEnv server with the taskset that `verifiers` has for it: `rollouts.py URL`.

Its own harness asks the model, which is a script behind an OpenAI-compatible endpoint here: it
checks or calls. Prints one JSON line: what each rollout was rewarded with, and its answers.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

Json = dict[str, Any]
RESETS: list[Json] = [
    {"seed": 2, "seats": 3, "seating": 0, "opponents": "maniac"},
    {"seed": 2, "seats": 3, "seating": 1, "opponents": "maniac"},
    {"seed": 1, "game": "leduc_poker"},
]


def reply(messages: list[Json]) -> str:
    """Return an answer to the last observation, as its text asks for it."""
    content = messages[-1]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    offered = [one["action_type"] for one in json.loads(text)["observation"]["legal_actions"]]
    chosen = next(kind for kind in ("check", "call", *offered) if kind in offered)
    return f'```json\n{{"action_type": "{chosen}"}}\n```'


class ScriptedModel(BaseHTTPRequestHandler):
    """An endpoint for streamed chat completions."""

    wbufsize = -1

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = {"role": "assistant", "content": reply(asked["messages"])}
        chunk = {
            "id": "1",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "delta": said, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        body = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Print nothing."""


def command(home: str) -> Callable[[list[str]], None]:
    """Return the command `vf-eval`, which keeps what it needs below a folder.

    The harness's chat program runs with this Python, which has all that it imports: otherwise `uv`
    would make an environment for it from the network.
    """
    os.environ |= {"HOME": home, "NO_PROXY": "127.0.0.1"}  # HOME is read by the imports
    launch = import_module("verifiers.v1.harnesses.utils.launch")
    runtime = import_module("verifiers.v1.runtimes.subprocess").SubprocessRuntime
    source = launch.CHAT_PROGRAM_SOURCE.encode()
    path = Path(runtime.scripts_dir) / f"{sha256(source).hexdigest()}.py"
    path.parent.mkdir(parents=True)
    path.write_bytes(source)
    runtime._interpreters[str(path)] = sys.executable
    vf_eval: Callable[[list[str]], None] = import_module("verifiers.v1.cli.eval.main").main
    return vf_eval


def main(url: str) -> None:
    """Run the command `vf-eval` in a folder of its own, and print what its traces have."""
    model = ThreadingHTTPServer(("127.0.0.1", 0), ScriptedModel)
    Thread(target=model.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        vf_eval = command(folder)
        settings = {
            "model": "scripted",
            "push": False,
            "output_dir": folder,
            "client": {
                "base_url": f"http://127.0.0.1:{model.server_port}/v1",
                "api_key_var": "NO_KEY",
            },
            "env": {
                "taskset": {"id": "openenv", "base_url": url, "resets": RESETS},
                "player": {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}},
            },
        }
        file = Path(folder) / "eval.json"
        file.write_text(json.dumps(settings))
        vf_eval(["@", str(file)])
        episodes = [
            json.loads(line)
            for path in Path(folder).rglob("traces.jsonl")
            for line in path.read_text().splitlines()
        ]
    rollouts = [
        {
            "reset": episode["task"]["data"]["reset"],
            "ok": episode["ok"],
            "errors": [error for trace in episode["traces"] for error in trace["errors"]],
            "rewards": [trace["rewards"]["openenv_reward"]["score"] for trace in episode["traces"]],
            "answers": sum(len(trace["calls"]) for trace in episode["traces"]),
        }
        for episode in episodes
    ]
    sys.stdout.write("\n" + json.dumps(rollouts) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
