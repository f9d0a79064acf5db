"""Hostile bots: what a bot file can do wrong, by mistake or on purpose, and what that is called.

A table of bots by name for each way of being hostile. `charged` are the kinds of fault that may
be held against a bot; INNOCENT stands for none. Tests let each gang of them meet honest bots.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import indent

INNOCENT = "none"
EXCEPTION, ILLEGAL, SLOW, DIED = "exception", "illegal answer", "too slow", "died"
GUILTY = frozenset({EXCEPTION, ILLEGAL, SLOW, DIED})


@dataclass(frozen=True)
class Hostile:
    """A bot file, and the kinds of fault one of which it has to be charged with."""

    source: str
    charged: frozenset[str]


@dataclass(frozen=True)
class Gang:
    """Hostile bots that play one tournament, with its keys and the words of its command."""

    bots: Mapping[str, Hostile]
    keys: str = ""
    words: tuple[str, ...] = ()
    isolate: bool = False


def table(sources: Mapping[str, str], *charged: str) -> dict[str, Hostile]:
    """Bots that are all charged with the same."""
    return {name: Hostile(source, frozenset(charged)) for name, source in sources.items()}


# --- How sources are made -------------------------------------------------------------------------


def deciding(body: str, head: str = "") -> str:
    """A bot that does this whenever it is asked."""
    return (
        f"{head}\ndef act():\n{indent(body, '    ')}\n"
        "def choose_move(turn, moves):\n    return act()\n"
        "def roll_again(turn):\n    return act()\n"
    )


def moving(answer: str, head: str = "") -> str:
    """A bot that answers this when asked for a move, and rolls until it is."""
    return (
        f"{head}\ndef choose_move(turn, moves):\n    return {answer}\n"
        "def roll_again(turn):\n    return True\n"
    )


def rolling(answer: str, head: str = "") -> str:
    """A bot that answers this when asked whether to roll again."""
    return (
        f"{head}\ndef choose_move(turn, moves):\n    return 0\n"
        f"def roll_again(turn):\n    return {answer}\n"
    )


def playing(body: str, head: str = "", again: str = "turn.rolls < 3") -> str:
    """A bot that does this, and then plays by the rules."""
    return (
        f"{head}\ndef act(turn, moves):\n{indent(body, '    ')}\n"
        "def choose_move(turn, moves):\n    act(turn, moves)\n    return len(moves) - 1\n"
        f"def roll_again(turn):\n    act(turn, ((2,), (3,)))\n    return {again}\n"
    )


def raising(expression: str, head: str = "") -> str:
    return deciding(f"raise {expression}", head)


def compiled(move: str = "return 0", roll: str = "return True", options: str = "") -> str:
    return (
        "import numpy as np\nfrom cantstop_arena import compiled\n"
        f"@compiled{options}\ndef choose_move(turn, moves):\n{indent(move, '    ')}\n"
        f"@compiled{options}\ndef roll_again(turn):\n{indent(roll, '    ')}\n"
    )


# --- Exceptions -----------------------------------------------------------------------------------


def sly_error(body: str, base: str = "Exception") -> str:
    """An exception with methods of its own."""
    return f"class Sly({base}):\n{indent(body, '    ')}"


EXCEPTIONS = table(
    {
        # Ordinary ones
        "value_error": raising("ValueError('lost my way')"),
        "key_error": deciding("return {}['nothing']"),
        "no_message": raising("RuntimeError"),
        "stop_iteration": deciding("return next(iter(()))"),
        "recursion": deciding("return act()"),
        "failed_assertion": deciding("assert False, 'never'"),
        "syntax_error": raising("SyntaxError('odd', ('elsewhere.py', object(), None, 5))"),
        "memory_error": raising("MemoryError()"),
        # Those that mean something to the arena
        "timeout_error": raising("TimeoutError('not by the clock')"),
        "end_of_file": raising("EOFError()"),
        "broken_pipe": raising("BrokenPipeError(32, 'no pipe of yours')"),
        "connection_reset": raising("ConnectionResetError()"),
        "interrupted": raising("InterruptedError(4, 'by nobody')"),
        "of_the_arena": raising(
            "WorkerPoolError('all is lost')", "from cantstop_arena.errors import WorkerPoolError"
        ),
        "usage_error": raising(
            "UsageError('say it again')", "from cantstop_arena.errors import UsageError"
        ),
        "of_click": raising("click.exceptions.Exit(0)", "import click"),
        "misplay": raising(
            "BotFault('no fault at all', 'nothing to see')",
            "from cantstop_arena.table.bot_faults import BotFault",
        ),
        # Those that are no Exception
        "system_exit": deciding("import sys\nsys.exit()"),
        "system_exit_text": raising("SystemExit('goodbye')"),
        "keyboard_interrupt": raising("KeyboardInterrupt"),
        "generator_exit": raising("GeneratorExit"),
        "bare_base": raising("BaseException('at the bottom')"),
        "own_base": raising("Sly()", sly_error("pass", "BaseException")),
        "base_group": raising("BaseExceptionGroup('several', [SystemExit(), ValueError()])"),
    },
    EXCEPTION,
)
SLY_EXCEPTIONS = table(
    {
        # Hostile to whoever looks at them
        "str_raises": raising("Sly()", sly_error("def __str__(self):\n    raise ValueError")),
        "str_leaves": raising("Sly()", sly_error("def __str__(self):\n    raise SystemExit(0)")),
        "str_interrupts": raising(
            "Sly()",
            sly_error("def __str__(self):\n    raise KeyboardInterrupt\n__repr__ = __str__"),
        ),
        "str_is_none": raising("Sly()", sly_error("def __str__(self):\n    return None")),
        "str_is_sly": raising(
            "Sly()",
            "class Text(str):\n    def split(self, *words):\n        raise SystemExit\n"
            "    __len__ = __getitem__ = __str__ = encode = split\n"
            + sly_error("def __str__(self):\n    return Text('words')"),
        ),
        "class_lies": raising(
            "Sly()", sly_error("__class__ = property(lambda self: KeyboardInterrupt)")
        ),
        "class_raises": raising(
            "Sly()", sly_error("@property\ndef __class__(self):\n    raise RuntimeError")
        ),
        "name_raises": raising(
            "Sly()",
            "class Meta(type):\n    @property\n    def __name__(self):\n        raise SystemExit\n"
            "class Sly(Exception, metaclass=Meta):\n    pass",
        ),
        "attributes_raise": raising(
            "Sly()", sly_error("def __getattribute__(self, name):\n    raise SystemExit")
        ),
        "does_not_pickle": raising(
            "Sly()", sly_error("def __reduce_ex__(self, version):\n    raise SystemExit(5)")
        ),
        "unpickles_badly": raising(
            "Sly()",
            "import os\n"
            + sly_error("def __reduce_ex__(self, version):\n    return os._exit, (3,)"),
        ),
        "circular": deciding(
            "first, second = ValueError('first'), ValueError('second')\n"
            "first.__cause__, second.__cause__ = second, first\nraise first"
        ),
        "raises_again": deciding(
            "try:\n    raise ValueError\nfinally:\n    raise KeyboardInterrupt('instead')"
        ),
        # Messages that are no line of text
        "endless_message": raising("ValueError('ha' * 3_000_000)"),
        "lines": raising(r"ValueError('one\ntwo\r\nthree\x0bfour\u2028five')"),
        "terminal_codes": raising(r"ValueError('\x1b[2J\x1b]0;owned\x07\x9b31m\x08\x00')"),
        "surrogates": raising(r"ValueError('\ud800 \udfff')"),
        "backwards": raising(r"ValueError('\u202eeno rehto eht\u202c | `x` <b>')"),
        "odd_name": raising("Odd()", r"Odd = type('\x1b[31mOdd\n' * 9999, (Exception,), {})"),
    },
    EXCEPTION,
)

# --- Illegal answers ------------------------------------------------------------------------------

NUMPY = "import numpy as np"
LIAR = """
class Liar:
    __class__ = property(lambda self: KIND)
    def __index__(self):
        return 0
    __int__ = __len__ = __hash__ = __index__
    def __bool__(self):
        return True
    def __eq__(self, other):
        return True
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
"""
SLY_INT = """
class Sly(int):
    def __eq__(self, other):
        return True
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = int.__hash__
    def __index__(self):
        return 0
    __int__ = __index__
    def __repr__(self):
        raise SystemExit
    __str__ = __repr__
    def __format__(self, how):
        raise SystemExit
