"""Seeds: numbers and texts up to 128 bits, and what becomes of a tournament that names none."""

import json
import shlex
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.seeds import bits_of, in_json, random_seed, seed_of
from cantstop_arena.games.cantstop.engine.game_array import new_game
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.tournaments.file import tournament_file
from cantstop_arena.tournaments.file.yaml_reader import dump
from cantstop_arena.tournaments.ledger.ledger_query import query_in

MASK = (1 << 64) - 1
NAME = int.from_bytes(b"cantstop")
CUP = "name: cup\ngames: 8\n{}bots: [rule28, random]\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def play(arena: Arena, *words: str, seed: str = "") -> Any:
    """The summary of a tournament of two built-in bots."""
    Path("cup.yaml").write_text(CUP.format(seed))
    return arena("run", "cup.yaml", "--quiet", "--no-page", "--workers", "1", *words).json


def files(folder: str) -> dict[str, bytes]:
    paths = (path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def secret(seed: int | str) -> tuple[int, int]:
    low, high = new_game(CLASSIC, 2, seed)[0].secret.tolist()
    return low, high


# What a seed is -----------------------------------------------------------------------------------


def test_small_numbers_keep_their_keys_and_large_ones_use_all_bits() -> None:
    assert [secret(number) for number in (0, 1980, 2**63 - 1)] == [
        (number, NAME) for number in (0, 1980, 2**63 - 1)
    ]
    assert secret(2**128 - 1) == (MASK, MASK ^ NAME)
    assert secret(5 << 64 | 7) == (7, 5 ^ NAME)


def test_a_text_is_hashed_under_a_name_of_its_own() -> None:
    digest = blake2b("Größe".encode(), digest_size=16, person=b"cantstop seed").digest()
    assert bits_of("Größe") == int.from_bytes(digest, "little")
    assert secret("Größe") != secret("Grösse")


@pytest.mark.parametrize(
    ("value", "seed"),
    [
        *[(0, 0), (2**128 - 1, 2**128 - 1), ("7", 7), (str(2**127), 2**127)],
        *[("07", "07"), ("0x7", "0x7"), ("yes", "yes"), (" ", " "), ("x" * 100, "x" * 100)],
        *[(-1, None), (2**128, None), (str(2**128), None), (1.5, None), (True, None)],
        *[(None, None), ("", None), ("x" * 101, None), ("a\nb", None), ("\x1b[2J", None)],
        *[(np.int64(7), 7), (np.bool_(True), None), (np.float64(7), None)],
        *[([7], None), ("9" * 5000, None), ("\udc80", None)],
    ],
)
def test_what_is_a_seed_and_what_is_not(value: object, seed: object) -> None:
    assert seed_of(value) == seed
    assert type(seed_of(value)) is type(seed)


@pytest.mark.parametrize("seed", [0, 2**53 + 1, 2**63 - 1, 2**63, 2**128 - 1, "evening", "0x10"])
def test_a_seed_comes_back_from_json_as_what_it_was(seed: int | str) -> None:
    assert seed_of(json.loads(json.dumps(in_json(seed)))) == seed


def test_a_drawn_seed_has_all_bits() -> None:
    many = [int(random_seed()) for _ in range(200)]
    assert len(set(many)) == 200
    assert all(any(number >> bit & 1 for number in many) for bit in range(128))
    assert not all(number >> bit & 1 for number in many for bit in range(128))


# Where it is named --------------------------------------------------------------------------------

WRITTEN = [
    *[("7", 7), ("'7'", 7), ("0x10", 16), ("1e6", 10**6), ("017", "017"), ("evening", "evening")],
    *[(str(2**100), 2**100), ("'0x10'", "0x10"), ('"a b"', "a b"), ("2024-05-01", "2024-05-01")],
]


@pytest.mark.parametrize(("word", "seed"), WRITTEN)
def test_a_seed_in_a_file_survives_being_spelled_out(word: str, seed: object) -> None:
    path = Path("cup.yaml")
    path.write_text(CUP.format(f"seed: {word}\n"))
    cup = tournament_file.read(path, Catalogue(Path("bots")))
    assert (cup.seed, cup.has_random_seed) == (seed, False)
    path.write_text(dump(cup.as_file(Path())))
    assert tournament_file.read(path, Catalogue(Path("bots"))).seed == seed
    assert query_in(cup.query.text).setting.deal_seed == seed


@pytest.mark.parametrize("word", ["1.5", "-1", "true", "[1]", str(2**128), "'a\x07'"])
def test_what_is_no_seed_is_refused_with_its_place(arena: Arena, word: str) -> None:
    assert (
        "cup.yaml:3:" in arena("run", "cup.yaml", code=2, yaml=CUP.format(f"seed: {word}\n")).output
    )


@pytest.mark.parametrize("word", ["1.5", "-1", "true", "", str(2**128)])
def test_what_is_no_seed_is_refused_on_the_command_line(arena: Arena, word: str) -> None:
    assert (
        "--seed must be a whole number from 0 to 2^128 - 1"
        in arena("run", "cup.yaml", f"--seed={word}", code=2, yaml=CUP.format("")).output
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2**127 + 1, "evening"])
def test_the_command_line_takes_what_a_file_does(arena: Arena, seed: int | str) -> None:
    one = play(arena, seed=f"seed: {seed}\n")
    assert one["seed"] == str(seed)
    ledger = Path("results/cup/ledger.sqlite").read_bytes()
    play(arena, "--fresh", "--seed", str(seed))
    assert Path("results/cup/ledger.sqlite").read_bytes() == ledger


