"""The environment of the repository: `server.py PORT`."""

import sys

import uvicorn
from casino_hand_env.server.app import app

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
