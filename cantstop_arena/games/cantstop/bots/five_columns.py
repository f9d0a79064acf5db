"""A heuristic for the long game to five columns."""

from cantstop_arena.games.cantstop.bots.odds import expected_gain
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


def five_columns() -> Player:
    """Rolls by the odds, and the more carefully the nearer somebody is to a column or a win.

    Made for games to five columns. Source: the teacher in MODEL.md of hermes-the-goat/cant-stop-lab
    (2026), which has no licence; written anew from this description. With more than two seats the
    rival that is farthest counts.
    """

    @compiled(boundscheck=False)
    def rival_share(turn, column):
        highest = 0
        for rival in range(len(turn.rivals)):
            highest = max(highest, turn.rivals[rival][column])
        return highest / turn.rules.lengths[column]

    @compiled(boundscheck=False)
    def topped(turn):
        count = 0
        for column in turn.placed:
            count += turn.runners[column] == turn.rules.lengths[column]
        return count

    @compiled(boundscheck=False)
    def choose_move(turn, moves):
        best, best_score = 0, -1.0
        for index in range(len(moves)):
            score, previous, steps, tops = 0.0, 0, 0, topped(turn)
            for column in moves[index]:
                steps = steps + 1 if column == previous else 1
                previous = column
                length, share = turn.rules.lengths[column], rival_share(turn, column)
                score += (1.0 + 0.65 * share) / length
                if turn.position(column) + steps == length:
                    tops += 1
                    score += 0.8 + 0.6 * share
                    if turn.claims + tops >= turn.rules.columns_to_win:
                        score += 100.0
            if score > best_score:
                best, best_score = index, score
        return best

    @compiled(boundscheck=False)
    def roll_again(turn):
        risk, tops, threat, rival_claims = turn.bust_chance(), topped(turn), 0.0, 0
        for column in turn.rules.columns:
            if column not in turn.claimed:
                threat = max(threat, rival_share(turn, column))
        for rival in range(len(turn.rivals)):
            rival_claims = max(rival_claims, turn.rival_claims[rival])
        if tops and (risk > 0.08 or turn.claims >= 3 or threat >= 0.7):
            return False
        stake = 0.6 * tops
        for column in turn.placed:
            climbed = turn.runners[column] - turn.markers[column]
            stake += climbed / turn.rules.lengths[column]
        caution = 1.15 + 0.35 * threat + 0.10 * turn.claims - 0.07 * rival_claims
        return expected_gain(turn) > risk * stake * caution

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The heuristic of the long game."""
    return [Bot("five-columns", five_columns)]
