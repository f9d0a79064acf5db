"""Hostile bots: what a bot file can do wrong, by mistake or on purpose, and what that is called.

A table of bots by name for each way of being hostile. `charged` are the kinds of fault that may
be held against a bot; INNOCENT stands for none. Tests let each gang of them meet honest bots.
"""

from collections.abc import Callable, Mapping
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


@dataclass(frozen=True)
class Gang:
    """Hostile bots that play one tournament, with its keys and the words of its command."""

    bots: Mapping[str, Hostile]
    keys: str = ""
    words: tuple[str, ...] = ()
    door: str = "plain"
    """How they are entered: plain, in processes of their own, or as programs."""


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
MOVES["numpy_index"] = Hostile(
    playing("pass").replace("len(moves) - 1", "np.int64(0)"), frozenset({INNOCENT})
)
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

NEVER_ENDS = sly("def {}(self, *others):", "    while True: pass")
KILLS = sly("{} = lambda self: os._exit(0)")
TRAPS = {
    **bots(
        moving,
        ILLEGAL,
        SLOW,
        endless_index=("Sly()", NEVER_ENDS.format("__index__")),
        endless_equality=("Sly()", NEVER_ENDS.format("__eq__")),
        endless_repr=("Sly()", NEVER_ENDS.format("__repr__")),
        endless_removal=("Sly()", NEVER_ENDS.format("__del__")),
    ),
    **bots(rolling, ILLEGAL, SLOW, endless_bool=("Sly()", NEVER_ENDS.format("__bool__"))),
    **bots(
        moving,
        ILLEGAL,
        DIED,
        deadly_repr=("Sly()", KILLS.format("__repr__")),
        deadly_removal=("Sly()", KILLS.format("__del__")),
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

# --- Damage ---------------------------------------------------------------------------------------

CHANGES = {
    "environment": "os.environ['ALIEN'] = 'x'; os.environ.pop('PATH', None)",
    "cache_folder": "os.environ['CANTSTOP_ARENA_CACHE'] = '/proc/nowhere'",
    "another_environment": "os.environ = {}",
    "empty_environment": "os.environ.clear()",
    "recursion_limit": "sys.setrecursionlimit(160)",
    "deep_recursion": "sys.setrecursionlimit(10**9)",
    "switch_interval": "sys.setswitchinterval(5)",
    "digits": "sys.set_int_max_str_digits(700)",
    "trace": "sys.settrace(lambda *_: None)",
    "profile": "sys.setprofile(lambda *_: None)",
    "trace_of_threads": "threading.settrace(print)",
    "profile_of_threads": "threading.setprofile(print)",
    "excepthook": "sys.excepthook = print",
    "unraisablehook": "sys.unraisablehook = print",
    "excepthook_of_threads": "threading.excepthook = print",
    "displayhook": "sys.displayhook = print",
    "handlers": "for n in (2, 13, 15, 17): signal.signal(n, signal.SIG_IGN)",
    "mask": "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "collector": "gc.disable(); gc.set_threshold(1); gc.freeze()",
    "warnings": "warnings.simplefilter('error')",
    "folder": "os.chdir('/')",
    "umask": "os.umask(0o777)",
    "locale": "import locale; locale.setlocale(locale.LC_ALL, 'C.UTF-8')",
    "numpy": "np.seterr(all='raise')",
    "standard_files": "sys.stdout = sys.stderr = sys.stdin = sys.__stdout__ = None",
}
"""What changes an interpreter for others in it, until the arena undoes it."""
DAMAGE = {
    **bots(
        playing,
        INNOCENT,
        **CHANGES,
        seeds_random="random.seed(0)\nrandom.random()",
        seeds_numpy="np.random.seed(0)",
        no_recursion=(
            "for limit in range(1, 1000):\n"
            "    try: return sys.setrecursionlimit(limit)\n    except RecursionError: pass"
        ),
        own_group="try: os.setpgrp()\nexcept OSError: pass",
        exit_handlers=(
            "if not hasattr(atexit, 'mine'):\n"
            "    atexit.mine = atexit.register(time.sleep, 30)\n    atexit.register(os._exit, 9)"
        ),
        thread_that_stays=(
            "if not any(one.name == 'stays' for one in threading.enumerate()):\n"
            "    threading.Thread(target=time.sleep, args=(30,), name='stays').start()"
        ),
        spinning_thread=(
            "if not any(one.name == 'spins' for one in threading.enumerate()):\n"
            "    threading.Thread(target=spin, name='spins', daemon=True).start()",
            f"def spin():\n{indent(SPIN, '    ')}",
        ),
        leaves_a_child="if turn.number <= 2:\n    subprocess.Popen(['sleep', '60'])",
        # Its own file, of which the text read at the start counts
        rewrites_itself="with open(__file__, 'a') as file: file.write('\\nraise ValueError\\n')",
        deletes_itself="if os.path.exists(__file__): os.unlink(__file__)",
        # Other modules
        no_sleep="time.sleep = lambda seconds: None",
        future_clocks="time.monotonic = time.perf_counter = time.time = lambda: 1e18",
        # Its output
        closes_stdout="for one in (sys.stdout, sys.__stdout__): getattr(one, 'close', bool)()",
        own_stdout=(
            "sys.stdout = sys.stderr = Sly()\nprint('x')",
            sly("write = lambda self, text: None", "flush = lambda self: sys.exit()"),
        ),
        closes_0_1_and_2=("for n in (0, 1, 2):\n    try: os.close(n)\n    except OSError: pass"),
    ),
    **bots(
        playing,
        *ANYTHING,
        raising_trace=("sys.settrace(trace)", "def trace(*event): raise SystemExit('trace')"),
        interrupts_itself="signal.raise_signal(signal.SIGINT)",
        terminates_itself="signal.raise_signal(signal.SIGTERM)",
    ),
}

REBORN = bots(
    playing,
    *ANYTHING,
    hurt_when_made_again=("pass", "sys.made = getattr(sys, 'made', 0) + 1\nassert sys.made < 6"),
    late_when_made_again=(
        "pass",
        "sys.born = getattr(sys, 'born', 0) + 1\nif sys.born > 5: time.sleep(30)",
    ),
)

# What wrecks a process beyond repair, so that only a process of its own keeps others from harm.
RUIN = bots(
    playing,
    *ANYTHING,
    no_builtins="builtins.len = builtins.isinstance = builtins.sum = builtins.max = None",
    no_modules="sys.modules.clear()\nsys.path.clear()",
    own_json="json.dumps = pickle.dumps = lambda *args, **more: b'nonsense'",
    no_descriptors="while True:\n    try: os.dup(0)\n    except OSError: return",
    closes_everything="os.closerange(0, 256)",
    writes_everywhere=each(r"os.set_blocking(n, False); os.write(n, b'\xff' * 999)"),
    reads_everything=each("os.set_blocking(n, False); os.read(n, 99999)"),
    forks="os.fork()",
    no_processor="resource.setrlimit(resource.RLIMIT_CPU, (0, 0))",
    no_files=(
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))"
    ),
    other_turns="type(turn).rolls = type(turn).random = None",
)

