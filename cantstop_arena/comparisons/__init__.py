"""Rule sets compared: the same bots on the same deals, and what the rules change."""
