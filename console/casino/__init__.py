"""The `casino` command: starts services as processes, and speaks REST as any operator would."""
