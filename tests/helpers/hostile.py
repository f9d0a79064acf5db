"""Hostile bots: what a bot file can do wrong, by mistake or on purpose, and what that is called.

A table of bots by name for each way of being hostile. `charged` are the kinds of fault that may
be held against a bot; INNOCENT stands for none. Tests let each gang of them meet honest bots.
"""

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import indent

INNOCENT = "none"
EXCEPTION, ILLEGAL, SLOW, DIED = "exception", "illegal answer", "too slow", "died"
GUILTY = frozenset({EXCEPTION, ILLEGAL, SLOW, DIED})
ANYTHING = (INNOCENT, *GUILTY)


@dataclass(frozen=True)
class Hostile:
    """A bot file, and the kinds of fault one of which it has to be charged with."""

    source: str
    charged: frozenset[str]


# --- How sources are made -------------------------------------------------------------------------

HEAD = """
import atexit, builtins, ctypes, gc, itertools, json, logging, os, pickle, random, re, resource
import signal, socket, stat, subprocess, sys, threading, time, warnings
import numpy as np
"""
"""What every hostile file begins with."""


def deciding(act: str, more: str = "") -> str:
    """A bot that does this whenever it is asked."""
    return (
        f"{HEAD}{more}\ndef act():\n{indent(act, '    ')}\n"
        "def choose_move(turn, moves):\n    return act()\n"
        "def roll_again(turn):\n    return act()\n"
    )


def moving(answer: str, more: str = "") -> str:
    """A bot that answers this when asked for a move, and rolls until it is."""
    return (
        f"{HEAD}{more}\ndef choose_move(turn, moves):\n    return {answer}\n"
        "def roll_again(turn):\n    return True\n"
    )


def rolling(answer: str, more: str = "") -> str:
    """A bot that answers this when asked whether to roll again."""
    return (
        f"{HEAD}{more}\ndef choose_move(turn, moves):\n    return 0\n"
        f"def roll_again(turn):\n    return {answer}\n"
    )


def playing(act: str, more: str = "", again: str = "turn.rolls < 3") -> str:
    """A bot that does this, and then plays by the rules."""
    return (
        f"{HEAD}{more}\ndef act(turn, moves):\n{indent(act, '    ')}\n"
        "def choose_move(turn, moves):\n    act(turn, moves)\n    return len(moves) - 1\n"
        f"def roll_again(turn):\n    act(turn, ((2,), (3,)))\n    return {again}\n"
    )


def compiled(move: str = "return 0", roll: str = "return True", options: str = "") -> str:
    """A compiled bot of these answers."""
    return (
        "import numpy as np\nfrom cantstop_arena import compiled\n"
        f"@compiled{options}\ndef choose_move(turn, moves):\n{indent(move, '    ')}\n"
        f"@compiled{options}\ndef roll_again(turn):\n{indent(roll, '    ')}\n"
    )


def each(in_turn: str) -> str:
    """Statements for all numbers of open files."""
    return f"for n in range(256):\n    try:\n{indent(in_turn, ' ' * 8)}\n    except OSError: pass"


def bots(
    make: Callable[..., str], *charged: str, **acts: str | tuple[str, ...]
) -> dict[str, Hostile]:
    """Bots of these acts, with what stands before them in the file; all charged with the same."""
    return {
        name: Hostile(make(*((act,) if isinstance(act, str) else act)), frozenset(charged))
        for name, act in acts.items()
    }


def sly(*lines: str, base: str = "") -> str:
    """A class with methods of its own."""
    return f"class Sly{base}:\n" + indent("\n".join(lines), "    ")


def raising_sly(*lines: str, base: str = "(Exception)") -> tuple[str, str]:
    """What raises an exception with methods of its own."""
    return "raise Sly", sly(*lines, base=base)


# --- Exceptions -----------------------------------------------------------------------------------

