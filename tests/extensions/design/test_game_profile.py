"""Profiles of games, and the playouts that they rest on."""

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from importlib import import_module
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.game_packages import examples, installed_game
from msgspec.structs import replace

import cantstop_arena as ca
from cantstop_arena.comparisons.statistics import Ratio
from cantstop_arena.errors import FaultError
from cantstop_arena.extensions.design.game_profile import (
    GAMES_TO_TELL,
    ProfileRow,
    games_until_clear,
    ladder,
    quotient,
)
from cantstop_arena.extensions.design.playouts import (
    NoPlayouts,
    PlayoutAnalysis,
    Playouts,
    max_playouts,
    result_of,
)
from cantstop_arena.extensions.design.profile_report import profile_headline
from cantstop_arena.extensions.design.profile_tables import profile_table
from cantstop_arena.extensions.design.quantities import Quantity, luck_of, mean_of, ratio_of
from cantstop_arena.game_api.position import Position
from cantstop_arena.game_api.state_position import StatePosition
from cantstop_arena.games.registry import game_named
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.table.position_with_bots import SeatedPlayers, play_on
from cantstop_arena.table.seated_bot import SeatedBot

POKER = "kuhn-poker"
SEATS = [(0, 1), (1, 0)]

STREAMS = '''
from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.games import Counts, Game, Question, Result, RuleBook, State, View, decision


@dataclass(frozen=True)
class Rules:
    name: str = "standard"


@decision
def call(view: View, moves) -> int:
    """Return the index of a move."""


class Toss(State):
    """Two tosses, each called by a seat; who is right wins."""

    def setup(self):
        self.right = []

    def question(self):
        return Question("call", len(self.right), [0, 1]) if len(self.right) < 2 else None

    def answer(self, answers):
        ((seat, index),) = answers.items()
        self.right.append(index == self.deal.stream("coin", seat).below(2))

    def result(self):
        return Result([seat for seat, right in enumerate(self.right) if right])


class Coins(Game):
    name, title, players = "coins", "Coins", range(2, 3)
    rules, hooks, state = RuleBook(Rules()), (call,), Toss
    counts = Counts(("decisions",), length="decisions", unit="decision", alone="decisions")


@hookimpl
def register_games():
    return [Coins()]

'''


OF_COINS = {
    name: f'game = "coins"\n\n\ndef call(view, moves):\n    return {answer}\n'
    for name, answer in (("heads", 0), ("faulty", 7))
}


installed = examples("kuhn_poker")


def bots() -> list[SeatedBot]:
    """Two bots that draw no random numbers."""
    module = import_module("kuhn_poker.bots")
    return [
        SeatedBot("honest", module.Honest(), ""),
        SeatedBot("caller", module.Caller(), ""),
    ]


def exact_value(position: Position, seats: Sequence[int], seated: list[SeatedBot]) -> Any:
    """The exact chances of both seats to win, by trying every draw."""
    if position.is_over:
        return np.array(result_of(position, [(0,), (1,)]))
    if position.is_chance:
        values = []
        for outcome, chance in position.outcomes():
            after = position.clone()
            after.give(outcome)
            values.append(chance * exact_value(after, seats, seated))
        return sum(values)
    after = position.clone()
    players = SeatedPlayers(game_named(POKER), [seated[bot] for bot in seats], position.rules, 1)
    players.play(after)
    return exact_value(after, seats, seated)


def start() -> Position:
    game = game_named(POKER)
    return game.position(game.rules.default, 2, track=False)


@pytest.mark.slow
def test_playouts_value_a_position_without_bias() -> None:
    playouts = Playouts(game_named(POKER), bots(), 2000, seed=1)
    for seats in SEATS:
        values = playouts.values(start(), seats)
        exact = exact_value(start(), seats, bots())
        assert values.sum(axis=1) == pytest.approx(1)
        assert values == pytest.approx(np.array([exact, exact]), abs=0.045)  # 4 standard errors
    assert playouts.played == 8000


