"""The interface of games. Authors of games import it from `cantstop_arena.games`."""