EXCEPTIONS = bots(
    deciding,
    EXCEPTION,
    # Ordinary ones
    value_error="raise ValueError('lost my way')",
    key_error="return {}['nothing']",
    no_message="raise RuntimeError",
    stop_iteration="return next(iter(()))",
    recursion="return act()",
    failed_assertion="assert False, 'never'",
    syntax_error="raise SyntaxError('odd', ('elsewhere.py', object(), None, 5))",
    memory_error="raise MemoryError()",
    # Those that mean something to the arena
    timeout_error="raise TimeoutError('not by the clock')",
    end_of_file="raise EOFError()",
    broken_pipe="raise BrokenPipeError(32, 'no pipe of yours')",
    connection_reset="raise ConnectionResetError()",
    interrupted="raise InterruptedError(4, 'by nobody')",
    of_the_arena=("raise errors.WorkerPoolError('all')", "from cantstop_arena import errors"),
    usage_error=("raise errors.UsageError('again')", "from cantstop_arena import errors"),
    of_click=("raise click.exceptions.Exit(0)", "import click"),
    misplay=(
        "raise BotFault('no fault at all', 'nothing to see')",
        "from cantstop_arena.table.bot_faults import BotFault",
    ),
    # Those that are no Exception
    system_exit="sys.exit()",
    system_exit_text="raise SystemExit('goodbye')",
    keyboard_interrupt="raise KeyboardInterrupt",
    generator_exit="raise GeneratorExit",
    bare_base="raise BaseException('at the bottom')",
    own_base=raising_sly("pass", base="(BaseException)"),
    base_group="raise BaseExceptionGroup('several', [SystemExit(), ValueError()])",
)
SLY_EXCEPTIONS = bots(
    deciding,
    EXCEPTION,
    # Hostile to whoever looks at them
    str_raises=raising_sly("def __str__(self): raise ValueError"),
    str_leaves=raising_sly("def __str__(self): raise SystemExit(0)"),
    str_interrupts=raising_sly("def __str__(self): raise KeyboardInterrupt", "__repr__ = __str__"),
    str_is_none=raising_sly("def __str__(self): return None"),
    str_is_sly=(
        "raise Sly",
        "class Text(str):\n    def split(self, *words): raise SystemExit\n"
        "    __len__ = __getitem__ = __str__ = encode = split\n"
        + sly("def __str__(self): return Text('words')", base="(Exception)"),
    ),
    class_lies=raising_sly("__class__ = property(lambda self: KeyboardInterrupt)"),
    class_raises=raising_sly("__class__ = property(lambda self: 1 / 0)"),
    name_raises=(
        "raise Sly",
        "class Meta(type):\n    __name__ = property(lambda self: sys.exit())\n"
        + sly("pass", base="(Exception, metaclass=Meta)"),
    ),
    attributes_raise=raising_sly("def __getattribute__(self, name): raise SystemExit"),
    does_not_pickle=raising_sly("def __reduce_ex__(self, version): raise SystemExit(5)"),
    unpickles_badly=raising_sly("def __reduce_ex__(self, version): return os._exit, (3,)"),
    circular=(
        "first, second = ValueError('first'), ValueError('second')\n"
        "first.__cause__, second.__cause__ = second, first\nraise first"
    ),
    raises_again="try:\n    raise ValueError\nfinally:\n    raise KeyboardInterrupt('instead')",
    # Messages that are no line of text
    endless_message="raise ValueError('ha' * 3_000_000)",
    lines=r"raise ValueError('one\ntwo\r\nthree\x0bfour\u2028five')",
    terminal_codes=r"raise ValueError('\x1b[2J\x1b]0;owned\x07\x9b31m\x08\x00')",
    surrogates=r"raise ValueError('\ud800 \udfff')",
    backwards=r"raise ValueError('\u202eeno rehto eht\u202c | `x` <b>')",
    odd_name=("raise Odd", r"Odd = type('\x1b[31mOdd\n' * 9999, (Exception,), {})"),
)

# --- Illegal answers ------------------------------------------------------------------------------


def liar(kind: str) -> str:
    """A class that pretends to be another one."""
    return f"""
class Liar:
    __class__ = property(lambda self: {kind})
    __int__ = __len__ = __hash__ = __index__ = lambda self: 0
    __bool__ = lambda self: True
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True
"""


