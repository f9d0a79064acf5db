/* tuned: the heuristic family with thirty numbers. */
typedef double Value;
#include "cantstop.h"

static const double VALUE[] = {0.68, 1.76, 1.21, 2.56, 6.74, 6.79}; /* the middle column first */
static const double WEIGHT[] = {2.22, 6.41, -2.82, 0.93, -4.64, 2.88};
static const double SLOPE[] = {8.71, 2.81, 13.59, 11.53, -3.76, 12.16};
static const double ALL_ODD = 0.86, ALL_EVEN = -2.17, ALL_LOW = 2.8, ALL_HIGH = 5.24;
static const double PLACED = -7.17, THRESHOLD = 27.8, OWN_CLAIMS = 1.01, RIVAL_CLAIMS = 6.36;
static const double TOPPED = 30.94, REACHING = 2.62, PLACING = 0.99, BEHIND = 3.55, CLAIM = 1.5;

/* SHARE[column][space]: the space as a share of the column's length. */
#define SHARES(length) \
    {0.0 / length, 1.0 / length, 2.0 / length, 3.0 / length, 4.0 / length,  5.0 / length,  6.0 / length, \
     7.0 / length, 8.0 / length, 9.0 / length, 10.0 / length, 11.0 / length, 12.0 / length, 13.0 / length}
static const double SHARE[COLUMNS][14] = {SHARES(3),  SHARES(5),  SHARES(7), SHARES(9), SHARES(11),
                                          SHARES(13), SHARES(11), SHARES(9), SHARES(7), SHARES(5),
                                          SHARES(3)};

static inline int distance(int column) { return abs(column - COLUMNS / 2); }

static inline double advance_value(int column, int space) {
    int away = distance(column), length = LENGTH[column];
    return WEIGHT[away] + SLOPE[away] * space / length;
}

static inline double move_value(Game *game, Move move) {
    int low = move.low, high = move.high, space = position(game, low) + 1;
    double value = 0;
    if (!has_runner(game, low)) value += PLACED;
    value += advance_value(low, space);
    if (space == LENGTH[low]) value += REACHING;
    if (high == NONE) return value;
    if (high != low) {
        space = position(game, high);
        if (!has_runner(game, high)) value += PLACED;
    }
    space++;
    value += advance_value(high, space);
    if (space == LENGTH[high]) value += REACHING;
    return value;
}

static inline double progress(const Game *game, int seat) {
    double progress = CLAIM * game->claims[seat];
    for (int column = 0; column < COLUMNS; column++)
        progress += !(game->claimed >> column & 1) * SHARE[column][game->markers[seat][column]];
    return progress;
}

static inline double threshold(const Game *game) {
    int own = game->seat, rival = !own;
    double threshold = THRESHOLD + OWN_CLAIMS * game->claims[own];
    double lead = progress(game, rival) - progress(game, own);
    return threshold + RIVAL_CLAIMS * game->claims[rival] + BEHIND * lead;
}

static inline double score(const Game *game) {
    double score = 0;
    for (unsigned left = game->placed; left; left &= left - 1) {
        int column = __builtin_ctz(left);
        double climbed = game->runners[column] - game->markers[game->seat][column] + PLACING;
        score += climbed * VALUE[distance(column)];
        if (game->runners[column] == LENGTH[column]) score += TOPPED;
    }
    if (game->free) return score;
    int odd = __builtin_popcount(game->placed & ODD);
    if (odd == RUNNERS) score += ALL_ODD;
    if (odd == 0) score += ALL_EVEN;
    if (!(game->placed & HIGH)) score += ALL_LOW;
    if (!(game->placed & LOW)) score += ALL_HIGH;
    return score;
}

static inline int gain(int column, int is_new) { return 0; } /* score() is no integer here */

static inline int stops(const Game *game) {
    unsigned open = usable(game);
    if (game->free && __builtin_popcount(open) > __builtin_popcount(game->placed)) return 0;
    return !open || score(game) >= threshold(game);
}
