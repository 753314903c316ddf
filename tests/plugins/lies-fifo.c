// Rule: equal deadlines fire in order of their starts
// Found: its traits say TW_FIFO
#include "wrong.h"

WRONG("lies-fifo", TRAITS(TW_FIFO));
