WORDS = ["anchor", "bridge", "candle", "desert", "engine", "forest", "garden", "hammer", "island",
         "jacket", "kettle", "ladder", "mirror", "needle", "orange", "pencil", "quarry", "river",
         "saddle", "tunnel"]
