/* Can't Stop for two in C, with the arena's dice: the reference for the engine's speed.
 *
 * A bot's file defines the type of the value of a move, includes this, and has three functions: the
 * value of a move, what an advance adds to the score of a turn, and whether to stop. They may rely
 * on the classic board and on the bot's numbers.
 *
 * Every deal is played twice, once for each seating, so games are those of a tournament of the bot
 * against itself under the classic rules with the same seed. Prints the games won by each seat, and
 * rolls.
 *
 * With -DSAME_WORK it also does what the arena does beyond that: it keeps the counts of tables, and
 * prints their sums; and rule28 and glenn-aloi add up the score of a turn at each decision.
 *
 * gcc -O3 -march=native -ffp-contract=off BOT.c -o BOT; ./BOT DEALS SEED
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 11, TO_WIN = 3, RUNNERS = 3, ROLLS = 1296, MAX_MOVES = 6, NONE = -1 };
enum { DICE, BOT };

static const int LENGTH[COLUMNS] = {3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3};
static const unsigned ALL = (1u << COLUMNS) - 1, ODD = 0x2aa, HIGH = 0x7c0, LOW = 0x1f;

typedef struct { uint8_t low[3], high[3], count; } Offer;
typedef struct { int low, high; } Move; /* high: NONE where one column advances by one */
typedef struct {
    int8_t markers[2][COLUMNS], runners[COLUMNS];
    unsigned claimed, placed, topped;
    int claims[2], seat, free, score;
    uint64_t seed, deal, keys[2], draws[2];
} Game;

static Offer offers[ROLLS];
static int hits[1 << COLUMNS]; /* by set of columns: the rolls that make one of them */
static long rolls;

#include "tables.h"

static inline unsigned usable(const Game *game) {
    unsigned open = ALL & ~(game->claimed | game->topped);
    return game->free ? open : open & game->placed;
}

static inline int has_runner(const Game *game, int column) { return game->placed >> column & 1; }

static inline int position(const Game *game, int column) {
    return has_runner(game, column) ? game->runners[column] : game->markers[game->seat][column];
}

static const uint64_t GOLDEN = 0x9E3779B97F4A7C15u;

