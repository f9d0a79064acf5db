"""Can't Stop at the arena's table: who is asked, what is recorded, counted, watched, stepped."""