# Where none is named ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_without_a_seed_goes_on_with_the_one_that_was_drawn(arena: Arena) -> None:
    one = play(arena)
    assert int(one["seed"]) >= 1 << 64, "once in 2**64 times it is not"
    more = play(arena, "--games", "16")
    whole = play(arena, "--fresh", "--games", "16", "--seed", one["seed"])
    assert more["seed"] == whole["seed"] == one["seed"]
    assert more["lineups"] == whole["lineups"]
    assert play(arena, "--fresh")["seed"] != one["seed"]


@pytest.mark.slow
def test_the_resolved_file_gives_all_of_it_again_to_the_byte(arena: Arena) -> None:
    play(arena)
    arena("run", "results/cup/tournament.yaml", "--quiet", "--no-page", "--results", "again")
    again, before = files("again/cup"), files("results/cup")
    del again["history.jsonl"], before["history.jsonl"]  # which have times
    assert again == before


def test_a_game_is_found_again_by_the_ledger_or_it_is_said_how(arena: Arena) -> None:
    seed = play(arena)["seed"]
    told = arena("replay", "cup.yaml", "rule28", "random", "--deal", "3", "--json").output
    assert json.loads(told.splitlines()[0])["seed"] == seed
    assert (
        told
        == arena(
            *("replay", "results/cup/tournament.yaml", "rule28", "random", "--deal", "3", "--json")
        ).output
    )
    Path("game.jsonl").write_text(told)
    assert f"seed {seed}, deal 3" in arena("replay", "game.jsonl").output
    Path("results").rename("elsewhere")
    error = arena("draw", "cup.yaml", "rule28", "random", "--deal", "3", code=2).output
    assert "cup.yaml names no seed" in error and "--seed" in error


@pytest.mark.slow
def test_the_command_that_plays_a_fault_again_names_the_seed(arena: Arena) -> None:
    Path("bots").mkdir()
    arena(
        "run",
        "cup.yaml",
        "--quiet",
        "--no-page",
        "--results",
        "deep",
        yaml="games: 8\nbots: [oops, rule28]\n",
        bots={
            "oops": "def choose_move(turn, moves):\n    return 0\n"
            "def roll_again(turn):\n    return 1 // (turn.number - 7) >= 0\n"
        },
    )
    (fault, *_) = json.loads(Path("deep/cup/summary.json").read_text())["faults"]
    assert "(seat" in arena(*shlex.split(fault["replay"])[1:]).output


@pytest.mark.slow
def test_a_comparison_has_one_seed_for_all_and_keeps_it(arena: Arena) -> None:
    Path("rules.yaml").write_text(
        "name: rules\ncompare: [classic, jump]\ngames: 8\nbots: [rule28, random]\n"
    )
    command = ("compare", "rules.yaml", "--quiet", "--no-page")
    arena(*command)
    parts = [f"results/rules/2-players/{rules}/tournament.yaml" for rules in ("classic", "jump")]
    seeds = {
        line for part in parts for line in Path(part).read_text().splitlines() if "seed" in line
    }
    before = json.loads(Path("results/rules/comparison.json").read_text())["seed"]
    assert seeds == {f"seed: {before}"}
    for path in Path(parts[1]).parent.iterdir():  # as if the first run had been cut off
        path.unlink()
    arena(*command)
    assert json.loads(Path("results/rules/comparison.json").read_text())["seed"] == before
    arena(*command, "--fresh")
    assert json.loads(Path("results/rules/comparison.json").read_text())["seed"] != before


def test_a_match_keeps_the_seed_that_was_drawn(arena: Arena) -> None:
    def seed() -> str:
        arena("match", "rule28", "random", "--games", "8", "--quiet")
        found: str = json.loads(Path("results/rule28-vs-random/match.json").read_text())["seed"]
        return found

    assert seed() == seed()


@pytest.mark.slow
def test_results_of_numbers_texts_and_drawn_seeds_are_rated_together(arena: Arena) -> None:
    for name, seed in (("a", "seed: 7\n"), ("b", "seed: evening\n"), ("c", "")):
        Path(f"{name}.yaml").write_text(f"games: 8\n{seed}bots: [rule28, random]\n")
        arena("run", f"{name}.yaml", "--quiet", "--no-page")
    arena("rate", *(f"results/{name}" for name in "abc"), "--output", "all")
    told = json.loads(Path("all/summary.json").read_text())
    assert (told["seed"], told["games"]) == (None, 24)
