"""`python -m casino_table.practice`: read orders as lines of JSON, and write a reply to each."""

import sys

import casino_agentkit.process.lean  # noqa: F401  first
import orjson

from casino_table.practice.practice_judge import PracticeJudge


def main() -> None:
    judge = PracticeJudge()
    for order in sys.stdin.buffer:
        sys.stdout.buffer.write(orjson.dumps(judge.reply(order)) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
