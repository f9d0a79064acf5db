"""A league: bots that participants hand in again and again, ranked, and marked against a staff."""
