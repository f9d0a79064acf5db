"""The command `arena`; also `python -m cantstop_arena`, where `arena` is not on the path."""

import signal
import sys

from cantstop_arena.errors import NOT_ON_WINDOWS
from cantstop_arena.exit_codes import ExitCode


def main() -> None:
    """Run the command line. Ctrl-C ends it without a traceback, also while modules are imported."""
    if sys.platform == "win32":
        print(NOT_ON_WINDOWS, file=sys.stderr)
        sys.exit(ExitCode.WRONG_USE)
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_usual:  # not ignored, as it is behind nohup
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from cantstop_arena.cli import main as command_line

    if is_usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command_line(prog_name="arena")


if __name__ == "__main__":
    main()
