"""What every game is to the arena. Authors of games import it from `cantstop_arena.games`."""
