"""Run a module in a network namespace: `python -m support.in_namespace ...`.

The arguments are `--supervised NAMESPACE MODULE ARGUMENTS`, as `Child.start` passes them. Needs
the right to enter namespaces.
"""

import ctypes
import os
import sys
from pathlib import Path

NAMESPACES = Path("/run/netns")
_NETWORK = 0x40000000  # CLONE_NEWNET


def main() -> None:
    """Enter the namespace, and become the module's process."""
    supervised, namespace, module, *arguments = sys.argv[1:]
    libc = ctypes.CDLL(None, use_errno=True)
    with (NAMESPACES / namespace).open() as file:
        if libc.setns(file.fileno(), _NETWORK) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the namespace {namespace}")
    os.execv(sys.executable, [sys.executable, "-m", module, supervised, *arguments])


if __name__ == "__main__":
    main()
