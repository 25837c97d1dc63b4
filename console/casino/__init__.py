"""The `casino` command: starts services as processes and speaks to the lobby as any operator would."""
