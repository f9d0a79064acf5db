"""From a tournament to tables at which bots sit, in whatever process."""
