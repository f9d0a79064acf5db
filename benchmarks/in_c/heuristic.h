/* The procedure that rule28 and glenn-aloi share; the bot's file has its numbers. */
typedef int Value;
#include "cantstop.h"

static inline int column_value(const Game *game, int column) {
    return WEIGHT[column] + (has_runner(game, column) ? 0 : PLACED);
}

static inline int move_value(Game *game, Move move) {
    int value = column_value(game, move.low);
    if (move.high == move.low) return value + WEIGHT[move.low];
    return move.high == NONE ? value : value + column_value(game, move.high);
}

#ifdef SAME_WORK
static inline int gain(int column, int is_new) { return 0; }

static inline int turn_score(const Game *game) {
    int score = 0;
    for (unsigned left = game->placed; left; left &= left - 1) {
        int column = __builtin_ctz(left);
        int spaces = game->runners[column] - game->markers[game->seat][column];
        score += (spaces + 1) * VALUE[column];
    }
    return score;
}
#else
static inline int gain(int column, int is_new) { return VALUE[column] * (is_new ? 2 : 1); }

static inline int turn_score(const Game *game) { return game->score; }
#endif

static inline int stops(const Game *game) {
    unsigned open = usable(game);
    if (game->free && __builtin_popcount(open) > __builtin_popcount(game->placed)) return 0;
    int score = turn_score(game), odd = __builtin_popcount(game->placed & ODD);
    if (!game->free) {
        score += odd == RUNNERS ? ALL_ODD : odd ? 0 : ALL_EVEN;
        score += game->placed & HIGH ? 0 : ALL_LOW;
        score += game->placed & LOW ? 0 : ALL_HIGH;
    }
    return !open || score >= THRESHOLD;
}
