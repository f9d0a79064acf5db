/* Rule of 28 against itself in C, with the arena's dice: what the engine is held against.
 *
 * Every deal is played twice, once for each seating, so games are those of a tournament of two
 * rule28 under the classic rules with the same seed. Tells the games won by each seat, and rolls.
 *
 * gcc -O3 -march=native rule28.c -o rule28; ./rule28 DEALS SEED
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 11, TO_WIN = 3, RUNNERS = 3, THRESHOLD = 28, NEW_RUNNER = 6, NONE = -1 };

static const int LENGTH[COLUMNS] = {3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3};
static const int VALUE[COLUMNS] = {6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6};
static const int WEIGHT[COLUMNS] = {1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1};
static const unsigned ALL = (1u << COLUMNS) - 1, ODD = 0x2aa, HIGH = 0x7c0, LOW = 0x1f;

typedef struct { uint8_t low[3], high[3], count; } Offer;
typedef struct { int low, high; } Move; /* high: NONE where one column advances by one */
typedef struct {
    int8_t markers[2][COLUMNS], runners[COLUMNS];
    unsigned claimed, placed, topped;
    int claims[2], seat, free, score;
} Game;

static Offer offers[1296];
static long rolls;

static void add_pairing(Offer *offer, int one, int other) {
    int low = one < other ? one : other, place = offer->count;
    for (int i = 0; i < place; i++)
        if (offer->low[i] == low) return;
    for (; place && offer->low[place - 1] > low; place--) {
        offer->low[place] = offer->low[place - 1];
        offer->high[place] = offer->high[place - 1];
    }
    offer->low[place] = low;
    offer->high[place] = one + other - low;
    offer->count++;
}

static void fill_offers(void) {
    for (int roll = 0; roll < 1296; roll++) {
        int a = roll / 216, b = roll / 36 % 6, c = roll / 6 % 6, d = roll % 6;
        add_pairing(&offers[roll], a + b, c + d);
        add_pairing(&offers[roll], a + c, b + d);
        add_pairing(&offers[roll], a + d, b + c);
    }
}

static const uint64_t GOLDEN = 0x9E3779B97F4A7C15u;

static inline uint64_t mixed(uint64_t word) {
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

static inline uint64_t turned(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

static void sip_rounds(uint64_t v[4], int count) {
    while (count--) {
        v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
        v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
    }
}

static uint64_t dice_key(uint64_t seed, uint64_t deal, uint64_t seat) {
    const uint64_t project = 0x63616E7473746F70u, words[3] = {deal, 2 * seat, 16ull << 56};
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

static inline unsigned usable(const Game *game) {
    unsigned open = ALL & ~(game->claimed | game->topped);
    return game->free ? open : open & game->placed;
}

static inline int worth(const Game *game, int column) {
    return WEIGHT[column] - (game->placed >> column & 1 ? 0 : NEW_RUNNER);
}

static inline void consider(Move *best, int *most, int value, int low, int high) {
    if (value > *most) *most = value, best->low = low, best->high = high;
}

/* The move of the greatest weight, the first of equals: lower halves first, then upper ones. */
static inline int choose(const Game *game, const Offer *offer, Move *best) {
    unsigned open = usable(game), upper = 0;
    int most = -1000;
    for (int i = 0; i < offer->count; i++) {
        int low = offer->low[i], high = offer->high[i];
        if (low == high) {
            if (!(open >> low & 1)) continue;
            int from = game->placed >> low & 1 ? game->runners[low] : game->markers[game->seat][low];
            int twice = from + 1 < LENGTH[low];
            consider(best, &most, worth(game, low) + twice * WEIGHT[low], low, twice ? low : NONE);
        } else if (open >> low & open >> high & 1) {
            if (game->free == 1 && !((game->placed >> low | game->placed >> high) & 1)) {
                consider(best, &most, worth(game, low), low, NONE);
                upper |= 1u << high;
            } else
                consider(best, &most, worth(game, low) + worth(game, high), low, high);
        } else if (open >> low & 1)
            consider(best, &most, worth(game, low), low, NONE);
        else
            upper |= (open >> high & 1) << high;
    }
    for (; upper; upper &= upper - 1) {
        int high = __builtin_ctz(upper);
        consider(best, &most, worth(game, high), high, NONE);
    }
    return most > -1000;
}

static inline void advance(Game *game, int column) {
    if (game->placed >> column & 1)
        game->runners[column]++, game->score += VALUE[column];
    else {
        game->placed |= 1u << column, game->free--, game->score += 2 * VALUE[column];
        game->runners[column] = game->markers[game->seat][column] + 1;
    }
    if (game->runners[column] == LENGTH[column]) game->topped |= 1u << column;
}

static inline int stops(const Game *game) {
    if (game->claims[game->seat] + __builtin_popcount(game->topped) >= TO_WIN) return 1;
    unsigned open = usable(game);
    if (game->free && __builtin_popcount(open) > __builtin_popcount(game->placed)) return 0;
    int score = game->score, odd = __builtin_popcount(game->placed & ODD);
    if (!game->free) {
        score += odd == RUNNERS ? 2 : odd ? 0 : -2;
        score += game->placed & HIGH ? 0 : 4;
        score += game->placed & LOW ? 0 : 4;
    }
    return !open || score >= THRESHOLD;
}

/* Whether the turn was stopped; else it was lost. */
static inline int climb(Game *game, uint64_t key) {
    game->placed = game->topped = game->score = 0, game->free = RUNNERS;
    for (;;) {
        Move move;
        rolls++;
        if (!choose(game, &offers[(mixed(key += GOLDEN) >> 12) * 1296 >> 52], &move)) return 0;
        advance(game, move.low);
        if (move.high != NONE) advance(game, move.high);
        if (stops(game)) return 1;
    }
}

static inline void keep(Game *game) {
    for (unsigned left = game->placed; left; left &= left - 1) {
        int column = __builtin_ctz(left);
        game->markers[game->seat][column] = game->runners[column];
    }
    for (unsigned left = game->topped; left; left &= left - 1)
        game->markers[!game->seat][__builtin_ctz(left)] = 0;
    game->claimed |= game->topped;
    game->claims[game->seat] += __builtin_popcount(game->topped);
}

/* The seat that wins. */
static int play(uint64_t seed, uint64_t deal) {
    Game game = {.seat = 0};
    uint64_t keys[2] = {dice_key(seed, deal, 0), dice_key(seed, deal, 1)}, turns[2] = {0, 0};
    for (;; game.seat = !game.seat) {
        if (climb(&game, mixed(keys[game.seat] + GOLDEN * ++turns[game.seat]))) keep(&game);
        if (game.claims[game.seat] >= TO_WIN) return game.seat;
    }
}

int main(int count, char **words) {
    long won[2] = {0, 0}, deals = count > 1 ? atol(words[1]) : 1000;
    uint64_t seed = count > 2 ? strtoull(words[2], NULL, 0) : 1980;
    fill_offers();
    for (long game = 0; game < 2 * deals; game++) won[play(seed, game / 2)]++;
    printf("%ld %ld %ld\n", won[0], won[1], rolls);
    return 0;
}
