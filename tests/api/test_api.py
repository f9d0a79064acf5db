"""The arena in Python: what calls return, refuse and leave alone."""

import ast
import copy
import pickle
import pkgutil
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.api.matches import planned_match
from cantstop_arena.api.tournaments import gauntlet
from cantstop_arena.processes import process_tree

FACE = Path(ca.__file__).with_suffix(".pyi")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> ca.Results:
    """Three built-in bots, whose results lie in a folder of their own."""
    folder = tmp_path_factory.mktemp("results")
    bots = ["rule28", "cautious", "random"]
    return ca.tournament(bots, games=20, seed=7, name="evening", results=folder).run()


# --- The face -------------------------------------------------------------------------------------


def test_importing_the_package_imports_nothing_that_is_large() -> None:
    told = "import cantstop_arena, sys; print({'numpy', 'click', 'yaml'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_every_name_of_the_face_is_there_and_its_types_are_told() -> None:
    assert all(getattr(ca, name) for name in ca.__all__)
    imported = (
        node for node in ast.parse(FACE.read_text()).body if isinstance(node, ast.ImportFrom)
    )
    assert {alias.asname for node in imported for alias in node.names} == {*ca.__all__}


def test_names_that_are_not_offered_are_attribute_errors() -> None:
    assert callable(ca.tournament) and callable(ca.compare)
    with pytest.raises(AttributeError, match="nothing"):
        _ = ca.nothing  # type: ignore[attr-defined]


# --- Tables ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_tables_become_frames_of_every_library(played: ca.Results) -> None:
    for table in (played.standings, played.crosstable, played.pairs, played.seats, played.fit):
        arrow = table.to_arrow().to_pylist()
        assert arrow == table.to_polars().to_dicts() == table.rows
        assert [*table.to_pandas().columns] == table.columns


@pytest.mark.slow
def test_whole_numbers_stay_whole_and_what_is_missing_is_missing(played: ca.Results) -> None:
    frame = played.standings.to_pandas()
    assert frame["games"].dtype == "int64" and frame["superiority"].isna().sum() == 1
    assert played.standings["games"] == [40, 40, 40]
    assert len(played.faults) == 0 and played.faults.to_pandas().empty
    assert "Elo" in played.standings._repr_html_() and "<table>" in played._repr_html_()
    page = played.page(height=300)
    content = page._repr_html_()
    assert page.file.name == "report.html"
    assert content.startswith('<iframe srcdoc="&lt;!') and 'height="300"' in content


def test_a_library_that_is_missing_is_named(
    played: ca.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ca.ArenaError, match=r"polars is not installed: .*cantstop-arena\[data\]"):
        played.standings.to_polars()


def test_show_prints_what_is_asked_for_and_nothing_else_prints(
    played: ca.Results, capfd: pytest.CaptureFixture[str]
) -> None:
    ca.open(str(played.folder))
    assert capfd.readouterr() == ("", "")
    played.show("standings")
    assert capfd.readouterr().out.startswith("Standings")
    with pytest.raises(ca.UsageError, match="unknown table 'nothing'"):
        played.show("nothing")


# --- Playing --------------------------------------------------------------------------------------


def test_python_and_the_command_write_the_same(arena: Arena, played: ca.Results) -> None:
    arena(
        "run",
        "evening.yaml",
        "--quiet",
        yaml="games: 20\nseed: 7\nbots: [rule28, cautious, random]\n",
    )
    assert played.folder is not None
    for name in ("ledger.sqlite", "summary.json", "standings.csv", "games/longest.jsonl"):
        assert (played.folder / name).read_bytes() == Path("results/evening", name).read_bytes()


def test_the_same_tournament_is_found_again_and_another_one_is_not() -> None:
    def folder(**changed: Any) -> Path:
        return ca.tournament(["rule28", ca.bot("random")], **changed).folder

    assert folder() == folder() == folder(games=50), "it goes on"
    different: list[Mapping[str, Any]] = [{"seed": 1}, {"rules": "jump"}, {"decision_limit": 2}]
    assert len({folder(), *(folder(**one) for one in different)}) == 4