@pytest.mark.slow
def test_the_variance_of_results_is_that_of_the_draws() -> None:
    """Values are a martingale that only draws move: Var(result) = E sum Var(V at the draws)."""
    analysis = PlayoutAnalysis(
        game_named(POKER), game_named(POKER).rules.default, bots(), 16, seed=1
    )
    found = [analysis.game_of(number, SEATS[number % 2]) for number in range(200)]
    luck = mean_of([game.luck or 0.0 for game in found])
    chances = [exact_value(start(), seats, bots())[0] for seats in SEATS]
    variance = np.mean([chance * (1 - chance) for chance in chances])
    low, high = luck.interval()
    assert low <= variance <= high
    assert high - low < 0.04


def test_exact_values_take_the_place_of_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    game, seats = game_named(POKER), (0, 1)
    monkeypatch.setattr(
        type(game), "value", lambda self, position: exact_value(position, seats, bots())
    )
    analysis = PlayoutAnalysis(game, game.rules.default, bots(), 16, seed=1)
    found = [analysis.game_of(number, seats) for number in range(40)]
    assert not any(game.playouts for game in found)
    chance = exact_value(start(), seats, bots())[0]
    lucky = [game.luck or 0.0 for game in found]
    assert min(lucky) >= 0
    assert np.mean(lucky) == pytest.approx(chance * (1 - chance), abs=0.03)


def test_a_game_is_analysed_alike_by_its_number() -> None:
    game = game_named(POKER)
    analysis = PlayoutAnalysis(game, game.rules.default, bots(), 4, seed=3)
    assert analysis.game_of(5, (0, 1)) == analysis.game_of(5, (0, 1))
    assert analysis.game_of(5, (0, 1)) != analysis.game_of(6, (0, 1))


def seated_for_cantstop(*names: str) -> list[SeatedBot]:
    """Built-in bots of Can't Stop, as playouts have them."""
    from cantstop_arena.bots.loader import Loader
    from cantstop_arena.tournaments.bot_adapters import seat_bot
    from cantstop_arena.tournaments.table_spec import bot_start

    game, loader = game_named("cantstop"), Loader(Path())
    starts = [bot_start(name, loader.find(name, game), {}) for name in names]
    return [seat_bot(start, loader, as_plain=True) for start in starts]


def test_draws_of_many_outcomes_are_sampled() -> None:
    """Can't Stop's rolls: 126 outcomes."""
    game, seated = game_named("cantstop"), seated_for_cantstop("random", "random")
    rules = game.rules.derive(game.rules.default, {"columns_to_win": 1, "turn_limit": 20})
    found = PlayoutAnalysis(game, rules, seated, 1, seed=1).game_of(0, (0, 1))
    assert found.luck is not None
    assert found.playouts <= max_playouts(1)


def test_bots_of_cantstop_play_on_in_machine_code_as_in_python() -> None:
    game, seated = game_named("cantstop"), seated_for_cantstop("rule28", "cautious")
    position = game.position(game.rules.default, 2)
    kinds = set()
    for seed in range(12):  # at rolls that are due, and at both decisions
        kinds.add(position.decision)
        ended, slowly = (
            function(position, seed, seated) for function in (game.play_on, partial(play_on, game))
        )
        assert ended.is_over
        assert ended.winners == slowly.winners
        assert ended.view(0).number == slowly.view(0).number
        assert ended.view(0).markers == slowly.view(0).markers
        if position.is_chance:
            position.give(120 - 9 * seed)
        else:
            position.step(position.legal[-1])
    assert kinds == {"", "choose_move", "roll_again"}


def test_who_fails_while_playing_on_is_named() -> None:
    def fail(*arguments: Any) -> int:
        raise KeyError(8)

    game = game_named("cantstop")
    faulty = BotFunctions(choose_move=fail, roll_again=fail)
    seated = [*seated_for_cantstop("rule28"), SeatedBot("faulty", faulty, "")]
    with pytest.raises(FaultError, match="faulty cannot play: KeyError: 8"):
        game.play_on(game.position(game.rules.default, 2), 1, seated)


@pytest.fixture
def coins(tmp_path: Path) -> Iterator[None]:
    """A game that draws from streams."""
    with installed_game(tmp_path, "coins", STREAMS):
        yield