"""
REPR_RAISES = "class Sly:\n    def __repr__(self):\n        raise SystemExit(0)"

MOVES = table(
    {
        "too_high": moving("len(moves)"),
        "negative": moving("-1"),
        "far_out": moving("2**64"),
        "astronomical": moving("10**5000"),  # Python refuses to write so many digits
        "no_answer": moving("None"),
        "move_itself": moving("moves[0]"),
        "true": moving("True"),
        "float": moving("0.0"),
        "nan": moving("float('nan')"),
        "fraction": moving("Fraction(0)", "from fractions import Fraction"),
        "text": moving("'0'"),
        "bytes": moving(r"b'\0'"),
        "list": moving("[0]"),
        "array": moving("np.zeros(1, int)", NUMPY),
        "number_array": moving("np.array(0)", NUMPY),
        "numpy_bool": moving("np.False_", NUMPY),
        "numpy_float": moving("np.float64(0)", NUMPY),
        "numpy_index_too_high": moving("np.uint64(2**63)", NUMPY),
        "liar": moving("Liar()", LIAR.replace("KIND", "int")),
        "bool_liar": moving("Liar()", LIAR.replace("KIND", "bool")),
        "sly_int": moving("Sly(99)", SLY_INT),
        "sly_negative": moving("Sly(-1)", SLY_INT),
        "class_raises": moving(
            "Sly()", "class Sly:\n    @property\n    def __class__(self):\n        raise SystemExit"
        ),
        "repr_raises": moving("Sly()", REPR_RAISES),
        "repr_is_sly": moving(
            "Sly()",
            "class Text(str):\n    def split(self, *words):\n        raise SystemExit\n"
            "class Sly:\n    def __repr__(self):\n        return Text('x')",
        ),
        "repr_is_long": moving("'ha' * 3_000_000"),
        "repr_has_codes": moving(r"'\x1b[2J\ud800\n'"),
        "generator": (
            "def choose_move(turn, moves):\n    yield 0\ndef roll_again(turn):\n    return True\n"
        ),
        "coroutine": (
            "async def choose_move(turn, moves):\n    return 0\n"
            "def roll_again(turn):\n    return True\n"
        ),
    },
    ILLEGAL,
)
MOVES["numpy_index"] = Hostile(
    playing("pass", NUMPY).replace("len(moves) - 1", "np.int64(0)"), frozenset({INNOCENT})
)
MOVES["deep"] = Hostile(  # repr of it runs out of stack; to make it anew takes its time, too
    moving("DEEP", "DEEP = []\nfor _ in range(20_000):\n    DEEP = [DEEP]"),
    frozenset({ILLEGAL, SLOW}),
)
ROLLS = table(
    {
        "roll_none": rolling("None"),
        "roll_text": rolling("'yes'"),
        "roll_nan": rolling("float('nan')"),
        "roll_float": rolling("1.0"),
        "roll_array": rolling("np.array([True])", NUMPY),
        "roll_list": rolling("[]"),
        "roll_object": rolling("object()"),
        "roll_liar": rolling("Liar()", LIAR.replace("KIND", "bool")),
        "roll_repr_raises": rolling("Sly()", REPR_RAISES),
        "roll_raising_bool": rolling(
            "Sly()", "class Sly:\n    def __bool__(self):\n        raise SystemExit"
        ),
    },
    ILLEGAL,
)
ROLLS["numpy_yes"] = Hostile(rolling("np.bool_(turn.rolls < 3)", NUMPY), frozenset({INNOCENT}))

# --- What acts when the arena looks at it, or throws it away --------------------------------------

NEVER_ENDS = "class Sly:\n    def {}(self, *others):\n        while True:\n            pass"
KILLS = "import os\nclass Sly:\n    {} = lambda self: os._exit(0)"
TRAPS = table(
    {
        "endless_index": moving("Sly()", NEVER_ENDS.format("__index__")),
        "endless_equality": moving("Sly()", NEVER_ENDS.format("__eq__")),
        "endless_bool": rolling("Sly()", NEVER_ENDS.format("__bool__")),
        "endless_repr": moving("Sly()", NEVER_ENDS.format("__repr__")),
        "endless_removal": moving("Sly()", NEVER_ENDS.format("__del__")),
    },
    ILLEGAL,
    SLOW,
)
TRAPS |= table(
    {
        "deadly_repr": moving("Sly()", KILLS.format("__repr__")),
        "deadly_removal": moving("Sly()", KILLS.format("__del__")),
    },
    ILLEGAL,
    DIED,
)
TRAPS |= table(
    {
        "endless_str": raising(
            "Sly()", sly_error("def __str__(self):\n    while True:\n        pass")
        ),
    },
    EXCEPTION,
    SLOW,
)
TRAPS |= table(
    {
        "deadly_str": raising(
            "Sly()", "import os\n" + sly_error("__str__ = lambda self: os._exit(4)")
        )
    },
    EXCEPTION,
    DIED,
)
TRAPS |= table(
    {
        "raising_removal": playing(
            "Sly()", "class Sly:\n    def __del__(self):\n        raise SystemExit"
        ),
    },
    INNOCENT,
)

# --- Decisions that take too long -----------------------------------------------------------------

SPIN = "while True:\n    pass"
ENDLESS = table(
    {
        "sleep": deciding("time.sleep(30)", "import time"),
        "late": deciding("time.sleep(2)\nreturn 0", "import time"),
        "loop": deciding(SPIN),
        "loop_that_swallows": deciding(
            "while True:\n    try:\n        time.sleep(30)\n    except BaseException:\n"
            "        pass",
            "import time",
        ),
        "swallows_and_answers": deciding(
            "try:\n    time.sleep(30)\nexcept BaseException:\n    pass\nreturn 0", "import time"
        ),
        "answers_finally": deciding(f"try:\n{indent(SPIN, '    ')}\nfinally:\n    return 0"),
        "sum_in_c": deciding("sum(itertools.repeat(1))", "import itertools"),
        "power_in_c": deciding("exponent = 10**8\nreturn 10**exponent"),
        "regex_in_c": deciding("re.match(r'(a+)+$', 'a' * 60 + 'b')", "import re"),
        "lock": deciding(
            "lock = threading.Lock()\nlock.acquire()\nlock.acquire()", "import threading"
        ),
        "pipe": deciding("os.read(os.pipe()[0], 1)", "import os"),
        "stdin": deciding(
            "while True:\n    try:\n        os.read(0, 1)\n    except OSError:\n        pass",
            "import os",
        ),
        # Against the clock
        "ignores_the_alarm": deciding(
            "for number in signal.valid_signals() - {9, 19}:\n"
            "    try:\n        signal.signal(number, signal.SIG_IGN)\n"
            "    except (OSError, ValueError):\n        pass\n"
            f"signal.setitimer(signal.ITIMER_REAL, 0)\n{SPIN}",
            "import signal",
        ),
        "blocks_signals": deciding(
            f"signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n{SPIN}",
            "import signal",
        ),
        "stops_the_clocks": deciding(
            f"time.monotonic = time.perf_counter = time.time = lambda: 0.0\n{SPIN}", "import time"
        ),
        "stands_still": deciding(
            f"os.kill(os.getpid(), signal.SIGSTOP)\n{SPIN}", "import os, signal"
        ),
    },
    SLOW,
)
ENDLESS |= table(
    {
        "dies_when_told": deciding(
            "try:\n    time.sleep(30)\nfinally:\n    os._exit(0)", "import os, time"
        ),
    },
    SLOW,
    DIED,
)
ENDLESS |= table({"thoughtful": playing("time.sleep(0.001)", "import time")}, INNOCENT)

# --- Bots that take their process along -----------------------------------------------------------

DEADLY = table(
    {
        "leaves_well": deciding("os._exit(0)", "import os"),
        "leaves_badly": deciding("os._exit(3)", "import os"),
        "aborts": deciding("os.abort()", "import os"),
        "segfaults": deciding("ctypes.string_at(0)", "import ctypes"),
        "writes_to_nowhere": deciding("ctypes.memset(8, 1, 64)", "import ctypes"),
        "kills_itself": deciding("os.kill(os.getpid(), signal.SIGKILL)", "import os, signal"),
        "leaves_in_a_thread": deciding(
            "threading.Thread(target=os._exit, args=(0,)).start()\ntime.sleep(30)",
            "import os, threading, time",
        ),
        "becomes_another": deciding(
            "os.execv(sys.executable, ['python', '-c', ''])", "import os, sys"
        ),
        "leaves_at_the_second_turn": (
            "import os\ndef choose_move(turn, moves):\n    return 0\n"
            "def roll_again(turn):\n    return turn.number < 3 or os._exit(0)\n"
        ),
    },
    DIED,
)
DEADLY |= table(
    {
        "becomes_a_sleeper": deciding(
            "os.execv(sys.executable, ['python', '-c', 'import time; time.sleep(30)'])",
            "import os, sys",
        ),
    },
    DIED,
    SLOW,
)

# --- Bots with children ---------------------------------------------------------------------------

CHILD = "[sys.executable, '-c', 'import time; time.sleep(60)']"
PARENTS = table(
    {"waits_for_a_child": deciding(f"subprocess.run({CHILD})", "import subprocess, sys")}, SLOW
)
PARENTS |= table(
    {
        "leaves_a_child": playing(
            f"if turn.number <= 2:\n    subprocess.Popen({CHILD})", "import subprocess, sys"
        ),
    },
    INNOCENT,
)

# --- Memory ---------------------------------------------------------------------------------------

# What is allocated here is never touched, and it has an end: harmless where no limit is set.
HOGS = table(
    {
        "one_gulp": deciding("bytes(4 * 10**9)\nreturn 0"),
        "bit_by_bit": deciding(
            "hoard = [bytes(10**7) for _ in range(400)]\nreturn len(hoard) > 400"
        ),
        "numpy_hog": deciding("np.zeros(10**9)\nreturn 0", NUMPY),
    },
    EXCEPTION,
)

# --- Compiled -------------------------------------------------------------------------------------

COMPILED = table(
    {
        "compiled_raise": compiled(roll="raise ValueError('lost my way')"),
        "compiled_bounds": compiled(roll="return np.zeros(3)[turn.rolls + 5] > 0"),
        "compiled_division": compiled(roll="return 1.0 / (turn.rolls - turn.rolls) < 2"),
        "compiled_hog": compiled(roll="return np.zeros(10**13).sum() > 0"),
    },
    EXCEPTION,
)
COMPILED |= table(
    {
        "compiled_too_high": compiled("return len(moves)"),
        "compiled_negative": compiled("return -1"),
    },
    ILLEGAL,
)
COMPILED |= table(
    {"compiled_loop": compiled(roll="while turn.random() < 2:\n    pass\nreturn True")}, SLOW
)
COMPILED |= table(
    {
        "compiled_wild_write": compiled(
            roll="cells = np.zeros(3)\ncells[10**12 * turn.rolls] = 1\nreturn True",
            options="(boundscheck=False)",
        )
    },
    EXCEPTION,  # as it does not survive its trial, and plays apart, as plain Python
)
COMPILED |= table(
    {
        "compiled_nan": compiled(roll="return np.sqrt(-1.0 * turn.rolls) < 0"),
    },
    INNOCENT,
)

# --- Damage ---------------------------------------------------------------------------------------

DAMAGE = table(
    {
        # Random numbers
        "seeds_random": playing("random.seed(0)\nrandom.random()", "import random"),
        "seeds_numpy": playing("np.random.seed(0)", NUMPY),
        # The interpreter
        "no_recursion": playing(
            "for limit in range(1, 1000):\n    try:\n        sys.setrecursionlimit(limit)\n"
            "        return\n    except RecursionError:\n        pass",
            "import sys",
        ),
        "deep_recursion": playing("sys.setrecursionlimit(10**9)", "import sys"),
        "no_collector": playing("gc.disable()\ngc.freeze()", "import gc"),
        "strict_warnings": playing("warnings.simplefilter('error')", "import warnings"),
        "traces": playing(
            "sys.settrace(trace)", "import sys\ndef trace(*event):\n    return trace"
        ),
        "profiles": playing("sys.setprofile(lambda *event: None)", "import sys"),
        "few_digits": playing("sys.set_int_max_str_digits(640)", "import sys"),
        "hooks": playing(
            "sys.excepthook = sys.unraisablehook = sys.displayhook = threading.excepthook = None",
            "import sys, threading",
        ),
        # The process
        "elsewhere": playing("os.chdir('/')", "import os"),
        "umask": playing("os.umask(0o777)", "import os"),
        "empty_environment": playing("os.environ.clear()", "import os"),
        "ignores_signals": playing(
            "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE):\n"
            "    signal.signal(number, signal.SIG_IGN)",
            "import signal",
        ),
        "blocks_every_signal": playing(
            "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())", "import signal"
        ),
        "own_group": playing("try:\n    os.setpgrp()\nexcept OSError:\n    pass", "import os"),
        "exit_handlers": playing(
            "if not hasattr(atexit, 'mine'):\n"
            "    atexit.mine = atexit.register(time.sleep, 30)\n    atexit.register(os._exit, 9)",
            "import atexit, os, time",
        ),
        "thread_that_stays": playing(
            "if not any(one.name == 'stays' for one in threading.enumerate()):\n"
            "    threading.Thread(target=time.sleep, args=(30,), name='stays').start()",
            "import threading, time",
        ),
        # Its own file, of which the text read at the start counts
        "rewrites_itself": playing(
            "with open(__file__, 'a') as file:\n    file.write('\\nraise ValueError\\n')"
        ),
        "deletes_itself": playing(
            "if os.path.exists(__file__):\n    os.unlink(__file__)", "import os"
        ),
        # Other modules
        "no_sleep": playing("time.sleep = lambda seconds: None", "import time"),
        "future_clocks": playing(
            "time.monotonic = time.perf_counter = time.time = lambda: 1e18", "import time"
        ),
        "strict_numpy": playing("np.seterr(all='raise')", NUMPY),
        # Its output
        "closes_stdout": playing(
            "for one in (sys.stdout, sys.__stdout__):\n    getattr(one, 'close', bool)()",
            "import sys",
        ),
        "no_stdout": playing("sys.stdout = sys.stderr = sys.__stdout__ = None", "import sys"),
        "own_stdout": playing(
            "sys.stdout = sys.stderr = Sly()\nprint('x')",
            "import sys\nclass Sly:\n    def write(self, text):\n        pass\n"
            "    def flush(self):\n        raise SystemExit",
        ),
        "closes_1": playing("try:\n    os.close(1)\nexcept OSError:\n    pass", "import os"),
        "closes_0_and_2": playing(
            "for number in (0, 2):\n    try:\n        os.close(number)\n    except OSError:\n"
            "        pass",
            "import os",
        ),
    },
    INNOCENT,
)
DAMAGE |= table(
    {
        "raising_trace": playing(
            "sys.settrace(trace)", "import sys\ndef trace(*event):\n    raise SystemExit('trace')"
        ),
        "interrupts_itself": playing("signal.raise_signal(signal.SIGINT)", "import signal"),
        "terminates_itself": playing("signal.raise_signal(signal.SIGTERM)", "import signal"),
    },
    INNOCENT,
    *GUILTY,
)
SPINNERS = table(
    {
        "spinning_thread": playing(
            "if not any(one.name == 'spins' for one in threading.enumerate()):\n"
            "    threading.Thread(target=spin, name='spins', daemon=True).start()",
            f"import threading\ndef spin():\n{indent(SPIN, '    ')}",
        ),
    },
    INNOCENT,
)
REBORN = table(
    {
        "hurt_when_made_again": playing(
            "pass", "import sys\nsys.made = getattr(sys, 'made', 0) + 1\nassert sys.made < 6"
        ),
        "late_when_made_again": playing(
            "pass",
            "import sys, time\nsys.born = getattr(sys, 'born', 0) + 1\n"
            "if sys.born > 5:\n    time.sleep(30)",
        ),
    },
    INNOCENT,
    *GUILTY,
)

# What wrecks a process beyond repair, so that only a process of its own keeps others from harm.
RUIN = table(
    {
        "no_builtins": playing(
            "builtins.len = builtins.isinstance = builtins.sum = builtins.max = None",
            "import builtins",
        ),
        "no_modules": playing("sys.modules.clear()\nsys.path.clear()", "import sys"),
        "own_json": playing(
            "json.dumps = lambda *args, **more: 'nonsense'\n"
            "pickle.dumps = lambda *args, **more: b'nonsense'",
            "import json, pickle",
        ),
        "no_descriptors": playing(
            "while True:\n    try:\n        os.dup(0)\n    except OSError:\n        return",
            "import os",
        ),
        "closes_everything": playing("os.closerange(0, 256)", "import os"),
        "writes_everywhere": playing(
            "for number in range(256):\n    try:\n        os.set_blocking(number, False)\n"
            "        os.write(number, b'\\xff' * 999)\n    except OSError:\n        pass",
            "import os",
        ),
        "reads_everything": playing(
            "for number in range(256):\n    try:\n        os.set_blocking(number, False)\n"
            "        os.read(number, 99999)\n    except OSError:\n        pass",
            "import os",
        ),
        "forks": playing("os.fork()", "import os"),
        "no_processor": playing(
            "resource.setrlimit(resource.RLIMIT_CPU, (0, 0))", "import resource"
        ),
        "no_files": playing(
            "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
            "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
            "import resource",
        ),
        "other_turns": playing("type(turn).rolls = type(turn).random = None"),
    },
    INNOCENT,
    *GUILTY,
)

# --- Fair play ------------------------------------------------------------------------------------


def cheating(deed: str) -> str:
    """A bot that raises if this is allowed."""
    return playing(
        f"try:\n{indent(deed, '    ')}\nexcept (AttributeError, TypeError):\n    return\n"
        "raise AssertionError('that was allowed')"
    )


CHEATS = table(
    {
        "writes_turn": cheating("turn.seat = 1"),
        "writes_new_field": cheating("turn.mine = 1"),
        "sets_turn": cheating("object.__setattr__(turn, 'rolls', 0)"),
        "sets_new_field": cheating("object.__setattr__(turn, 'mine', 1)"),
        "deletes_from_turn": cheating("del turn.dice"),
        "fills_turn": cheating("turn.__dict__['rolls'] = 0"),
        "writes_method": cheating("turn.bust_chance = lambda: 0"),
        "writes_dice": cheating("turn.dice[0] = 6"),
        "writes_runners": cheating("turn.runners[7] = 12"),
        "writes_markers": cheating("turn.markers[7] = 12"),
        "writes_rivals": cheating("turn.rivals[0][7] = 0"),
        "writes_rival": cheating("turn.rivals[0] = ()"),
        "writes_usable": cheating("turn.usable[0] = 7"),
        "writes_rival_claims": cheating("turn.rival_claims[0] = 0"),
        "writes_moves": cheating("moves[0] = (7, 7)"),
        "writes_move": cheating("moves[0][0] = 7"),
        "clears_moves": cheating("moves.clear()"),
        "writes_rules": cheating("turn.rules.columns_to_win = 1"),
        "sets_rules": cheating("object.__setattr__(turn.rules, 'columns_to_win', 1)"),
        "fills_rules": cheating("vars(turn.rules)['columns_to_win'] = 1"),
        "writes_lengths": cheating("turn.rules.lengths[7] = 1"),
        "writes_column_lengths": cheating("turn.rules.column_lengths[0] = 1"),
        "writes_random": cheating("turn.random.mine = 1"),
    },
    INNOCENT,
)
CHEATS |= table(
    {
        "digs_in_random": playing(
            "if turn.number > 2 or turn.rolls > 1:\n    return\n"
            "seen, queue = {}, [turn.random]\n"
            "while queue and len(seen) < 200:\n"
            "    one = queue.pop(0)\n"
            "    if id(one) in seen or isinstance(one, PLAIN):\n"
            "        continue\n"
            "    seen[id(one)] = one\n"
            "    assert type(one).__module__ != 'numpy', type(one)\n"
            "    assert type(one).__name__ not in ('Asker', 'Table', '_Playing'), type(one)\n"
            "    queue += [getattr(one, name, None) for name in dir(one) if name not in SKIPPED]\n"
            "    queue += one if isinstance(one, (tuple, list)) else ()",
            "PLAIN = (int, float, str, bytes, type)\n"
            "SKIPPED = {'__class__', '__globals__', '__builtins__', '__doc__'}",
        ),
        "keeps_turns": playing(
            "for old, told in KEPT:\n    assert shown(*old) == told, 'what it was shown changed'\n"
            "KEPT.append(((turn, moves), shown(turn, moves)))\ndel KEPT[:-3]",
            "KEPT = []\n"
            "def shown(turn, moves):\n"
            "    fields = ('seat', 'number', 'rolls', 'dice', 'runners', 'free', 'placed',\n"
            "              'usable', 'claimed', 'markers', 'rivals', 'claims', 'rival_claims')\n"
            "    return repr([getattr(turn, field) for field in fields] + [moves])",
        ),
        "checks_its_tuples": playing(
            "for field in ('dice', 'placed', 'usable', 'claimed', 'runners', 'markers',\n"
            "              'rivals', 'rival_claims'):\n"
            "    assert type(getattr(turn, field)) is tuple, field\n"
            "assert type(moves) is tuple and all(type(move) is tuple for move in moves)"
        ),
    },
    INNOCENT,
)
SPIES = table(
    {
        "looks_for_the_table": playing(
            "names = {type(one).__name__ for one in gc.get_objects()}\n"
            "assert not names & {'Asker', 'EngineTable', 'Ledger'}, names",
            "import gc",
        ),
        "looks_at_its_callers": playing(
            "frame = sys._getframe()\n"
            "while frame:\n"
            "    names = set(frame.f_locals)\n"
            "    assert not names & {'handle', 'seed', 'secret'}, names\n"
            "    frame = frame.f_back",
            "import sys",
        ),
    },
    INNOCENT,
)

# --- Memories of earlier games --------------------------------------------------------------------

# Numbers of turns only grow in a game; where a higher one is known, an earlier game is.
RECALL = """
def recall(turn, seen):
    earlier = [number for number in seen if number > turn.number]
    seen.append(turn.number)
    return bool(earlier)