def test_an_edited_bot_finds_the_games_of_the_others(tmp_path: Path) -> None:
    file = tmp_path / "edited.py"
    folders = set()
    for rolls in (1, 2):
        file.write_text(
            "def choose_move(turn, moves):\n    return 0\n"
            f"def roll_again(turn):\n    return turn.rolls < {rolls}\n"
        )
        folders.add(ca.tournament(["rule28", file]).folder)
    assert len(folders) == 1


def test_what_cannot_be_played_is_refused_in_sentences() -> None:
    for wrong, told in (
        ({"games": 0, "players": 9}, "players must be .*\ngames must be"),
        ({"rules": "clasic"}, "did you mean 'classic'"),
        ({"rules": {"runers": 2}}, "unknown key 'runers'"),
        ({"rules": 3}, "rules must be a name, a mapping or a rule set, not 3"),
        ({"seed": ()}, "seed must be a whole number"),
        ({"until": {"elo": 3}}, "unknown key 'elo'"),
        ({"players": 3}, "3 players need at least 3 bots, not 2"),
        ({"name": "../up"}, "name must be"),
        ({"anchor": {"odds": 1500}}, "unknown bot 'odds'"),
    ):
        with pytest.raises(ca.UsageError, match=told):
            ca.tournament(["rule28", "random"], **wrong)
    with pytest.raises(ca.UsageError, match="two bots have the name 'rule28'"):
        ca.tournament(["rule28", "rule28"])
    with pytest.raises(ca.BotError, match=r"rule28: unknown option 'speed'"):
        ca.tournament([ca.bot("rule28", speed=1), "random"])
    with pytest.raises(ca.UsageError, match="bots must be a list"):
        ca.tournament("rule28")
    with pytest.raises(ca.UsageError, match="start_method must be"):
        ca.tournament(["rule28", "random"]).run(start_method="magic")


WRONG_CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: ca.tournament(["rule28", "odds"], game=10), "game must be the name of a game"),  # type: ignore[arg-type]
    (lambda: ca.tournament("rule28"), r"must be a list of bots, like \['rule28', 'random'\]"),
    (lambda: ca.tournament(5), "bots must be a list of bots"),  # type: ignore[arg-type]
    (lambda: ca.tournament(["rule28", "odds"], until=5), "until must be a mapping"),  # type: ignore[arg-type]
    (lambda: ca.tournament(["rule28", "odds"], anchor=[1]), "anchor must be a mapping"),  # type: ignore[arg-type]
    (lambda: ca.tournament(["rule28", "odds"], name=5), "name must be text"),  # type: ignore[arg-type]
    (lambda: ca.gauntlet("rule28", "odds"), "against must be a list of bots"),
    (lambda: ca.match("rule28", "odds", sprt=5), "sprt needs two numbers .* not 5"),  # type: ignore[arg-type]
    (lambda: ca.bot("rule28", treshold=2), "did you mean 'threshold'"),
    (lambda: ca.bot(Steady, rols=2), "did you mean 'rolls'"),
    (lambda: ca.compare(["rule28"]), "rules must be a list of rule sets"),
    (lambda: ca.compare(["rule28"], rules="classic"), "rules must be a list of rule sets"),
    (lambda: ca.compare(["rule28"], rules=["classic", "jmp"]), "did you mean 'jump'"),
    (lambda: ca.compare([], rules=["classic", "jump"]), "needs at least 1 bot"),
    (lambda: ca.compare("x.yaml", rules=["classic", "jump"]), "rules: x.yaml is a file"),
]


class Steady:
    """A bot of the caller."""

    def __init__(self, rolls: int = 3) -> None:
        self.rolls = rolls


@pytest.mark.parametrize(("call", "message"), WRONG_CALLS)
def test_wrong_arguments_are_refused_at_once(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ca.UsageError, match=message):
        call()


def test_the_list_that_is_proposed_is_played() -> None:
    with pytest.raises(ca.UsageError) as refused:
        ca.tournament("rule28")
    proposed = re.findall(r"like (\[.*?\])", str(refused.value))[0]
    assert ca.tournament(ast.literal_eval(proposed)).tournament.players == 2


def test_an_unknown_column_is_refused_with_the_columns(played: ca.Results) -> None:
    with pytest.raises(KeyError, match="did you mean 'elo'") as refused:
        played.standings["eloo"]
    assert isinstance(refused.value, ca.UsageError)
    assert str(refused.value).endswith(", ".join(played.standings.columns))


