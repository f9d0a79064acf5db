"""A game that moved in by a hook (tests/salvage_game) goes through everything the arena does."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import described, on_path
from helpers.ledgers import blocks_in
from helpers.paths import TESTS

from cantstop_arena.bots.versions import HISTORY
from cantstop_arena.games.registry import built_in

pytestmark = pytest.mark.usefixtures("second_game")
HOME = TESTS / "salvage_game"
ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]
DIVE = """
name: {name}
game: salvage
players: {players}
games: {games}
seed: 5
bots: {bots}
"""
THREE = "[careful, pirate, drunk]"
SIX = (
    "[careful, pirate, drunk, {bot: careful, as: c2, share: 0.7},"
    " {bot: pirate, as: p2, share: 0.1}, {bot: drunk, as: d2}]"
)
BOT = """
game = "salvage"
from salvage.game import Bid
def bid(view):
    {bid}
def overboard(view, moves):
    return {overboard}
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    view = told.get("view", {})
    answers = {
        "hello": lambda: {"type": "ready"},
        "bid": lambda: {"answer": {"coins": min(view["coins"][view["seat"]], view["wreck"] // 2)}},
        "challenge": lambda: {"answer": False},
        "overboard": lambda: {"answer": told["moves"].index(min(told["moves"]))},
    }
    if told["type"] in answers:
        print(json.dumps(answers[told["type"]]()), flush=True)
"""


@pytest.mark.slow
def test_of_five_and_more_the_order_of_the_file_is_played(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They do not sit in all orders, so that another order of the file has other games."""
    monkeypatch.chdir(tmp_path)
    five = ["careful", "pirate", "drunk", "{bot: careful, as: c2, share: 0.7}"]
    five += ["{bot: pirate, as: p2, share: 0.1}"]
    for bots in (five, five[::-1]):
        dive = DIVE.format(name="dive", players=5, games=20, bots=f"[{', '.join(bots)}]")
        done = arena("run dive.yaml --no-page", yaml=dive)
        assert "playing 1 lineup of 5 (20 games)." in done.output
    assert "nothing to play" in arena("run dive.yaml --no-page").output


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dive(
    arena: Arena,
    *options: str,
    name: str = "dive",
    players: int = 3,
    games: int = 12,
    bots: str = THREE,
) -> str:
    """Play a tournament; what was printed."""
    text = DIVE.format(name=name, players=players, games=games, bots=bots)
    Path(f"{name}.yaml").write_text(text)
    return arena("run", f"{name}.yaml", "--quiet", *options).output


def tables(name: str = "dive") -> dict[str, bytes]:
    """The results that do not tell what the tournament is called."""
    return {path.name: path.read_bytes() for path in Path("results", name).glob("*.csv")}


def charged(name: str = "dive") -> dict[str, str]:
    """What each bot is charged with, a line for each kind."""
    told: dict[str, str] = {}
    for fault in json.loads(Path("results", name, "summary.json").read_text()).get("faults", []):
        line = f"{fault['kind']}: {fault['message']}\n"
        told[fault["bot"]] = told.get(fault["bot"], "") + line
    return told


def faults(name: str = "dive") -> str:
    """What all bots are charged with."""
    return "".join(charged(name).values())


def bot(name: str, bid: str = "return Bid(1)", overboard: str = "0") -> None:
    """A bot of this name in the folder of bots."""
    Path("bots").mkdir(exist_ok=True)
    Path("bots", f"{name}.py").write_text(BOT.format(bid=bid, overboard=overboard))


# --- Every command --------------------------------------------------------------------------------


def test_game_is_short() -> None:
    lines = [line for path in (HOME / "salvage").glob("*.py") for line in path.open()]
    assert len(lines) < 250


def test_games_and_rules_are_listed(arena: Arena) -> None:
    assert "salvage   Salvage     2 to 6   standard, peaceful" in arena("games").output
    assert "house rule" in arena("rules", "--game", "salvage").output
    told = json.loads(arena("rules", "peaceful", "--game", "salvage", "--json").output)
    assert told["challenges"] is False


def test_bots_are_listed_by_game(arena: Arena) -> None:
    told = json.loads(arena("bots", "--game", "salvage", "--json").output)
    assert [bot["name"] for bot in told["bots"]] == ["careful", "pirate", "drunk"]
    assert {bot["game"] for bot in told["bots"]} == {"salvage"}
    assert "cantstop" in arena("bots").output


@pytest.mark.slow
def test_bot_that_new_writes_is_sound(arena: Arena) -> None:
    told = arena("bots", "new", "mine", "--game", "salvage").output
    assert "game: salvage" in told and "[mine, careful, pirate]" in told
    arena("bots", "new", "fast", "--game", "salvage", "--compiled", code=2)
    checked = arena("bots", "check", "bots/mine.py").output
    assert "in 10 games under 2 rule sets, in 2 to 6 seats" in checked
    assert "mine" in dive(arena, bots="[mine, pirate]", players=2, games=2)


@pytest.mark.slow
def test_package_bot_is_checked_by_name(arena: Arena) -> None:
    assert "register_bots" in arena("bots", "check", "drunk", "--game", "salvage").output


def test_bot_to_be_checked_must_play_the_game(arena: Arena) -> None:
    refused = arena("bots", "check", "drunk", code=2).output
    assert refused == "bot drunk plays salvage, not cantstop\n"


@pytest.mark.slow
def test_tournament_has_styles_highlights_and_a_page(arena: Arena) -> None:
    printed = dive(arena, "--page")
    assert "points per game" in printed and "challenge rate %" in printed
    page = Path("results/dive/report.html").read_text()
    assert "The clearest game" in page and "Salvage" in page
    assert arena("rate", "results/dive").output.strip() in printed
    arena("report", "results/dive")
    recorded = "results/dive/games/landslide.jsonl"
    assert "challenge" in arena("replay", recorded).output
    assert "wins (turns 6" in arena("draw", recorded).output


@pytest.mark.slow
def test_games_are_replayed_and_drawn(arena: Arena) -> None:
    Path("dive.yaml").write_text(DIVE.format(name="dive", players=3, games=6, bots=THREE))
    game = ("dive.yaml", "careful", "pirate", "drunk", "--deal", "1")
    assert "Salvage (standard), seed 5, deal 1" in arena("replay", *game).output
    events = [json.loads(line) for line in arena("replay", *game, "--json").text.splitlines()]
    assert events[0]["game"] == "salvage" and events[-1]["event"] == "end"
    arena("replay", *game, "--html", "game.html")
    assert "B pirate" in Path("game.html").read_text()
    assert arena("draw", *game, "--turn", "1").output.count("bids") == 1
    refused = arena("draw", *game, "--svg", "game.svg", code=2).output
    assert "Salvage has no pictures" in refused and not Path("game.svg").exists()


@pytest.mark.slow
def test_match_plan_and_bench(arena: Arena) -> None:
    played = arena("match", "pirate", "drunk", "--game", "salvage", "--games", "8", "--quiet")
    assert "8 games, 4 deals" in played.output
    bots = ("drunk", "pirate", "--game", "salvage", "--seconds", "0.1")
    assert "deals" in arena("plan", *bots, "--difference", "0.2").output
    assert "games/s" in arena("bench", *bots).output


@pytest.mark.slow
def test_until(arena: Arena) -> None:
    text = DIVE.format(name="until", players=2, games=400, bots=THREE)
    arena("run", "until.yaml", "--quiet", yaml=f"{text}until: {{width: 0.9}}\n")
    assert "games: 400" not in Path("results/until/tournament.yaml").read_text()


@pytest.mark.slow
def test_rule_sets_are_compared_in_the_game_s_words(arena: Arena) -> None:
    told = arena(
        "compare",
        "rules.yaml",
        "--quiet",
        yaml=f"game: salvage\ncompare: [standard, peaceful]\nplayers: 2\ngames: 60\nseed: 3\n"
        f"bots: {THREE}\n",
    ).output
    assert "points per game" in told
    assert "brings" in told and "fewer points" in told


def test_person_plays(arena: Arena) -> None:
    said = '{"coins": 99}\nnonsense\n' + '{"coins": 0}\nn\n' * 20
    told = arena("play", "careful", "--game", "salvage", "--seed", "1", input=said).output
    assert "That cannot be: 99 coins are not 0 to 12." in told
    assert "Please enter an answer in JSON" in told and "misbehaves" not in told
    assert "wins (turns 6" in arena("replay", "game-1.jsonl").output


# --- Anywhere, any number of seats ----------------------------------------------------------------


@pytest.mark.slow
def test_isolated_bots_and_programs_play_the_same_games(arena: Arena) -> None:
    Path("apart").mkdir()
    careful = Path("apart/careful")  # the dice follow from this name
    careful.write_text(f"#!{sys.executable}\n{PROGRAM}")
    careful.chmod(0o755)
    dive(arena)
    program = "{command: [apart/careful]}"
    isolated = ", ".join(f"{{bot: {name}, isolate: processes}}" for name in ("pirate", "drunk"))
    dive(arena, name="apart", bots=f"[{program}, {isolated}]")
    assert tables("apart") == tables()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "games"),
    [
        (2, 2),
        (5, 20),
        (6, 60),
    ],
)
def test_seats(arena: Arena, players: int, games: int) -> None:
    dive(arena, "--games", "1", players=players, bots=SIX)
    written = json.loads(Path("results/dive/summary.json").read_text())
    assert written["players"] == players
    standings = Path("results/dive/standings.csv").read_text().splitlines()[1:]
    groups = {2: 5, 5: 5, 6: 1}[players]  # in which each of six bots meets others
    assert {int(row.split(",")[5]) for row in standings} == {games * groups}


@pytest.mark.slow
def test_any_number_of_workers_writes_the_same_bytes(arena: Arena) -> None:
    for workers in "123":
        dive(arena, "--workers", workers, "--results", workers, games=240)
    first, *others = [
        {path.name: path.read_bytes() for path in results_of(Path(workers, "dive"))}
        for workers in "123"
    ]
    assert "ledger.sqlite" in first
    assert all(other == first for other in others)


@pytest.mark.slow
def test_killed_workers_and_runs_leave_no_trace(arena: Arena, place: Path) -> None:
    dive(arena, games=1200)
    text = DIVE.format(name="dive", players=3, games=1200, bots=THREE)
    (place / "again").mkdir()
    (place / "again" / "dive.yaml").write_text(text)
    again = [*ARENA, "run", "dive.yaml", "--quiet", "--no-page", "--workers", "2"]
    ledger = place / "again/results/dive/ledger.sqlite"
    for end in (signal.SIGKILL, signal.SIGINT):
        stored = blocks_in(ledger)
        run = subprocess.Popen(again, cwd="again", stdout=subprocess.DEVNULL)
        while run.poll() is None and blocks_in(ledger) <= stored:
            time.sleep(0.005)
        assert run.poll() is None, "it is over before it can be killed"
        for child in children_of(run.pid)[:1]:
            with suppress(ProcessLookupError):  # it has ended
                os.kill(child, signal.SIGKILL)
        run.send_signal(end)
        run.wait()
    subprocess.run(again, cwd="again", check=True, stdout=subprocess.DEVNULL)
    for path in results_of(Path("results/dive")):
        assert (place / "again/results/dive" / path.name).read_bytes() == path.read_bytes(), path


def results_of(folder: Path) -> list[Path]:
    """The files of a run, but for when it was played."""
    return [path for path in folder.glob("*.*") if path.name != HISTORY]


def children_of(pid: int) -> list[int]:
    """The children of a process, on Linux."""
    told = Path(f"/proc/{pid}/task/{pid}/children")
    with suppress(OSError):  # it has ended
        return [int(word) for word in told.read_text().split()]
    return []


# --- Faults ---------------------------------------------------------------------------------------


ILLEGAL = {
    "divides": ("return 1 / 0", "exception: ZeroDivisionError"),
    "spends": ("return Bid(99)", "bid: 99 coins are not 0 to 12"),
    "spells": ("return Bid('x')", "bid must return Bid"),
    "halves": ("return Bid(1.5)", "bid must return Bid"),
    "lists": ("return [1]", "bid must return Bid, not [1]"),
    "nothing": ("return None", "bid must return Bid, not None"),
    "anything": ("return object()", "bid must return Bid"),
}
LEGAL = {"maps": "return {'coins': 1, 'more': [2]}"}


@pytest.mark.slow
def test_illegal_answers_lose_the_game(arena: Arena) -> None:
    for name, (bid, _) in ILLEGAL.items():
        bot(name, bid)
    for name, bid in LEGAL.items():
        bot(name, bid)
    dive(arena, players=2, games=2, bots=f"[{', '.join([*ILLEGAL, *LEGAL, 'careful'])}]")
    told = charged()
    assert {*told} == {*ILLEGAL}
    for name, (_, complaint) in ILLEGAL.items():
        assert complaint in told[name], name


@pytest.mark.slow
def test_move_that_is_no_index_loses_the_game(arena: Arena) -> None:
    bot("bad", "return Bid(view.coins[view.seat] // 2)", overboard="'first'")
    arena(
        "run",
        "r.yaml",
        "--quiet",
        yaml="game: salvage\nrules: {wrecks: 20, coins: 100, challenges: false}\nplayers: 2\n"
        "games: 2\nseed: 1\nbots: [bad, {bot: careful, share: 0.0}]\n",
    )
    assert "overboard must return an index" in faults("r")


@pytest.mark.slow
def test_nonsense_of_a_program_loses_the_game(arena: Arena) -> None:
    answers = ["[", "[]", '{"move": 1}', '{"answer": {"coins": NaN}}']
    bots = ["careful"]
    for number, answer in enumerate(answers):
        Path(f"prog{number}.py").write_text(
            'import sys\nsys.stdin.readline()\nprint(\'{"type": "ready"}\', flush=True)\n'
            f"for line in sys.stdin:\n    if 'bid' in line[:20]: print({answer!r}, flush=True)\n"
        )
        bots.append(f"{{command: [{sys.executable}, prog{number}.py], as: p{number}}}")
    dive(arena, players=2, games=2, bots=f"[{', '.join(bots)}]")
    told = charged()
    assert {*told} == {"p0", "p1", "p2", "p3"}
    assert all("illegal answer" in complaint for complaint in told.values())


@pytest.mark.slow
def test_a_game_that_a_bots_process_cannot_import_is_no_fault_of_the_bot(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH")  # where the package is, for new processes
    bots = "[{bot: pirate, isolate: processes}, drunk]"
    text = DIVE.format(name="dive", players=2, games=4, bots=bots)
    failed = arena("run", "dive.yaml", "--quiet", yaml=text, code=1)
    assert "no bot of salvage can be started" in failed.error
    assert "unknown game 'salvage'" in failed.error
    assert "misbehaved" not in failed.output and "fault" not in failed.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bid", "kind"),
    [("import time; time.sleep(60)", "too slow"), ("import os; os._exit(3)", "died")],
)
@pytest.mark.parametrize("isolate", ["processes", "false"])
def test_bots_that_hang_or_die_are_charged(arena: Arena, bid: str, kind: str, isolate: str) -> None:
    bot("bad", bid)
    text = DIVE.format(name="dive", players=2, games=2, bots="[bad, careful]")
    arena("run", "dive.yaml", "--quiet", yaml=f"{text}decision_limit: 0.3\nisolate: {isolate}\n")
    assert kind in faults()


# --- Requests -------------------------------------------------------------------------------------


def test_mistyped_game_is_the_only_complaint(arena: Arena) -> None:
    assert arena(
        "run", "t.yaml", code=2, yaml="game: salvag\nrules: standard\nbots: [careful, pirate]\n"
    ).output == (
        "t.yaml:1:7: unknown game 'salvag' (did you mean 'salvage'?); "
        f"games are {', '.join([*built_in(), 'salvage'])}\n"
    )


def test_bot_of_another_game_is_named(arena: Arena) -> None:
    told = arena("run", "t.yaml", code=2, yaml="game: salvage\nbots: [careful, rule28]\n").output
    assert told == "t.yaml:2:17: bot rule28 plays cantstop, not salvage\n"
    bot("diver")
    assert (
        "plays salvage, not cantstop"
        in arena("run", "t.yaml", code=2, yaml="bots: [rule28, bots/diver.py]\n").output
    )


# --- Games that fail ------------------------------------------------------------------------------

FRAIL = '''
from dataclasses import dataclass
from cantstop_arena import Bot, hookimpl
from cantstop_arena.games import Counts, Game, Question, Result, RuleBook, State, View, decision

game = "frail"

@dataclass(frozen=True)
class Rules:
    name: str = "standard"

{extra}
@decision
def go(view: {view}) -> int:
    """Return a number."""

class Frail(State):
    def __init__(self, deal):
        self.deal, self.over = deal, False
    def question(self):
        if self.over:
            return None
        {question}
        return Question("go", {{seat: self.deal.view(View, seat) for seat in self.deal.seats}})
    def answer(self, answers):
        self.over = True
        {answer}
        return []
    def result(self):
        players = self.deal.players
        points = [*range(-players, 0)]
        {result}
        return Result([*range(1, players)], points)

class FrailGame(Game):
    name, title, players = "frail", "Frail", range(2, 9)
    rules, hooks = RuleBook(Rules()), (go,)
    counts = Counts({counts})
    def begin(self, deal):
        return Frail(deal)

@hookimpl
def register_games():
    return [FrailGame()]

@hookimpl
def register_bots():
    return [Bot(name, lambda: Goer()) for name in "abcdefgh"]

class Goer:
    def go(self, view):
        return 1
'''
FRAIL_POINTS = """
[cantstop_arena.games]
frail = frail
[cantstop_arena]
frail-bots = frail
"""
COUNTS = "('points', 'decisions'), length='decisions', unit='decision', alone='decisions'"


@contextmanager
def frail(
    question: str = "pass",
    answer: str = "pass",
    result: str = "pass",
    counts: str = COUNTS,
    extra: str = "",
    view: str = "View",
) -> Iterator[None]:
    """A game in which these lines go wrong."""
    folder = Path("packages").absolute()
    folder.mkdir()
    text = FRAIL.format(
        question=question, answer=answer, result=result, counts=counts, extra=extra, view=view
    )
    (folder / "frail.py").write_text(text)
    described(folder, "frail", FRAIL_POINTS)
    with on_path(folder):
        yield


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "line", "told"),
    [
        ("answer", "raise KeyError(3)", "KeyError: 3"),
        *(
            pytest.param(*failure, marks=pytest.mark.slow)
            for failure in (
                ("question", "1 / 0", "ZeroDivisionError"),
                ("question", "return 'go'", "must return a Question, a Chance or None, not 'go'"),
                ("question", "return Question('og', {0: None})", "no hook is called 'og'"),
                (
                    "question",
                    "return Question('go', {7: None})",
                    "a Question goes to seat 7; seats are 0 to 1",
                ),
                ("result", "return Result([2])", "winners [2] are no seats"),
                ("result", "return Result([0], [1, 0.5])", "points must be a whole number"),
                ("result", "return Result([0], counts={'x': [1, 2]})", "the result counts 'x'"),
                ("result", "return Result([0])", "Frail counts points, but its result does not"),
            )
        ),
    ],
)
def test_game_that_fails_is_named_and_no_bot_is_charged(
    arena: Arena, where: str, line: str, told: str
) -> None:
    with frail(**{where: line}):
        printed = arena(
            "run",
            "t.yaml",
            "--quiet",
            code=1,
            yaml="game: frail\nplayers: 2\ngames: 2\nseed: 1\nbots: [a, b]\n",
        ).output
        assert told in printed and "Frail" in printed
        assert not Path("results/t/summary.json").exists()


