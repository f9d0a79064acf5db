/* rule28. */
enum { ALL_ODD = 2, ALL_EVEN = -2, ALL_LOW = 4, ALL_HIGH = 4, PLACED = -6, THRESHOLD = 28 };
static const int VALUE[] = {6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6};
static const int WEIGHT[] = {1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1};
#include "heuristic.h"