@pytest.mark.slow
def test_bots_under_several_rules_are_compared_as_a_file_says_it(arena: Arena) -> None:
    compared = ca.compare(["rule28", ca.bot("odds")], rules=["classic", "jump"], games=20, seed=3)
    again = ca.compare(["rule28", "odds"], rules=["classic", "jump"], games=24, seed=3)
    assert again.folder == compared.folder, "more games continue the same comparison"
    keys = "games: 24\nseed: 3\ncompare: [classic, jump]\nbots: [rule28, odds]\n"
    arena("compare jumps.yaml --quiet --no-page", yaml=keys)
    with Path("results/jumps/comparison.csv").open() as file:
        from_file = file.read()
    assert (again.folder / "comparison.csv").read_text() == from_file


def test_no_module_hides_a_public_function() -> None:
    """Else `help(ca.tournament)`, once the module is imported, would describe the module."""
    modules = {module.name for module in pkgutil.iter_modules(ca.__path__)}
    assert not modules & {*ca.__all__}


def test_numbers_of_numpy_are_numbers() -> None:
    odd = ca.bot("rule28", threshold=np.int64(24))
    numbers: dict[str, Any] = {"games": np.int64(50), "seed": np.uint8(3)}
    planned = ca.tournament([odd, "random"], **numbers)
    assert (planned.tournament.games, planned.tournament.seed) == (50, 3)
    assert "threshold: 24" in planned.text


ARRAYS = [
    *(np.array, tuple, iter, lambda names: [np.str_(name) for name in names]),
    lambda names: pytest.importorskip("pandas").Series(names),
]


@pytest.mark.parametrize("kind", ARRAYS)
def test_bots_stand_in_any_sequence(kind: Callable[[list[str]], Any]) -> None:
    planned = ca.tournament(kind(["rule28", "random", "odds"]), exclude=kind(["cautious"]))
    assert [entrant.name for entrant in planned.tournament.entrants] == ["rule28", "random", "odds"]
    assert "- {bot: odds, as: odds}" in planned.text
    assert gauntlet("rule28", kind(["odds"])).name == "gauntlet-rule28"


def test_bots_are_mappings_as_in_a_file() -> None:
    bot = {"bot": "rule28", "as": "mine", "threshold": 24}
    program = {"command": sys.executable, "as": "snake"}
    own = {"bot": Steady, "rols": 2, "as": "steady"}
    planned = ca.tournament([bot, program, "odds"])
    assert "{bot: rule28, as: mine, threshold: 24" in planned.text and "snake" in planned.text
    assert planned_match(bot, {"bot": "odds"}).name == "mine-vs-odds"
    assert gauntlet(bot, [{"bot": "odds"}]).name == "gauntlet-mine"
    for wrong, message in (
        (own, "did you mean 'rolls'"),
        ({"as": "mine"}, "a bot in a mapping is {'bot': NAME OR PATH"),
        ({**bot, "command": "x"}, "a bot in a mapping is {'bot': NAME OR PATH"),
        ({"bot": 3}, "a bot is a name, a path"),
        ({**bot, "as": 5}, "the name of a bot"),
        ({**bot, "isolate": "maybe"}, "isolate must be"),
        ({**bot, "needs": "nowhere"}, "no file or folder 'nowhere'"),
        ({**bot, "threshold": [1, 2]}, "threshold must be a whole number"),
    ):
        with pytest.raises(ca.UsageError, match=message):
            ca.tournament([wrong, "odds"])


COPIES = [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]


@pytest.mark.parametrize("copied", COPIES)
def test_results_tables_and_plans_are_copied(
    played: ca.Results, copied: Callable[[Any], Any]
) -> None:
    assert played.standings and played.pairs and played.seats and played.styles
    again = copied(played)
    assert again.summary == played.summary and again.text() == played.text()
    assert copied(played.standings).rows == played.standings.rows
    assert copied(played.standings)._repr_html_() == played.standings._repr_html_()
    game = copied(next(played.games("rule28")))
    assert repr(game) == repr(next(again.games(np.array(["rule28"]))))
    planned = ca.tournament(["rule28", "odds"], games=4, name="planned")
    assert copied(planned).text == planned.text
    rated = ca.rate(played.folder or "", played.folder or "")
    assert copied(rated).text() == rated.text()


