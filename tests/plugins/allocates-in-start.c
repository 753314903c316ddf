// Rule: only open allocates, but with TW_ALLOCATES
// Found: start of
#include "ticket.h"

WRONG_TICKET("allocates-in-start", 0, .summary = "allocates, and its traits do not say so");
