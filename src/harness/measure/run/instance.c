/* instance.c - opens a design with its layers, and checks what came out. */
#include "harness/measure/run/instance.h"

#include "harness/base/text.h"
#include "harness/measure/sched/answers.h"
#include "impls/registry.h"

void instance_close(struct instance *instance)
{
    instance->design->close(instance->timers);
}

static enum outcome_status no_memory(struct instance *instance, const char *what, char *reason)
{
    instance_close(instance);
    snprintf(reason, INSTANCE_REASON, "no memory for %s", what);
    return OUTCOME_OUT_OF_MEMORY;
}

static enum outcome_status layer_enter(struct instance *instance, const struct layer *layer,
                                       int status, const char *what, char *reason)
{
    if (status != TW_OK)
        return no_memory(instance, what, reason);
    instance->design = &layer->table;
    instance->timers = layer->timers;
    return OUTCOME_OK;
}

/* What the design takes of the slack that the stream allows; NULL: nothing. */
static const struct tw_slack *slack_taken(const struct tw_backend *design,
                                          const struct stream *stream)
{
    return stream_slack_is_none(&stream->slack) ? NULL : registry_part(design, "slack");
}

static enum outcome_status instance_slacken(struct instance *instance, const struct stream *stream,
                                            char *reason)
{
    const struct tw_slack *within = slack_taken(instance->design, stream);
    if (!within)
        return OUTCOME_OK;
    int status =
        layer_slack(&instance->slack, instance->design, instance->timers, within, stream->slack);
    return layer_enter(instance, &instance->slack, status, "the slack", reason);
}

static enum outcome_status instance_cap(struct instance *instance, uint32_t max_pending,
                                        char *reason)
{
    if (max_pending == 0)
        return OUTCOME_OK;
    int status = layer_cap(&instance->cap, instance->design, instance->timers, max_pending);
    return layer_enter(instance, &instance->cap, status, "the cap on pending timers", reason);
}

enum outcome_status instance_drag(struct instance *instance, double share, char *reason)
{
    int status = layer_drag(&instance->drag, instance->design, instance->timers, share);
    return layer_enter(instance, &instance->drag, status, "the drag", reason);
}

enum outcome_status instance_open(struct instance *instance, const struct tw_backend *design,
                                  const struct plan_cell *plan, const struct stream *stream,
                                  char *reason)
{
    struct tw_config config = {
        .capacity = stream->capacity,
        .horizon = stream->horizon,
        .settings = plan->settings,
        .setting_count = plan->setting_count,
    };
    struct tw_error error = {""};
    *instance = (struct instance){.design = design};
    int status = design->open(&instance->timers, &config, &error);
    if (status == TW_OK && !instance->timers) {
        snprintf(reason, INSTANCE_REASON, "open answers TW_OK and gives no instance");
        return OUTCOME_MISMATCH;
    }
    if (status == TW_OK) {
        enum outcome_status slackened = instance_slacken(instance, stream, reason);
        return slackened == OUTCOME_OK ? instance_cap(instance, stream->max_pending, reason)
                                       : slackened;
    }
    utf8_make_printable(error.text, sizeof error.text);
    snprintf(reason, INSTANCE_REASON, "open: %s", error.text);
    return status == TW_REFUSED_MEMORY ? OUTCOME_OUT_OF_MEMORY : OUTCOME_UNSUPPORTED;
}

enum outcome_status instance_describe(const struct instance *instance,
                                      struct outcome_setting *settings, size_t *setting_count,
                                      tw_tick *span_ticks, char *reason)
{
    struct tw_description description;
    if (!answers_describe(instance->design, instance->timers, &description, reason))
        return OUTCOME_MISMATCH;
    *span_ticks = description.span;
    *setting_count = description.setting_count;
    for (size_t i = 0; i < description.setting_count; i++) {
        const struct tw_setting *from = &description.settings[i];
        struct outcome_setting *to = &settings[i];
        snprintf(to->name, sizeof to->name, "%s", from->name);
        to->count = from->count;
        memcpy(to->values, from->values, sizeof to->values);
    }
    return OUTCOME_OK;
}

bool instance_is_exact(const struct tw_backend *design, const struct stream *stream)
{
    const struct tw_traits *traits = &design->traits;
    return !(traits->flags & TW_KEEPS_NOTHING) && traits->late_ticks == 0 &&
           traits->late_shift == 0 && !slack_taken(design, stream);
}

bool instance_digest_is_right(const struct tw_backend *design, const struct stream *stream,
                              uint64_t digest, uint64_t fired, char *reason)
{
    const struct stream_expected *expected = &stream->expected;
    if (!instance_is_exact(design, stream) ||
        (digest == expected->digest && fired == expected->fired))
        return true;
    snprintf(reason, INSTANCE_REASON,
             "digest %016" PRIx64 " of %" PRIu64 " expiries; the oracle says %016" PRIx64
             " of %" PRIu64,
             digest, fired, expected->digest, expected->fired);
    return false;
}
