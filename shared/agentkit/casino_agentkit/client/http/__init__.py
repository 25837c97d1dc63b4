"""HTTP/1.1 to other agents: a lean client for plain http, aiohttp for everything else."""
