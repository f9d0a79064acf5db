"""`python -m cantstop_arena`, where `arena` is not on the path."""

from cantstop_arena.cli import main

if __name__ == "__main__":
    main(prog_name="arena")