@pytest.mark.slow
def test_replay_and_bench_name_a_game_that_fails(arena: Arena) -> None:
    with frail(answer="1 / 0"):
        Path("t.yaml").write_text("game: frail\nplayers: 2\ngames: 2\nseed: 1\nbots: [a, b]\n")
        for command in ("replay t.yaml a b --deal 0", "bench a --game frail"):
            assert "Frail fails in answer(), deal 0 (a" in arena(*command.split(), code=1).output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("list[int]", "(1, 2)", "Frail returned a value for go that cannot be sent to another"),
        pytest.param(
            "object", "object()", "the view of seat 0 cannot be written", marks=pytest.mark.slow
        ),
    ],
)
def test_view_that_cannot_travel_is_the_game_s_fault(
    arena: Arena, kind: str, value: str, message: str
) -> None:
    shown = f"return Question('go', {{0: self.deal.view(Shown, 0, told={value})}})"
    extra = f"@dataclass(frozen=True)\nclass Shown(View):\n    told: {kind}\n"
    with frail(question=shown, extra=extra, view="Shown"):
        told = arena(
            "run",
            "t.yaml",
            "--quiet",
            code=1,
            yaml="game: frail\nplayers: 2\ngames: 2\nseed: 1\nisolate: processes\nbots: [a, b]\n",
        ).output
        assert message in told


@pytest.mark.slow
def test_seven_share_a_win_at_a_table_of_eight(arena: Arena) -> None:
    with frail():
        bots = ", ".join("abcdefgh")
        arena(
            "run",
            "t.yaml",
            "--quiet",
            yaml=f"game: frail\nplayers: 8\ngames: 56\nseed: 1\nbots: [{bots}]\n",
        )
        rows = Path("results/t/standings.csv").read_text().splitlines()
        place = rows[0].split(",").index("score")
        assert [float(row.split(",")[place]) for row in rows[1:]] == pytest.approx([1 / 8] * 8)
        styles = Path("results/t/seats.csv").read_text()
        assert styles.count("\n") == 9


@pytest.mark.slow
def test_game_that_is_broken_is_listed_and_disturbs_nobody(arena: Arena) -> None:
    with frail(counts="('points',)"):
        told = arena("games").output
        assert "Cannot be used: frail" in told and "length of its Counts is 'turns'" in told
        assert "Salvage" in told
        assert (
            "game frail cannot be used"
            in arena("run", "t.yaml", code=2, yaml="game: frail\nbots: [a, b]\n").output
        )
        dive(arena, players=2, games=2)
