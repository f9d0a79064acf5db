"""The view of Can't Stop."""
