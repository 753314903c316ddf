/*
 * player.h - a script driven through a running design, as a film.
 */
#ifndef TWBENCH_PLAYER_H
#define TWBENCH_PLAYER_H

#include "harness/base/diag.h"
#include "impls/backend.h"
#include "labs/teach/show/film.h"
#include "labs/teach/show/script.h"

struct player_request {
    const struct tw_backend *design; /* the counted object, so that work can be shown */
    const struct tw_setting *settings;
    size_t setting_count;
    uint64_t capacity; /* ids; 0: as many as the script names */
    const struct script *script;
};

/* Opens the design, does what the script says and looks at it through `visit` and `check` after every
 * step.  Sets *out, to be freed by film_free, on DIAG_OK; what the design did wrong (a broken
 * invariant, a timer that fired at the wrong tick) is in film->broken.  DIAG_USAGE: it refused its
 * settings, or a statement makes no sense when its turn comes, with its line and column.
 *
 * Of a `tick` by more than PLAYER_STEPS_KEPT steps only those that change something become frames. */
#define PLAYER_STEPS_KEPT 200
int player_run(const struct player_request *request, struct film **out, struct diag *diag);

#endif
