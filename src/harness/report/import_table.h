/*
 * import_table.h - what an import came to, for people: what was chosen, what became of it, what is odd.
 */
#ifndef TWBENCH_IMPORT_TABLE_H
#define TWBENCH_IMPORT_TABLE_H

#include "harness/import/import.h"

#include <stdio.h>

/* After import_write. */
void import_table_write(FILE *out, const struct import *import);

#endif