SLY_INT = """
class Sly(int):
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True
    __hash__ = int.__hash__
    __index__ = __int__ = lambda self: 0
    __repr__ = __str__ = lambda self: sys.exit()
    __format__ = lambda self, how: sys.exit()
"""
REPR_RAISES = sly("__repr__ = lambda self: sys.exit(0)")

MOVES = bots(
    moving,
    ILLEGAL,
    too_high="len(moves)",
    negative="-1",
    far_out="2**64",
    astronomical="10**5000",  # Python refuses to write so many digits
    no_answer="None",
    move_itself="moves[0]",
    true="True",
    float="0.0",
    nan="float('nan')",
    fraction=("Fraction(0)", "from fractions import Fraction"),
    text="'0'",
    bytes=r"b'\0'",
    list="[0]",
    array="np.zeros(1, int)",
    number_array="np.array(0)",
    numpy_bool="np.False_",
    numpy_float="np.float64(0)",
    numpy_index_too_high="np.uint64(2**63)",
    liar=("Liar()", liar("int")),
    bool_liar=("Liar()", liar("bool")),
    sly_int=("Sly(99)", SLY_INT),
    sly_negative=("Sly(-1)", SLY_INT),
    class_raises=("Sly()", sly("__class__ = property(lambda self: sys.exit())")),
    repr_raises=("Sly()", REPR_RAISES),
    repr_is_sly=(
        "Sly()",
        "class Text(str):\n    def split(self, *words): raise SystemExit\n"
        + sly("__repr__ = lambda self: Text('x')"),
    ),
    repr_is_long="'ha' * 3_000_000",
    repr_has_codes=r"'\x1b[2J\ud800\n'",
    generator="(yield 0)",
)
MOVES["coroutine"] = Hostile(
    MOVES["true"].source.replace("def choose_move", "async def choose_move"), frozenset({ILLEGAL})
)
MOVES |= bots(moving, INNOCENT, numpy_index="np.int64(0)")
MOVES |= bots(  # repr of it runs out of stack; to make it anew takes its time, too
    moving, ILLEGAL, SLOW, deep=("DEEP", "DEEP = []\nfor _ in range(20_000):\n    DEEP = [DEEP]")
)
ROLLS = bots(
    rolling,
    ILLEGAL,
    roll_none="None",
    roll_text="'yes'",
    roll_nan="float('nan')",
    roll_float="1.0",
    roll_array="np.array([True])",
    roll_list="[]",
    roll_object="object()",
    roll_liar=("Liar()", liar("bool")),
    roll_repr_raises=("Sly()", REPR_RAISES),
    roll_raising_bool=("Sly()", sly("__bool__ = lambda self: sys.exit()")),
)
ROLLS |= bots(rolling, INNOCENT, numpy_yes="np.bool_(turn.rolls < 3)")

# --- What acts when the arena looks at it, or throws it away --------------------------------------

NEVER_ENDS = sly("def __{}__(self, *others):", "    while True: pass")
KILLS = sly("__{}__ = lambda self: os._exit(0)")
TRAPS = {
    **bots(
        moving,
        ILLEGAL,
        SLOW,
        **{
            f"endless_{name}": ("Sly()", NEVER_ENDS.format(name))
            for name in ("index", "eq", "repr", "del")
        },
    ),
    **bots(rolling, ILLEGAL, SLOW, endless_bool=("Sly()", NEVER_ENDS.format("bool"))),
    **bots(
        moving,
        ILLEGAL,
        DIED,
        **{f"deadly_{name}": ("Sly()", KILLS.format(name)) for name in ("repr", "del")},
    ),
    **bots(
        deciding,
        EXCEPTION,
        SLOW,
        endless_str=raising_sly("def __str__(self):", "    while True: pass"),
    ),
    **bots(deciding, EXCEPTION, DIED, deadly_str=raising_sly("__str__ = lambda self: os._exit(4)")),
    **bots(
        playing, INNOCENT, raising_removal=("Sly()", sly("def __del__(self): raise SystemExit"))
    ),
}

