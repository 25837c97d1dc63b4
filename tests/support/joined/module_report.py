"""Run a service that tells its modules, as `-m support.joined.module_report --supervised FILE M …`.

At each SIGUSR1 it writes the names of the modules that it has imported to the file.
"""

import os
import runpy
import signal
import sys


def _report(_signal: int, _frame: object) -> None:
    with open(f"{_FILE}.part", "w", encoding="utf-8") as part:  # noqa: PTH123  it imports no pathlib
        part.write("\n".join(sys.modules))
    os.rename(part.name, _FILE)  # noqa: PTH104  the same


if __name__ == "__main__":
    _, supervised, _FILE, *command = sys.argv
    sys.argv = [*command, supervised]
    signal.signal(signal.SIGUSR1, _report)
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
