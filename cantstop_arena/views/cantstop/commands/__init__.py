"""Commands for Can't Stop only."""
