"""Hostile bots that harm their process, cheat, remember, print, or play otherwise each time."""

from textwrap import indent

from helpers.hostile import (
    ANYTHING,
    DIED,
    ILLEGAL,
    INNOCENT,
    SLOW,
    SPIN,
    bots,
    compiled,
    each,
    playing,
    rolling,
    sly,
)
from helpers.isolated import READY

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
        writes_rivals="turn.rivals[0][7] = 0",
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


PROGRAMS = {
    **bots(
        READY.__add__,
        SLOW,
        deaf="signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
    ),
    **bots(READY.__add__, DIED, quits=""),
    # In the sandbox bubblewrap holds the pipe open, too.
    **bots(READY.__add__, DIED, SLOW, closes="os.close(1)\ntime.sleep(60)"),
    **bots(
        READY.__add__,
        ILLEGAL,
        DIED,
        babbles="while hear(): say(b'{\"move\":' * 9999 + b'\\n')",
        floods="while True: say(b'x' * 65536)",
        junk=r"say(b'\xff\xfe\0\n\n\n{}\n[]\nnull\n')" + "\ntime.sleep(60)",
    ),
}
