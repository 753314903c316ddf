/* loan.h - puts what open is given on a page of its own, which nobody can touch afterwards.
 *
 * That is out, config, settings with their names, and error.  When open has returned the page is called in: nobody can touch it any more, and a design that has
 * kept a pointer to it is caught at its first use.
 */
#ifndef TWBENCH_CONFORM_LOAN_H
#define TWBENCH_CONFORM_LOAN_H

#include "harness/prove/operations.h"
#include "harness/prove/watch.h"

#define LENT_NAME_MAX 64

/* What is on the page; pointers in it point into it. */
struct lent {
    struct tw_timers *timers;
    struct tw_config config;
    struct tw_error error;
    struct tw_setting settings[OPERATIONS_SETTINGS_MAX];
    char names[OPERATIONS_SETTINGS_MAX][LENT_NAME_MAX];
};

/* The page, while it is lent. */
struct loan {
    struct lent *lent; /* NULL: there is none */
    struct watch *watch;
};

/* Lends what the header of the list says.  False, with no loan, when there is no memory; `watch` may be
 * NULL. */
bool loan_make(struct loan *loan, const struct operations *operations, struct watch *watch);
/* From here on an access ends the process.  False when the system refuses that. */
bool loan_call_in(struct loan *loan);
/* Gives the page back; harmless without a loan. */
void loan_end(struct loan *loan);

#endif
