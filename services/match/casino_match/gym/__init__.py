"""Every registered game as an environment for learners: PettingZoo's AEC interface.

```
from casino_match import gym

table = gym.env("texas-holdem", players=6)
table.reset(seed=42)
for agent in table.agent_iter():
    observation, reward, terminated, truncated, info = table.last()
    over = terminated or truncated
    table.step(None if over else table.action_space(agent).sample(observation["action_mask"]))
```

PettingZoo and Gymnasium are imported when an environment is made; they are the extra `gym`.
"""

from casino_match.gym.encoding import Encoding, Part
from casino_match.gym.encodings import encoding_of, env

__all__ = ["Encoding", "Part", "encoding_of", "env"]
