"""Progress, live standings and keys on a terminal."""