static inline uint64_t mixed(uint64_t word) {
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

static inline uint64_t rotated(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

static void sip_rounds(uint64_t v[4], int count) {
    while (count--) {
        v[0] += v[1], v[1] = rotated(v[1], 13) ^ v[0], v[0] = rotated(v[0], 32);
        v[2] += v[3], v[3] = rotated(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = rotated(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = rotated(v[1], 17) ^ v[2], v[2] = rotated(v[2], 32);
    }
}

static uint64_t stream_key(uint64_t seed, uint64_t deal, uint64_t seat, int purpose) {
    const uint64_t project = 0x63616E7473746F70u, words[3] = {deal, 2 * seat + purpose, 16ull << 56};
    uint64_t v[4] = {seed ^ 0x736F6D6570736575u, project ^ 0x646F72616E646F6Du,
                     seed ^ 0x6C7967656E657261u, project ^ 0x7465646279746573u};
    for (int i = 0; i < 3; i++) {
        v[3] ^= words[i];
        sip_rounds(v, 2);
        v[0] ^= words[i];
    }
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The next random number of the bot on turn. */
static inline double random_number(Game *game) {
    int seat = game->seat;
    if (!game->draws[seat]) game->keys[seat] = stream_key(game->seed, game->deal, seat, BOT);
    return (mixed(game->keys[seat] + GOLDEN * ++game->draws[seat]) >> 11) * (1.0 / (1ull << 53));
}

static inline Value move_value(Game *game, Move move);
static inline int gain(int column, int is_new);
static inline int stops(const Game *game);

static void add_pairing(Offer *offer, int first, int second) {
    int low = first < second ? first : second, index = offer->count;
    for (int i = 0; i < index; i++)
        if (offer->low[i] == low) return;
    for (; index && offer->low[index - 1] > low; index--) {
        offer->low[index] = offer->low[index - 1];
        offer->high[index] = offer->high[index - 1];
    }
    offer->low[index] = low;
    offer->high[index] = first + second - low;
    offer->count++;
}

static void fill_tables(void) {
    for (int roll = 0; roll < ROLLS; roll++) {
        int a = roll / 216, b = roll / 36 % 6, c = roll / 6 % 6, d = roll % 6;
        add_pairing(&offers[roll], a + b, c + d);
        add_pairing(&offers[roll], a + c, b + d);
        add_pairing(&offers[roll], a + d, b + c);
        unsigned made = 1u << (a + b) | 1u << (c + d) | 1u << (a + c) | 1u << (b + d) |
                        1u << (a + d) | 1u << (b + c);
        for (unsigned set = 0; set <= ALL; set++) hits[set] += (set & made) != 0;
    }
}

/* The moves of a roll in the canonical order: lower halves first, then upper ones. */
static inline int list_moves(const Game *game, const Offer *offer, Move *moves) {
    unsigned open = usable(game), upper = 0;
    int count = 0;
    for (int i = 0; i < offer->count; i++) {
        int low = offer->low[i], high = offer->high[i];
        if (low == high) {
            if (!(open >> low & 1)) continue;
            int twice = position(game, low) + 1 < LENGTH[low];
            moves[count++] = (Move){low, twice ? low : NONE};
        } else if (open >> low & open >> high & 1) {
            if (game->free == 1 && !((game->placed >> low | game->placed >> high) & 1)) {
                moves[count++] = (Move){low, NONE};
                upper |= 1u << high;
            } else
                moves[count++] = (Move){low, high};
        } else if (open >> low & 1)
            moves[count++] = (Move){low, NONE};
        else
            upper |= (open >> high & 1) << high;
    }
    for (; upper; upper &= upper - 1) moves[count++] = (Move){__builtin_ctz(upper), NONE};
    return count;
}

/* The move with the greatest value, the first of equals. */
static inline Move best_move(Game *game, const Move *moves, int count) {
    if (count == 1) return moves[0];
    add(DECISIONS, game->seat, 1);
    int best = 0;
    Value best_value = move_value(game, moves[0]);
    for (int i = 1; i < count; i++) {
        Value value = move_value(game, moves[i]);
        if (value > best_value) best_value = value, best = i;
    }
    return moves[best];
}

static inline void advance(Game *game, int column) {
    int is_new = !has_runner(game, column);
    game->score += gain(column, is_new);
    if (is_new) {
        game->placed |= 1u << column, game->free--;
        game->runners[column] = game->markers[game->seat][column] + 1;
    } else
        game->runners[column]++;
    if (game->runners[column] == LENGTH[column]) game->topped |= 1u << column;
}

/* Plays a turn. Returns whether it ended by stopping or winning, not in a bust. */
static inline int climb(Game *game, uint64_t key) {
    game->placed = game->topped = game->score = 0, game->free = RUNNERS;
    for (;;) {
        Move moves[MAX_MOVES];
        rolls++, add(ROLLS_MADE, game->seat, 1);
        int count = list_moves(game, &offers[(mixed(key += GOLDEN) >> 12) * ROLLS >> 52], moves);
        if (!count) return add(BUSTS, game->seat, 1), 0;
        Move move = best_move(game, moves, count);
        advance(game, move.low);
        if (move.high != NONE) advance(game, move.high);
        if (game->claims[game->seat] + __builtin_popcount(game->topped) >= TO_WIN) return 1;
        add(DECISIONS, game->seat, 1);
        if (stops(game)) return 1;
    }
}

static inline void save_climbs(Game *game) {
    for (unsigned left = game->placed; left; left &= left - 1) {
        int column = __builtin_ctz(left);
        int8_t *marker = &game->markers[game->seat][column];
        count_spaces(game->seat, column, game->runners[column] - *marker);
        *marker = game->runners[column];
    }
    for (unsigned left = game->topped; left; left &= left - 1) {
        int column = __builtin_ctz(left);
        count_claim(game->seat, column, game->markers[!game->seat][column]);
        game->markers[!game->seat][column] = 0;
    }
    update_lead();
    game->claimed |= game->topped;
    game->claims[game->seat] += __builtin_popcount(game->topped);
}

/* Plays a game; returns the winner's seat. */
static int play(uint64_t seed, uint64_t deal) {
    Game game = {.seed = seed, .deal = deal};
    uint64_t keys[2] = {stream_key(seed, deal, 0, DICE), stream_key(seed, deal, 1, DICE)};
    uint64_t turns[2] = {0, 0};
    begin_tables();
    for (;; game.seat = !game.seat) {
        count_turn(game.seat);
        if (climb(&game, mixed(keys[game.seat] + GOLDEN * ++turns[game.seat]))) save_climbs(&game);
        if (game.claims[game.seat] >= TO_WIN) return add_to_tables(game.seat, deal), game.seat;
    }
}

int main(int count, char **arguments) {
    long won[2] = {0, 0}, deals = count > 1 ? atol(arguments[1]) : 1000;
    uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 0) : 1980;
    fill_tables();
    for (long game = 0; game < 2 * deals; game++) won[play(seed, game / 2)]++;
    printf("%ld %ld %ld\n", won[0], won[1], rolls);
    print_tables();
    return 0;
}
