"""What pages show of Can't Stop: animated games, and the bots' styles."""
