"""What a run will play, in a line that programs can read, too."""

from cantstop_arena.tournaments.ledger.cover import QueryPlan


def plan_text(plan: QueryPlan, aim: str = "") -> str:
    """What the ledger has of the lineups, and what will be played.

    The number of games of a run with an `aim` is not known before it.
    """
    if aim:
        started = plan.complete + plan.partial
        return f"plays until {aim}{_in_ledger(plan, started) if started else ''}."
    if not plan.games:
        return f"{_all(plan)} in the ledger; nothing to play."
    games = f"{plan.games:,} {'game' if plan.games == 1 else 'games'}"
    if not (plan.complete or plan.partial):
        return f"playing {_lineups(plan, plan.groups)} ({games})."
    if plan.groups == 1:
        noun = lineup_noun(plan.players, 1)
        return f"the {noun} is in the ledger in part; playing {games}{_again(plan)}."
    stored = f"{plan.complete:,} of {_lineups(plan, plan.groups)} are in the ledger"
    if not plan.partial:
        return f"{stored}; playing {plan.groups - plan.complete:,} ({games})."
    return f"{stored}, {plan.partial:,} in part; playing {games}{_again(plan)}."


def _again(plan: QueryPlan) -> str:
    """How many of the games have been played before, and why they are played again."""
    if not plan.again:
        return ""
    share = " again" if plan.again == plan.games else f", {plan.again:,} of them again"
    return f"{share}, as they are stored only together with others"


def _in_ledger(plan: QueryPlan, started: int) -> str:
    if plan.groups == 1:
        return f"; the {lineup_noun(plan.players, 1)} has games in the ledger"
    return f"; {started:,} of {_lineups(plan, plan.groups)} have games in the ledger"


def _all(plan: QueryPlan) -> str:
    if plan.groups == 1:
        return f"the {lineup_noun(plan.players, 1)} is"
    return f"all {_lineups(plan, plan.groups)} are"


def _lineups(plan: QueryPlan, groups: int) -> str:
    return f"{groups:,} {lineup_noun(plan.players, groups)}"


def lineup_noun(players: int, number: int) -> str:
    """The word for a group of bots that meet."""
    ending = "" if number == 1 else "s"
    if players == 1:
        return f"bot{ending}"
    return f"pairing{ending}" if players == 2 else f"lineup{ending} of {players}"
