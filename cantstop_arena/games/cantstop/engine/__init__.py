"""All that is compiled of Can't Stop."""