def test_rule_sets_are_said_by_name_by_change_and_as_they_are() -> None:
    jump = ca.tournament(["rule28", "random"], rules="jump").tournament.rules
    assert ca.tournament(["rule28", "random"], rules=jump).tournament.rules == jump
    changed = {"base": "jump", "columns_to_win": 2}
    assert ca.tournament(["rule28", "random"], rules=changed).tournament.rules.columns_to_win == 2


def test_folders_of_matches_and_gauntlets_tell_the_rules_alike() -> None:
    match = planned_match("rule28:threshold=30", "odds", rules="jump")
    assert match.name == "rule28_threshold-30-vs-odds-jump"
    assert gauntlet("rule28:threshold=30", ["odds"]).name == "gauntlet-rule28_threshold-30"
    assert gauntlet("odds", rules="jump").name == "gauntlet-odds-jump"


@pytest.mark.slow
def test_threads_play_side_by_side_and_a_match_says_who_is_better() -> None:
    found: list[float | None] = []

    def play(seed: int) -> None:
        results = Path(f"results-{seed}")
        match = ca.match("rule28", "random", games=20, seed=seed, results=results)
        found.append(match.score)

    threads = [threading.Thread(target=play, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and all(score is not None and score > 0.5 for score in found)


def test_a_thread_ends_no_processes_that_another_one_looks_after() -> None:
    sleepers = []
    with process_tree.end_orphans_after():
        for _ in range(2):
            sleepers.append(subprocess.Popen(["sleep", "60"], start_new_session=True))
        process_tree.supervised.add(sleepers[0].pid)
    try:
        assert sleepers[0].poll() is None
        assert not Path(f"/proc/{sleepers[1].pid}").exists()
    finally:
        process_tree.supervised.discard(sleepers[0].pid)
        sleepers[0].kill()


STOPPED = """
import signal
import cantstop_arena as ca
from cantstop_arena.tournaments.run_observer import RunObserver

class Heard(RunObserver):
    def on_progress(self, games):
        signal.raise_signal(signal.SIGINT)

tournament = ca.tournament(["rule28", "cautious"], games=10**6, seed=1, name="long")
try:
    tournament.run(workers=1, progress=lambda name: Heard())
except ca.Interrupted:
    print(ca.open("results/long").games_played > 0)
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("as before")
"""


@pytest.mark.slow
def test_ctrl_c_is_an_exception_and_what_was_played_is_kept() -> None:
    words = [sys.executable, "-c", STOPPED]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["True", "True", "as before", ""]
    assert done.stderr == ""


# --- Games ----------------------------------------------------------------------------------------


def test_games_know_their_winners_and_play_again(played: ca.Results) -> None:
    games = list(played.games(("random", "rule28")))
    assert len(games) == 20 and {game.deal for game in games} == {*range(10)}
    won = sum(game.winner == "rule28" for game in games)
    (score,) = (
        row["score"] for row in played.pairs if (row["bot"], row["against"]) == ("rule28", "random")
    )
    assert won / 20 == score
    opening, *_, end = games[3].events
    assert tuple(opening["seats"]) == games[3].seats and opening["deal"] == games[3].deal
    assert [games[3].seats[seat] for seat in end["winners"]] == [*games[3].winners]
    assert games[3].text.count("\n") > 10
    with pytest.raises(ca.UsageError, match="no bot 'odds' played"):
        played.games(("odds",))


@pytest.mark.slow
def test_a_list_of_games_is_a_data_frame(played: ca.Results) -> None:
    pandas = pytest.importorskip("pandas")
    assert played.folder is not None
    opened = ca.open(played.folder)
    assert isinstance(opened, ca.Results)
    games = list(opened.games(("random", "rule28")))
    frame = pandas.DataFrame(games)
    assert [*frame["deal"]] == [game.deal for game in games]
    assert [*frame["winners"]] == [game.winners for game in games]


def test_results_rated_together_have_no_folder(played: ca.Results) -> None:
    assert played.folder is not None
    both = ca.rate(played.folder, played.folder, anchor={"random": 1000})
    assert both.standings["elo"][-1] == 1000
    with pytest.raises(ca.UsageError, match="open a single one"):
        both.games()
    with pytest.raises(ca.ArenaError, match="There is no folder"):
        ca.open("nowhere")
