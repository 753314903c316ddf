// Rule: no function exits
// Found: advance ended the process, with exit status 0
#include "wrong.h"

ADVANCE_WITH(exit(0))

WRONG("exits", .advance = wrong_advance);
