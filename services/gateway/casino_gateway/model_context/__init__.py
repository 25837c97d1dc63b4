"""MCP: seats of language models, whose hosts call tools."""
