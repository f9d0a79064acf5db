/* glenn-aloi. */
enum { ALL_ODD = 7, ALL_EVEN = 1, ALL_LOW = 5, ALL_HIGH = 6, PLACED = -6, THRESHOLD = 29 };
static const int VALUE[] = {7, 7, 3, 2, 2, 1, 2, 2, 3, 7, 7};
static const int WEIGHT[] = {7, 0, 2, 0, 4, 3, 4, 0, 2, 0, 7};
#include "heuristic.h"
