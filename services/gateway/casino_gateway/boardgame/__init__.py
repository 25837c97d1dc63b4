"""The Boardgame Protocol over HTTP, WebSocket and NDJSON."""
