/* The counts that the arena keeps of every game, for two seats: see counts.py and game_tally.py.
 *
 * Without SAME_WORK the functions do nothing.
 */
#ifdef SAME_WORK

enum { COUNTS = 12, MAX_SWINGS = 256, CLASSES = 160, EXACT = 32, HIGHLIGHTS = 3, NOBODY = -1 };
enum { TURNS, ROLLS_MADE, BUSTS, DECISIONS, SPACES, CLAIMED, WON, WINNING_TURNS, LEADS, HALF_LEADS,
       HALF_WINS, MARGIN };
static const long COLUMN_UNITS = 720720, CLAIM_UNITS = 1 << 24, MAX_AHEAD = 1l << 29;

/* The game that is being played, and the sums over all games. */
static struct {
    long counts[COUNTS][2], standings[2], deficits[2], top, turn, swings;
    long swing_turns[MAX_SWINGS], swing_seats[MAX_SWINGS];
    int leader, led_last;
} now;
static struct {
    long counts[COUNTS][2], squares[COUNTS], lengths[CLASSES], length_deals[CLASSES];
    long scores[HIGHLIGHTS], deals[HIGHLIGHTS];
} tables;

static inline void add(int count, int seat, long amount) { now.counts[count][seat] += amount; }

static inline long progress_of(int column, int spaces) {
    return spaces * (COLUMN_UNITS / LENGTH[column]);
}

static inline void set_leader(int leader) {
    if (leader == now.leader) return;
    now.leader = leader;
    if (now.swings < MAX_SWINGS) {
        now.swing_turns[now.swings] = now.turn;
        now.swing_seats[now.swings] = leader;
    }
    now.swings++;
    if (leader == NOBODY || leader == now.led_last) return;
    add(LEADS, leader, now.led_last != NOBODY);
    now.led_last = leader;
}

/* Updates the leader and the deficits after a stop. */
static inline void update_lead(void) {
    long first = now.standings[0], second = now.standings[1];
    now.top = first > second ? first : second;
    for (int seat = 0; seat < 2; seat++) {
        long deficit = now.top - now.standings[seat];
        if (deficit > now.deficits[seat]) now.deficits[seat] = deficit;
    }
    set_leader(first == second ? NOBODY : second > first);
}

static inline void begin_tables(void) {
    for (int count = 0; count < COUNTS; count++) now.counts[count][0] = now.counts[count][1] = 0;
    now.standings[0] = now.standings[1] = now.deficits[0] = now.deficits[1] = 0;
    now.top = now.turn = now.swings = 0;
    now.leader = now.led_last = NOBODY;
}

static inline void count_turn(int seat) { add(TURNS, seat, 1), now.turn++; }

static inline void count_spaces(int seat, int column, int spaces) {
    add(SPACES, seat, spaces);
    now.standings[seat] += progress_of(column, spaces);
}

static inline void count_claim(int seat, int column, int rival_space) {
    add(CLAIMED, seat, 1);
    now.standings[seat] += CLAIM_UNITS;
    now.standings[!seat] -= progress_of(column, rival_space);
}

static inline int class_of(long length) {
    int shift = 0;
    while (length >> shift >= EXACT) shift++;
    return EXACT / 2 * shift + (length >> shift);
}

static inline int half_time_leader(void) {
    if (now.swings > MAX_SWINGS) return NOBODY;
    for (long swing = now.swings; swing--;)
        if (now.swing_turns[swing] <= now.turn / 2) return now.swing_seats[swing];
    return NOBODY;
}

static inline void keep_highlight(int kind, long score, long deal) {
    if (score < tables.scores[kind]) return;
    if (score == tables.scores[kind] && deal >= tables.deals[kind]) return;
    tables.scores[kind] = score, tables.deals[kind] = deal;
}

/* Adds a finished game to the sums. */
static inline void add_to_tables(int winner, long deal) {
    int class = class_of(now.turn), led = half_time_leader();
    if (!tables.lengths[class] || deal < tables.length_deals[class])
        tables.length_deals[class] = deal;
    tables.lengths[class]++;
    keep_highlight(0, now.turn, deal);
    keep_highlight(1, MAX_AHEAD - (now.standings[winner] - now.standings[!winner]), deal);
    keep_highlight(2, now.deficits[winner], deal);
    add(WON, winner, 1);
    add(WINNING_TURNS, winner, now.counts[TURNS][winner]);
    add(MARGIN, winner, now.counts[CLAIMED][winner] - now.counts[CLAIMED][!winner]);
    if (led != NOBODY) add(HALF_LEADS, led, 1);
    if (led == winner) add(HALF_WINS, led, 1);
    for (int count = 0; count < COUNTS; count++) {
        long first = now.counts[count][0], second = now.counts[count][1];
        tables.counts[count][0] += first, tables.counts[count][1] += second;
        tables.squares[count] += (first + second) * (first + second);
    }
}

static inline void print_tables(void) {
    for (int count = 0; count < COUNTS; count++)
        printf("%ld ", tables.counts[count][0] + tables.counts[count][1]);
    printf("\n");
}

#else

enum { ROLLS_MADE, BUSTS, DECISIONS };
static inline void add(int count, int seat, long amount) {}
static inline void update_lead(void) {}
static inline void begin_tables(void) {}
static inline void count_turn(int seat) {}
static inline void count_spaces(int seat, int column, int spaces) {}
static inline void count_claim(int seat, int column, int rival_space) {}
static inline void add_to_tables(int winner, long deal) {}
static inline void print_tables(void) {}

#endif
