"""The compiled engine of Can't Stop, and what compiles bots for it."""