# --- Decisions that take too long -----------------------------------------------------------------

SPIN = "while True:\n    pass"
ENDLESS = {
    **bots(
        deciding,
        SLOW,
        sleep="time.sleep(30)",
        late="time.sleep(2)\nreturn 0",
        loop=SPIN,
        loop_that_swallows=("while True:\n    try: time.sleep(30)\n    except BaseException: pass"),
        sum_in_c="sum(itertools.repeat(1))",
        power_in_c="exponent = 10**8\nreturn 10**exponent",
        pipe="os.read(os.pipe()[0], 1)",
        stdin="while True:\n    try: os.read(0, 1)\n    except OSError: pass",
        # Against the clock
        ignores_the_alarm=(
            "for number in signal.valid_signals() - {9, 19}:\n"
            "    try: signal.signal(number, signal.SIG_IGN)\n"
            "    except (OSError, ValueError): pass\n"
            f"signal.setitimer(signal.ITIMER_REAL, 0)\n{SPIN}"
        ),
        stops_the_clocks=(f"time.monotonic = time.perf_counter = time.time = lambda: 0.0\n{SPIN}"),
        stands_still=f"os.kill(os.getpid(), signal.SIGSTOP)\n{SPIN}",
        waits_for_a_child="subprocess.run(['sleep', '60'])",
    ),
    **bots(playing, INNOCENT, thoughtful="time.sleep(0.001)"),
}

# --- Bots that take their process along -----------------------------------------------------------

DEADLY = {
    **bots(
        deciding,
        DIED,
        leaves_well="os._exit(0)",
        leaves_badly="os._exit(3)",
        aborts="os.abort()",
        segfaults="ctypes.string_at(0)",
        writes_to_nowhere="ctypes.memset(8, 1, 64)",
        kills_itself="os.kill(os.getpid(), signal.SIGKILL)",
        leaves_in_a_thread=("threading.Thread(target=os._exit, args=(0,)).start()\ntime.sleep(30)"),
        becomes_another="os.execv(sys.executable, ['python', '-c', ''])",
    ),
    **bots(rolling, DIED, leaves_at_the_second_turn="turn.number < 3 or os._exit(0)"),
    **bots(
        deciding,
        DIED,
        SLOW,
        becomes_a_sleeper="os.execvp('sleep', ['sleep', '60'])",
    ),
}

# --- Memory ---------------------------------------------------------------------------------------

# What is allocated here is never touched, and it has an end: harmless where no limit is set.
HOGS = bots(
    deciding,
    EXCEPTION,
    one_gulp="bytes(4 * 10**9)\nreturn 0",
    bit_by_bit="hoard = [bytes(10**7) for _ in range(400)]\nreturn len(hoard) > 400",
    numpy_hog="np.zeros(10**9)\nreturn 0",
)

# --- Compiled -------------------------------------------------------------------------------------

COMPILED = {
    **bots(
        compiled,
        EXCEPTION,
        compiled_raise=("return 0", "raise ValueError('lost my way')"),
        compiled_bounds=("return 0", "return np.zeros(3)[turn.rolls + 5] > 0"),
        compiled_division=("return 0", "return 1.0 / (turn.rolls - turn.rolls) < 2"),
        compiled_hog=("return 0", "return np.zeros(10**13).sum() > 0"),
        compiled_wild_write=(  # it does not survive its trial, and plays apart, as plain Python
            "return 0",
            "cells = np.zeros(3)\ncells[10**12 * turn.rolls] = 1\nreturn True",
            "(boundscheck=False)",
        ),
    ),
    **bots(compiled, ILLEGAL, compiled_too_high="return len(moves)", compiled_negative="return -1"),
    **bots(
        compiled,
        SLOW,
        compiled_loop=("return 0", "while turn.random() < 2:\n    pass\nreturn True"),
    ),
    **bots(compiled, INNOCENT, compiled_nan=("return 0", "return np.sqrt(-1.0 * turn.rolls) < 0")),
}