"""


def remembering(seen: str, head: str = "") -> str:
    """A bot that raises if it remembers an earlier game."""
    return playing(f"assert not recall(turn, {seen}), 'an earlier game'", RECALL + head)


MEMORIES = table(
    {
        "global_list": remembering("SEEN", "SEEN = []"),
        "global_name": playing(
            "global last\nassert turn.number >= last, 'an earlier game'\nlast = turn.number",
            "last = 0",
        ),
        "class_attribute": remembering("Mind.seen", "class Mind:\n    seen = []"),
        "mutable_default": remembering("thoughts()", "def thoughts(seen=[]):\n    return seen"),
        "closure": remembering(
            "thoughts()",
            "def mind():\n    seen = []\n    def thoughts():\n        return seen\n"
            "    return thoughts\nthoughts = mind()",
        ),
        "function_attribute": remembering("act.__dict__.setdefault('seen', [])"),
        "cached_function": remembering(
            "thoughts()",
            "from functools import cache\n@cache\ndef thoughts():\n    return []",
        ),
        "instance": RECALL + "from cantstop_arena import Bot\n"
        "class Mind:\n"
        "    def __init__(self):\n        self.seen = []\n"
        "    def choose_move(self, turn, moves):\n"
        "        assert not recall(turn, self.seen), 'an earlier game'\n        return 0\n"
        "    def roll_again(self, turn):\n"
        "        assert not recall(turn, self.seen), 'an earlier game'\n"
        "        return turn.rolls < 3\n"
        "def register_bots():\n    return [Bot('instance', Mind)]\n",
        "shared_instance": RECALL + "from cantstop_arena import Bot, Player\n"
        "SEEN = []\n"
        "def again(turn):\n"
        "    assert not recall(turn, SEEN), 'an earlier game'\n    return turn.rolls < 3\n"
        "PLAYER = Player(lambda turn, moves: 0, again)\n"
        "def mind():\n    return PLAYER\n"
        "def register_bots():\n    return [Bot('shared_instance', mind)]\n",
        "own_module": remembering(
            "mind.seen", "import sys\nmind = sys.modules[__name__]\nmind.seen = []"
        ),
    },
    INNOCENT,
)

# What it says when it remembers; half of its answers depend on it.
TELLS = "    if recall(turn, SEEN):\n        print('REMEMBERS', flush=True)\n"
LEARNER = (
    f"{RECALL}SEEN = []\n{{}}def choose_move(turn, moves):\n    return len(SEEN) % len(moves)\n"
    f"def roll_again(turn):\n{TELLS}    return turn.rolls < 1 + len(SEEN) % 4\n"
)
LEARNERS = {
    "forgetful": LEARNER.format(""),
    "learned": LEARNER.format("learns = True\n"),
    "schooled": (
        f"{RECALL}from cantstop_arena import Bot\n"
        "class Pupil:\n    learns = True\n"
        "    def __init__(self):\n        self.seen = []\n"
        "    def choose_move(self, turn, moves):\n        return len(self.seen) % len(moves)\n"
        "    def roll_again(self, turn):\n"
        "        if recall(turn, self.seen):\n            print('REMEMBERS', flush=True)\n"
        "        return turn.rolls < 1 + len(self.seen) % 4\n"
        "def register_bots():\n    return [Bot('schooled', Pupil)]\n"
    ),
}
TWIN = (
    "SEATS = set()\n"
    "def choose_move(turn, moves):\n    SEATS.add(turn.seat)\n"
    "    assert len(SEATS) == 1, 'shares its memory'\n    return 0\n"
    "def roll_again(turn):\n    choose_move(turn, ())\n    return turn.rolls < 3\n"
)

# --- Answers that depend on more than the game ----------------------------------------------------


def counting(holder: str, head: str) -> str:
    """A bot that counts its decisions where nobody takes the count away."""
    return playing(
        f"{holder}.counter = getattr({holder}, 'counter', 0) + 1",
        head,
        again=f"turn.rolls < 1 + {holder}.counter % 5",
    )


UNSTEADY = {
    "by_the_clock": rolling("turn.rolls < 1 + time.time_ns() // 100 % 5", "import time"),
    "by_entropy": rolling("turn.rolls < 1 + os.urandom(1)[0] % 5", "import os"),
    "by_system_random": rolling(
        "turn.rolls < 1 + random.SystemRandom().randrange(5)", "import random"
    ),
    "by_own_random": rolling(
        "turn.rolls < 1 + STREAM.randrange(5)", "import random\nSTREAM = random.Random()"
    ),
    "by_own_generator": rolling(
        "turn.rolls < 1 + STREAM.integers(5)", f"{NUMPY}\nSTREAM = np.random.default_rng()"
    ),
    "counts_in_math": counting("math", "import math"),
    "counts_in_a_file": playing(
        "with open(__file__ + '.count', 'ab') as file:\n    file.write(b'.')",
        "import os",
        again="turn.rolls < 1 + os.path.getsize(__file__ + '.count') % 5",
    ),
}
STEADY = {
    "by_its_stream": rolling("turn.rolls < 1 + int(turn.random() * 5)"),
    "by_seeded_random": rolling("turn.rolls < 1 + random.randrange(5)", "import random"),
    "by_seeded_numpy": rolling("turn.rolls < 1 + np.random.randint(5)", NUMPY),
    "by_hash": rolling("turn.rolls < 1 + hash(turn.dice) % 5"),
    "by_count": rolling(
        "turn.rolls < 1 + next(COUNT) % 5", "import itertools\nCOUNT = itertools.count()"
    ),
}

# --- Output ---------------------------------------------------------------------------------------

NOISE = "NOISE-OF-{}!"


def loud(name: str, statement: str, head: str = "") -> str:
    """A bot that makes its noise in its first turn; NAME stands for it."""
    noise = NOISE.format(name)
    body = f"if turn.number <= 2 and turn.rolls == 1:\n{indent(statement, '    ')}"
    return playing(body.replace("NAME", noise), head.replace("NAME", noise))


LOUD = {
    name: loud(name, *statement)
    for name, statement in {
        "prints": ("print('NAME')",),
        "prints_at_import": ("pass", "print('NAME')"),
        "writes_stdout": ("sys.stdout.write('NAME')", "import sys"),
        "writes_old_stdout": ("sys.__stdout__.write('NAME\\n')", "import sys"),
        "writes_stderr": ("sys.stderr.write('NAME\\n')", "import sys"),
        "writes_to_1": ("os.write(1, b'NAME')", "import os"),
        "writes_to_2": ("os.write(2, b'NAME\\n')", "import os"),
        "runs_echo": ("os.system('echo NAME')", "import os"),
        "runs_child": ("subprocess.run(['echo', 'NAME'])", "import subprocess"),
        "warns": ("warnings.warn('NAME')", "import warnings"),
        "logs": ("logging.error('NAME')", "import logging"),
        "prints_in_a_thread": (
            "one = threading.Thread(target=print, args=('NAME',))\none.start()\none.join()",
            "import threading",
        ),
        "raises_in_a_thread": (
            "one = threading.Thread(target=shout)\none.start()\none.join()",
            "import threading\ndef shout():\n    raise ValueError('NAME')",
        ),
        "writes_junk": (r"os.write(1, b'NAME\n\xff\xfe\x00\x1b[2J')", "import os"),
    }.items()
}
LOUD["prints_much"] = playing(
    "if turn.number <= 2 and turn.rolls == 1:\n    print(LINE)\n    os.write(1, LINE.encode())",
    f"import os\nLINE = {NOISE.format('prints_much')!r} * 5_000",
)
LOUD["floods"] = playing(
    "if not hasattr(os, 'flooded'):\n    os.flooded = True\n    print(LINE)",
    f"import os\nLINE = {NOISE.format('floods')!r} * 3_500_000",  # 50 MB
)
LOUD["prints_compiled"] = compiled(
    f"print('{NOISE.format('prints_compiled')}')\nreturn 0", "return turn.rolls < 3"
)

# --- Gangs ----------------------------------------------------------------------------------------

QUICK = "decision_limit: 0.5\n"
FEW = "max_faults: 2\n"
APART = "gauntlet: patient\n"  # whoever fails in every game need not meet others like it


def some(bots: Mapping[str, Hostile], *names: str) -> dict[str, Hostile]:
    return {name: bots[name] for name in names}


GANGS = {
    "mixed": Gang(
        {
            **some(EXCEPTIONS, "value_error"),
            **some(MOVES, "too_high"),
            **some(ENDLESS, "sleep"),
            **some(DEADLY, "leaves_well", "segfaults"),
            "now_and_then": Hostile(
                playing("assert turn.dice[0] < 6 or turn.number < 5"),
                frozenset({EXCEPTION, INNOCENT}),
            ),
        },
        QUICK + FEW,
        ("--workers", "1"),
    ),
    "exceptions": Gang({**EXCEPTIONS, **SLY_EXCEPTIONS}, APART),
    "answers": Gang({**MOVES, **ROLLS}, APART),
    "traps": Gang(TRAPS, QUICK + FEW + APART),
    "endless": Gang(ENDLESS, QUICK + FEW + APART),
    "deadly": Gang(DEADLY, FEW + APART),
    "hogs": Gang(HOGS, words=("--memory", "512M")),
    "compiled": Gang(COMPILED, QUICK + FEW + APART),
    "parents": Gang(PARENTS, QUICK + FEW),
    "reborn": Gang(REBORN, QUICK + FEW),
    "damage": Gang(DAMAGE, QUICK + FEW + APART),
    "spinners": Gang(SPINNERS),
    "cheats": Gang(CHEATS),
    "memories": Gang(MEMORIES),
    "isolated": Gang(
        {
            **some(EXCEPTIONS, "value_error", "keyboard_interrupt"),
            **some(SLY_EXCEPTIONS, "str_leaves", "terminal_codes"),
            **some(MOVES, "too_high", "astronomical", "nan", "liar"),
            **some(ROLLS, "roll_none"),
            **some(ENDLESS, "sleep", "loop_that_swallows", "stdin"),
            **some(DEADLY, "leaves_well", "segfaults", "becomes_a_sleeper"),
            **some(COMPILED, "compiled_raise"),
            **HOGS,
        },
        QUICK + FEW + APART,
        ("--memory", "512M"),
        isolate=True,
    ),
    "isolated_harmless": Gang(
        {
            **some(MEMORIES, "global_list"),
            **some(CHEATS, "writes_turn", "digs_in_random"),
            **some(DAMAGE, "closes_stdout", "closes_1", "exit_handlers", "blocks_every_signal"),
            **SPIES,
        },
        APART,
        isolate=True,
    ),
    "ruin": Gang(RUIN, QUICK + FEW + APART, isolate=True),
    "descriptors": Gang(
        some(RUIN, "writes_everywhere", "closes_everything", "no_descriptors", "forks"),
        QUICK + FEW,
    ),
}
