// Rule: no function prints
// Found: bytes were printed: "fired
#include "wrong.h"

#include <stdio.h>

ADVANCE_WITH(printf("fired %u\n", id))

WRONG("prints", .advance = wrong_advance);