@pytest.mark.usefixtures("coins")
def test_a_game_that_draws_from_streams_has_no_playouts() -> None:
    game = game_named("coins")
    heads = SeatedBot("heads", BotFunctions(call=lambda view, moves: 0), "")
    analysis = PlayoutAnalysis(game, game.rules.default, [heads, heads], 4, seed=1)
    with pytest.raises(NoPlayouts, match=r"Coins draws from deal\.stream"):
        analysis.game_of(0, (0, 1))
    assert analysis.choices_of(0, (0, 1)).choices == (2, 2)


def test_an_optional_decision_is_not_taken_by_none(tmp_path: Path) -> None:
    code = STREAMS.replace("@decision\n", "@decision(optional=True)\n").replace("coins", "passes")
    with installed_game(tmp_path, "passes", code):
        game = game_named("passes")
        position = StatePosition(game, game.rules.default, 2, seed=1)
        position.take(None)
        position.take(1)
        assert position.is_over
        assert 0 not in position.winners
        assert type(position).loads(game, position.dumps()).winners == position.winners


@pytest.mark.slow
def test_a_profile_has_rows_with_intervals() -> None:
    found = ca.profile(["honest", "caller"], game=POKER, games=30, playouts=4)
    values = found.values
    assert list(values)[:2] == ["luck", "games_to_tell"]
    low, high = values["luck"].low, values["luck"].high
    assert low is not None
    assert high is not None
    assert low < 0.89 < high  # 1 - (2 * 2/3 - 1)^2: honest wins a third
    assert values["luck_leverage"].mean == pytest.approx(0.222, abs=0.04)
    assert "All rows describe the game as honest and caller play it." in found.table.notes
    assert found.table.rows[0]["row"] == "luck"
    assert found.profile.analysed == 30


@pytest.mark.slow
def test_workers_of_any_number_find_the_same() -> None:
    one, two = (
        ca.profile(["honest", "caller"], game=POKER, games=8, playouts=2, workers=workers)
        for workers in (1, 2)
    )
    assert one.profile == two.profile


@pytest.mark.slow
def test_arena_profile_prints_the_table(arena: Arena) -> None:
    done = arena("profile", "--game", POKER, "--games", "4", "--playouts", "1", "--seed", "7")
    headline, _, table = done.text.split("\n", 2)
    assert headline.startswith("Kuhn poker leaves ")
    assert table.startswith("Kuhn poker (standard), 2 seats: balanced, honest, caller\n")
    assert "luck in a single game, %" in done.text
    csv = arena("profile", "honest", "caller", "--game", POKER, "--games", "4", "--format", "csv")
    assert csv.text.startswith("row,label,value,value_low,value_high\nluck,")


@pytest.mark.slow
def test_terminal_json_page_and_python_have_the_same_headline(arena: Arena) -> None:
    words = ["honest", "caller", "--game", POKER, "--games", "6", "--playouts", "1"]
    done = arena("profile", *words, "--format", "json", "--html", "profile.html")
    found = ca.profile(["honest", "caller"], game=POKER, games=6, playouts=1)
    assert json.loads(done.text)["headline"] == found.headline
    assert json.loads(done.text)["profile"]["rows"] == found.table.rows
    html = Path("profile.html").read_text("utf-8")
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", html)
    assert heading
    assert heading[1] == found.headline
    assert escape(found.command) in html
    again = arena(*shlex.split(found.command)[1:])
    assert again.text.startswith(f"{found.headline}.\n")


def scores_of(chances: Sequence[float], deals: int = 600) -> list[Quantity]:
    """Scores that are as likely as these, the same in all runs, from two games a deal."""
    rng = np.random.default_rng(5)
    return [mean_of(rng.binomial(2, chance, deals) / 2, is_share=True) for chance in chances]


@pytest.mark.parametrize("pairs", [1, 15, 66])
def test_the_ladder_of_equals_may_be_0(pairs: int) -> None:
    """With the interval of a pair that was not chosen it begins above 0 for 15 pairs and 66."""
    scores = scores_of([0.5] * pairs)
    low, high = (ladder(scores).low, ladder(scores).high)
    assert low == 0
    chosen = max(scores, key=lambda score: abs(score.value - 0.5))
    low, high = chosen.interval()
    assert (low < 0.5 < high) == (pairs == 1)


