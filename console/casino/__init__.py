"""The `casino` command: a client of the lobby's REST API that also starts casinos."""
