/*
 * script.h - the small language of `twbench show`: what happens to timers, in order.
 *
 *     unit 100ms              # what a tick is worth; before anything else, --tick overrules it
 *     add a 3s; add b 10s     # starts a timer by a name of its own
 *     tick 3                  # three advances by one tick each
 *     restart a 5s            # re-arms it, or starts it again after it fired
 *     stop b
 *     jump 1m                 # one advance over all of it
 *     next 2                  # two advances to what next() answers, as a tickless driver does it
 *
 * Statements end at a semicolon or a line end; `#` begins a comment.  A delay is a time, rounded up
 * to ticks, or a bare number of ticks.  labs/teach/docs/SHOW.md has the whole of it.
 */
#ifndef TWBENCH_SCRIPT_H
#define TWBENCH_SCRIPT_H

#include "harness/base/diag.h"
#include "impls/backend.h"
#include "labs/teach/show/film.h"

#define SCRIPT_NAME_MAX   15
#define SCRIPT_TIMERS_MAX 1000
/* Single ticks of a whole script: each is a step that is looked at, and may be drawn. */
#define SCRIPT_STEPS_MAX 100000
#define SCRIPT_TICK_NS   UINT64_C(1000000000)

/* The words of the language. */
enum script_verb { SCRIPT_ADD, SCRIPT_RESTART, SCRIPT_STOP, SCRIPT_TICK, SCRIPT_JUMP, SCRIPT_NEXT };

struct script_statement {
    enum script_verb verb;
    uint32_t line, column; /* where it begins, from 1; columns count characters */
    uint32_t timer;        /* of add, restart, stop: an index into names */
    uint64_t amount;       /* ticks of add, restart, tick, jump; advances of next */
    bool rounded;          /* the time was no whole number of ticks and was rounded up */
    char text[48];         /* as written, with single blanks; cut when it is longer */
};

struct script {
    char source[80]; /* the file, for messages */
    uint64_t tick_ns;
    struct script_statement *statements;
    size_t statement_count;
    char (*names)[SCRIPT_NAME_MAX + 1];
    uint32_t name_count;
    uint64_t longest_ticks; /* of the delays: the horizon */
};

/* Parses `size` bytes.  `source` names them in messages ("FILE:LINE:COLUMN: what was found, what was
 * expected"); tick_ns is what a tick is worth whatever the script says, or 0 for its `unit`, or else a
 * second.  Sets *out, to be freed by script_free, only on DIAG_OK.  O(size + statements x names). */
int script_parse(const char *source, const char *text, size_t size, uint64_t tick_ns,
                 struct script **out, struct diag *diag);
/* NULL is allowed. */
void script_free(struct script *script);

/*
 * player.c: a script driven through a running design, as a film.
 */

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
