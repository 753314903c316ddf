/*
 * ticket.h - for plugins whose start allocates: a block for each running timer, which holds nothing.
 */
#include "wrong.h"

#define TICKET_BYTES 40

struct whole {
    struct tw_timers timers;
    void **tickets; /* by id; NULL: it does not run */
};

static struct whole *whole_of(const struct tw_timers *timers)
{
    return (struct whole *)timers;
}

static int ticket_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    struct tw_timers *timers;
    int status = within_open(&timers, sizeof(struct whole), config, error);
    if (status != TW_OK)
        return status;
    whole_of(timers)->tickets = calloc(config->capacity, sizeof(void *));
    if (!whole_of(timers)->tickets) {
        skeleton_close(timers);
        return params_no_memory(error, config->capacity * sizeof(void *));
    }
    *out = timers;
    return TW_OK;
}

static void ticket_close(struct tw_timers *timers)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        free(whole_of(timers)->tickets[id]);
    free(whole_of(timers)->tickets);
    skeleton_close(timers);
}

static void ticket_return(struct tw_timers *timers, tw_id id)
{
    free(whole_of(timers)->tickets[id]);
    whole_of(timers)->tickets[id] = NULL;
}

static inline int ticket_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    void **ticket = &whole_of(timers)->tickets[id];
    bool is_new = !*ticket;
    if (is_new)
        *ticket = malloc(TICKET_BYTES);
    if (!*ticket)
        return TW_REFUSED_MEMORY;
    int status = skeleton_start(timers, id, deadline);
    if (is_new && status < 0)
        ticket_return(timers, id);
    return status;
}

static int ticket_stop(struct tw_timers *timers, tw_id id)
{
    ticket_return(timers, id);
    return skeleton_stop(timers, id);
}

ADVANCE_WITH(ticket_return(timers, id))

static inline struct tw_footprint ticket_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = skeleton_footprint(timers);
    footprint.fixed_bytes = sizeof(struct whole);
    footprint.capacity_bytes += timers->capacity * sizeof(void *);
    footprint.pending_bytes = timers->running * (uint64_t)TICKET_BYTES;
    return footprint;
}

#define TICKETS                                                                                    \
    .open = ticket_open, .close = ticket_close, .start = ticket_start, .stop = ticket_stop,        \
    .advance = wrong_advance, .footprint = ticket_footprint

#define WRONG_TICKET(key, more, ...)                                                               \
    static const struct tw_backend wrong = {HONEST(key), TRAITS(more), TICKETS, __VA_ARGS__};      \
    TW_PLUGIN(wrong, wrong)
