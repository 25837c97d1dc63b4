"""The command line: options in, one use case out; a module per noun."""
