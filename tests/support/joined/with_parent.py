"""Runs Python with these arguments in a process that the kernel kills when its parent ends."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1

if sys.platform == "linux":
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
