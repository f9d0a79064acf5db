"""Commands of Can't Stop alone."""
