"""Looking at a bot closely: `arena bots check`."""
