"""A module whose import waits until a test lets it go on."""

import threading

GATE = threading.Event()