def test_the_ladder_of_bots_far_apart_is_that_of_the_last() -> None:
    elo = ladder(scores_of([0.6, 0.9, 0.1, 0.55]))
    assert elo.low is not None and elo.high is not None
    assert 340 < elo.low < 400 * log10(9) < elo.high < 460
    assert ladder(scores_of([1.0])).mean is None


@pytest.mark.parametrize("lead", [0, 1, 12, 60, 600])
def test_luck_near_a_half_has_the_interval_of_the_score(lead: int) -> None:
    won = np.ones(600) / 2
    won[: 150 + lead // 2], won[300 : 450 - lead // 2] = 1.0, 0.0
    score = mean_of(won, is_share=True)
    luck = luck_of([score])
    assert luck
    low, high = luck.interval()
    farthest = max(abs(2 * end - 1) for end in score.interval())
    assert low == pytest.approx(1 - farthest**2, abs=4 * score.error**2 + 1e-12)
    contains_half = score.interval()[0] <= 0.5 <= score.interval()[1]
    assert (high == 1) == contains_half
    games = games_until_clear(luck.estimate())
    assert games.low is not None and games.low > 1
    assert (games.high is None) == contains_half


def test_few_games_have_the_quotient_of_student_and_many_that_of_a_bootstrap() -> None:
    rng = np.random.default_rng(2)
    for games, widened in ((8, 1.0), (40, 1.05)):
        below = np.exp(rng.normal(size=games))
        above = below * np.exp(rng.normal(size=games))
        student = ratio_of(Ratio(above, below))
        assert student
        low, high = student.interval()
        estimate = quotient(above, below)
        assert estimate.low is not None and estimate.high is not None
        assert estimate.mean == student.value
        if widened == 1:
            assert (estimate.low, estimate.high) == (low, high)
        else:  # the numbers above are farther from the mean than those below
            assert estimate.high - student.value > widened * (high - student.value)
    assert quotient(np.zeros(40), np.ones(40)) == Estimate(0.0)
    assert quotient(np.zeros(40), np.zeros(40)) == Estimate(None)


@pytest.mark.slow
def test_a_game_of_luck_alone_shows_nobody_to_be_better() -> None:
    profile = ca.profile(["honest", "caller"], game=POKER, games=6, playouts=1).profile
    luck, *rest = profile.rows
    for value in (Estimate(0.98, 0.9, 1.06), Estimate(1.02, 0.95, 1.1)):
        rows = (replace(luck, value=value), *(row for row in rest if row.key != GAMES_TO_TELL))
        headline = profile_headline(replace(profile, rows=rows))
        assert headline.endswith("of a game to luck; it stays open who is better")
        games = ProfileRow(GAMES_TO_TELL, "games", Estimate(None, 14.8, None), 0)
        headline = profile_headline(replace(profile, rows=(*rows, games)))
        assert headline.endswith("it stays open who is better, which takes 15 games or more")
        assert profile_table(profile, [games]).rows == [["games", "from 15"]]
    shown = profile_headline(replace(profile, rows=tuple(rest)))
    assert shown.endswith("decisions a game")


@pytest.mark.slow
@pytest.mark.usefixtures("coins")
def test_what_cannot_be_told_is_left_out_with_the_reason(arena: Arena) -> None:
    done = arena("profile", "heads", "--game", "coins", "--games", "4", bots=OF_COINS)
    assert "luck leverage" not in done.text
    assert "legal moves, where there is a choice" in done.text
    assert (
        "Rows from playouts are left out: Coins draws from deal.stream, so its chance cannot be"
        " drawn anew." in done.text
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("nobody --game kuhn-poker", 2, "unknown bot 'nobody'"),
        ("honest caller --game kuhn-poker --players 3", 2, "players must be a whole number from 2"),
        ("honest --game kuhn-poker --rules wild", 2, "unknown rules 'wild'"),
        ("faulty --game coins", 1, "faulty cannot play: "),
    ],
)
@pytest.mark.usefixtures("coins")
def test_what_is_wrong_is_said(arena: Arena, words: str, code: int, message: str) -> None:
    done = arena(f"profile {words}", code=code, bots=OF_COINS)
    assert message in done.error
    assert "Traceback" not in done.error
