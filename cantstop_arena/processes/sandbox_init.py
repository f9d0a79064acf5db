"""The first program in a sandbox: gives up all rights, accepts the limits, becomes the command.

`python -I -S sandbox_init.py SETTINGS [WORD]...`, SETTINGS as JSON: `uid` and `limits`, by number
of the resource. It imports the standard library only: no `.pth` file and no `sitecustomize` of an
installed package runs before the rights are gone. Without arguments it ends at once.
"""

import ctypes
import json
import os
import resource
import sys
from typing import NoReturn

_PR_CAPBSET_DROP = 24
_CAPABILITIES = range(64)
_NOBODY = 65534  # in containers that map few user ids
_NOT_EXECUTABLE = 126  # the exit codes of shells
_NOT_FOUND = 127


def main() -> None:
    """Become the command. Ends with an error line when that is impossible."""
    settings = json.loads(sys.argv[1])
    if os.getuid() == 0:
        _leave_root(settings["uid"])
    for number, value in settings["limits"].items():
        _limit(int(number), value)
    argv = sys.argv[2:]
    if not argv:
        sys.exit()
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        code = _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE
        _fail(f"{argv[0]}: {error.strerror}", code)


def _leave_root(uid: int) -> None:
    """Become the user `uid`, or else nobody, for good and without capabilities."""
    libc = ctypes.CDLL(None)
    for capability in _CAPABILITIES:
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    for user in (uid, _NOBODY):
        try:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            return
        except OSError:
            continue
    _fail("root cannot become another user here", 1)


def _limit(number: int, value: int) -> None:
    """Set a limit, or a lower one that holds already."""
    hard_limit = resource.getrlimit(number)[1]
    limit = value if hard_limit == resource.RLIM_INFINITY else min(value, hard_limit)
    resource.setrlimit(number, (limit, limit))


def _fail(message: str, code: int) -> NoReturn:
    os.write(2, f"{message}\n".encode())
    os._exit(code)


if __name__ == "__main__":
    main()
