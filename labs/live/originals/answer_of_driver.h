/* answer_of_driver.h - reads what a driver of originals/ printed, and believes none of it unchecked. */
#ifndef TWBENCH_ANSWER_OF_DRIVER_H
#define TWBENCH_ANSWER_OF_DRIVER_H

#include "labs/live/clock/clock_data.h"

#include <cjson/cJSON.h>

/* Fills the report of the original `name` from its document, and hands the document over; the caller frees it.
 *
 * CLOCK_OK: the ledger adds up, and the histograms agree with it and with themselves.  CLOCK_MISMATCH: the ledger does
 * not add up.  CLOCK_CRASHED: the original died, or the document is not what README.md says; `reason` tells.
 * A timer that died has its figures all the same, and is_told; a program that died has none.  window_ns is the time
 * until the last call or the last run, whichever is later.  own_bytes are those of one timer, 0 when they were not measured.
 * *document is NULL unless it could be read. */
void answer_of_driver_read(const char *name, const char *text, struct clock_report *report,
                           cJSON **document);

#endif
