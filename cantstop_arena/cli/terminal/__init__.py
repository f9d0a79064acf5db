"""What a terminal shows while a command works: progress, live standings, keys."""
