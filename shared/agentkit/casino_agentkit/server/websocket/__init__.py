"""WebSockets beside HTTP, on the same port and under the same caps."""