# --- Fair play ------------------------------------------------------------------------------------


def cheating(deed: str) -> str:
    """A bot that raises if this is allowed."""
    return playing(
        f"try:\n{indent(deed, '    ')}\nexcept (AttributeError, TypeError):\n    return\n"
        "raise AssertionError('that was allowed')"
    )


CHEATS = {
    **bots(
        cheating,
        INNOCENT,
        writes_turn="turn.seat = 1",
        writes_new_field="turn.mine = 1",
        sets_turn="object.__setattr__(turn, 'rolls', 0)",
        sets_new_field="object.__setattr__(turn, 'mine', 1)",
        deletes_from_turn="del turn.dice",
        fills_turn="turn.__dict__['rolls'] = 0",
        writes_method="turn.bust_chance = lambda: 0",
        writes_dice="turn.dice[0] = 6",
        writes_runners="turn.runners[7] = 12",
        writes_markers="turn.markers[7] = 12",
        writes_rivals="turn.rivals[0][7] = 0",
        writes_rival="turn.rivals[0] = ()",
        writes_usable="turn.usable[0] = 7",
        writes_rival_claims="turn.rival_claims[0] = 0",
        writes_moves="moves[0] = (7, 7)",
        writes_move="moves[0][0] = 7",
        clears_moves="moves.clear()",
        writes_rules="turn.rules.columns_to_win = 1",
        sets_rules="object.__setattr__(turn.rules, 'columns_to_win', 1)",
        fills_rules="vars(turn.rules)['columns_to_win'] = 1",
        writes_lengths="turn.rules.lengths[7] = 1",
        writes_column_lengths="turn.rules.column_lengths[0] = 1",
        writes_random="turn.random.mine = 1",
    ),
    **bots(
        playing,
        INNOCENT,
        digs_in_random=(
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
        keeps_turns=(
            "for old, told in KEPT:\n    assert shown(*old) == told, 'what it was shown changed'\n"
            "KEPT.append(((turn, moves), shown(turn, moves)))\ndel KEPT[:-3]",
            "KEPT = []\n"
            "def shown(turn, moves):\n"
            "    fields = ('seat', 'number', 'rolls', 'dice', 'runners', 'free', 'placed',\n"
            "              'usable', 'claimed', 'markers', 'rivals', 'claims', 'rival_claims')\n"
            "    return repr([getattr(turn, field) for field in fields] + [moves])",
        ),
        checks_its_tuples=(
            "for field in ('dice', 'placed', 'usable', 'claimed', 'runners', 'markers',\n"
            "              'rivals', 'rival_claims'):\n"
            "    assert type(getattr(turn, field)) is tuple, field\n"
            "assert type(moves) is tuple and all(type(move) is tuple for move in moves)"
        ),
    ),
}
SPIES = bots(
    playing,
    INNOCENT,
    looks_for_the_table=(
        "names = {type(one).__name__ for one in gc.get_objects()}\n"
        "assert not names & {'Asker', 'EngineTable', 'Ledger'}, names"
    ),
    looks_at_its_callers=(
        "frame = sys._getframe()\n"
        "while frame:\n"
        "    names = set(frame.f_locals)\n"
        "    assert not names & {'handle', 'seed', 'secret'}, names\n"
        "    frame = frame.f_back"
    ),
)

# --- Memories of earlier games --------------------------------------------------------------------

# Numbers of turns only grow in a game; where a higher one is known, an earlier game is.
RECALL = """
def recall(turn, seen):
    earlier = [number for number in seen if number > turn.number]
    seen.append(turn.number)
    return bool(earlier)
"""


def remembering(seen: str, more: str = "") -> str:
    """A bot that raises if it remembers an earlier game."""
    return playing(f"assert not recall(turn, {seen}), 'an earlier game'", RECALL + more)


THINKS = "def thoughts(): return []\n"
MEMORIES = {
    **bots(
        remembering,
        INNOCENT,
        global_list=("SEEN", "SEEN = []"),
        class_attribute=("Mind.seen", "class Mind:\n    seen = []"),
        mutable_default=("thoughts()", "def thoughts(seen=[]): return seen"),
        closure=(
            "thoughts()",
            "def mind():\n    seen = []\n    return lambda: seen\nthoughts = mind()",
        ),
        function_attribute=("act.__dict__.setdefault('seen', [])",),
        cached_function=("thoughts()", f"import functools\n@functools.cache\n{THINKS}"),
        own_module=("mind.seen", "mind = sys.modules[__name__]\nmind.seen = []"),
    ),
    **bots(
        playing,
        INNOCENT,
        global_name=(
            "global last\nassert turn.number >= last, 'an earlier game'\nlast = turn.number",
            "last = 0",
        ),
    ),
    **bots(
        "{}from cantstop_arena import Bot, Player\n{}".format,
        INNOCENT,
        instance=(
            RECALL,
            "class Mind:\n"
            "    def __init__(self):\n        self.seen = []\n"
            "    def choose_move(self, turn, moves):\n"
            "        assert not recall(turn, self.seen), 'an earlier game'\n        return 0\n"
            "    def roll_again(self, turn):\n"
            "        return not self.choose_move(turn, ()) and turn.rolls < 3\n"
            "def register_bots():\n    return [Bot('instance', Mind)]\n",
        ),
        shared_instance=(
            RECALL,
            "SEEN = []\n"
            "def again(turn):\n"
            "    assert not recall(turn, SEEN), 'an earlier game'\n    return turn.rolls < 3\n"
            "PLAYER = Player(lambda turn, moves: 0, again)\n"
            "def mind():\n    return PLAYER\n"
            "def register_bots():\n    return [Bot('shared_instance', mind)]\n",
        ),
    ),
}

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


def counting(count: str, more: str = "") -> str:
    """A bot that rolls more or less often by some count."""
    return rolling(f"turn.rolls < 1 + {count} % 5", more)


UNSTEADY = {
    "by_the_clock": counting("time.time_ns() // 100"),
    "by_entropy": counting("os.urandom(1)[0]"),
    "by_system_random": counting("random.SystemRandom().randrange(5)"),
    "by_own_random": counting("STREAM.randrange(5)", "STREAM = random.Random()"),
    "by_own_generator": counting("STREAM.integers(5)", "STREAM = np.random.default_rng()"),
    "counts_in_json": counting(
        "next(json.count)", "vars(json).setdefault('count', itertools.count())"
    ),
    "counts_in_a_file": counting(
        "open(__file__ + '.count', 'ab').write(b'.') * os.path.getsize(__file__ + '.count')"
    ),
}
STEADY = {
    "by_its_stream": counting("int(turn.random() * 5)"),
    "by_seeded_random": counting("random.randrange(5)"),
    "by_seeded_numpy": counting("np.random.randint(5)"),
    "by_hash": counting("hash(turn.dice)"),
    "by_count": counting("next(COUNT)", "COUNT = itertools.count()"),
}

# --- Output ---------------------------------------------------------------------------------------

NOISE = "NOISE-OF-{}!"


def loud(name: str, act: str, more: str = "") -> str:
    """A bot that makes its noise in its first turn; NAME stands for it."""
    noise = NOISE.format(name)
    body = f"if turn.number <= 2 and turn.rolls == 1:\n{indent(act, '    ')}"
    return playing(body.replace("NAME", noise), more.replace("NAME", noise))


LOUD = {
    name: loud(name, *acts)
    for name, acts in {
        "prints": ("print('NAME')",),
        "prints_at_import": ("pass", "print('NAME')"),
        "writes_stdout": ("sys.stdout.write('NAME')",),
        "writes_old_stdout": (r"sys.__stdout__.write('NAME\n')",),
        "writes_stderr": (r"sys.stderr.write('NAME\n')",),
        "writes_to_1": ("os.write(1, b'NAME')",),
        "writes_to_2": (r"os.write(2, b'NAME\n')",),
        "runs_echo": ("os.system('echo NAME')",),
        "runs_child": ("subprocess.run(['echo', 'NAME'])",),
        "warns": ("warnings.warn('NAME')",),
        "logs": ("logging.error('NAME')",),
        "prints_in_a_thread": (
            "one = threading.Thread(target=print, args=('NAME',))\none.start()\none.join()",
        ),
        "raises_in_a_thread": (
            "one = threading.Thread(target=shout)\none.start()\none.join()",
            "def shout(): raise ValueError('NAME')",
        ),
        "writes_junk": (r"os.write(1, b'NAME\n\xff\xfe\x00\x1b[2J')",),
        "prints_much": ("print('NAME' * 5_000)\nos.write(1, b'NAME' * 5_000)",),
        "floods": ("print(LINE)", "LINE = 'NAME' * 3_500_000"),  # 50 MB
    }.items()
}
LOUD["prints_compiled"] = compiled(
    f"print('{NOISE.format('prints_compiled')}')\nreturn 0", "return turn.rolls < 3"
)

# --- Programs -------------------------------------------------------------------------------------


def program(act: str) -> str:
    """A program that gets ready, hears of its first game, and then does this."""
    return (
        f"{HEAD}def hear():\n    return sys.stdin.buffer.readline() or os._exit(0)\n"
        "def say(data):\n    while data: data = data[os.write(1, data):]\n"
        f'hear(); say(b\'{{"type":"ready"}}\\n\')\nhear()\n{act}'
    )


PROGRAMS = {
    **bots(
        program,
        SLOW,
        deaf="signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
    ),
    **bots(program, DIED, quits="", closes="os.close(1)\ntime.sleep(60)"),
    **bots(
        program,
        ILLEGAL,
        DIED,
        babbles="while hear(): say(b'{\"move\":' * 9999 + b'\\n')",
        floods="while True: say(b'x' * 65536)",
        junk=r"say(b'\xff\xfe\0\n\n\n{}\n[]\nnull\n')" + "\ntime.sleep(60)",
    ),
}

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
    "endless": Gang(ENDLESS, QUICK + FEW + APART),
    "traps": Gang(TRAPS, QUICK + FEW + APART),
    "deadly": Gang(DEADLY, FEW + APART),
    "hogs": Gang(HOGS, words=("--memory", "512M")),
    "compiled": Gang(COMPILED, QUICK + FEW + APART),
    "reborn": Gang(REBORN, QUICK + FEW),
    "damage": Gang(DAMAGE, QUICK + FEW + APART),
    "cheats": Gang(CHEATS, APART),
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
            **some(MEMORIES, "global_list"),
            **some(CHEATS, "writes_turn", "digs_in_random"),
            **some(DAMAGE, "closes_stdout", "closes_0_1_and_2", "exit_handlers", "mask"),
            **SPIES,
            **RUIN,
        },
        QUICK + FEW + APART,
        ("--memory", "512M"),
        door="processes",
    ),
    "programs": Gang(PROGRAMS, QUICK + FEW + APART, door="programs"),
    "descriptors": Gang(
        some(RUIN, "writes_everywhere", "closes_everything", "no_descriptors", "forks"),
        QUICK + FEW,
    ),
}
