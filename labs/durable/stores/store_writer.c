/* store_writer.c - calls of many threads as transactions: one for each group, all of it or nothing. */
#include "store_parts.h"

enum kind { KIND_PUT, KIND_CANCEL, KIND_DONE };

struct writer_call {
    struct store_call call; /* first: the group knows only this */
    enum kind kind;
    const struct tw_message *messages;
    size_t count;
    struct store_at at;
    bool found;
};

void store_writer_init(struct store_writer *writer, const struct store_steps *steps, void *ctx,
                       enum tw_sync_policy policy)
{
    store_group_init(&writer->group, policy == TW_SYNC_GROUP);
    store_ordered_init(&writer->ordered);
    atomic_init(&writer->broken, false);
    writer->steps = steps;
    writer->ctx = ctx;
    writer->due_max = TW_STORE_NEVER - 1;
}

void store_writer_destroy(struct store_writer *writer)
{
    store_group_destroy(&writer->group);
    store_ordered_destroy(&writer->ordered);
}

/* ---- One group, by its leader. ---------------------------------------------------------------- */

static int call_carry_out(struct store_writer *writer, struct writer_call *call)
{
    const struct store_steps *steps = writer->steps;
    int answer = TW_STORE_OK;
    bool found;
    if (call->kind == KIND_CANCEL)
        return steps->remove(writer->ctx, call->at, &call->found);
    for (size_t i = 0; answer == TW_STORE_OK && i < call->count; i++) {
        if (call->kind == KIND_DONE) {
            answer = steps->remove(writer->ctx, store_ordered_handed(&writer->ordered, i), &found);
            continue;
        }
        answer = steps->insert(writer->ctx, &call->messages[i]);
    }
    return answer;
}

static int group_carry_out(struct store_writer *writer, struct store_call *calls)
{
    int answer = writer->steps->begin(writer->ctx);
    if (answer != TW_STORE_OK)
        return answer;
    for (struct store_call *call = calls; answer == TW_STORE_OK && call; call = call->next)
        answer = call_carry_out(writer, (struct writer_call *)(void *)call);
    if (answer == TW_STORE_OK)
        return writer->steps->commit(writer->ctx);
    writer->steps->abort(writer->ctx);
    return answer;
}

static void writer_commit(void *ctx, struct store_call *calls)
{
    struct store_writer *writer = ctx;
    int answer = STORE_AGAIN;
    if (atomic_load(&writer->broken))
        answer = TW_STORE_BROKEN;
    while (answer == STORE_AGAIN)
        answer = group_carry_out(writer, calls);
    if (answer != TW_STORE_OK)
        atomic_store(&writer->broken, true);
    for (struct store_call *call = calls; call; call = call->next)
        call->answer = answer;
}

/* ---- Calls. ----------------------------------------------------------------------------------- */

static int writer_call(struct store_writer *writer, struct writer_call *call)
{
    return store_group_call(&writer->group, &call->call, writer_commit, writer);
}

int store_writer_put(struct store_writer *writer, struct tw_message *messages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (messages[i].size > TW_PAYLOAD_MAX || messages[i].due_ms > writer->due_max)
            return TW_STORE_RANGE;
        else
            messages[i].handle = 0;
    struct writer_call call = {.kind = KIND_PUT, .messages = messages, .count = count};
    int answer = writer_call(writer, &call);
    if (answer == TW_STORE_OK)
        store_ordered_put(&writer->ordered, messages, count);
    return answer;
}

int store_writer_cancel(struct store_writer *writer, uint64_t key, uint64_t due_ms)
{
    int answer = store_ordered_cancel(&writer->ordered, key);
    if (answer != TW_STORE_OK)
        return answer;
    struct writer_call call = {.kind = KIND_CANCEL, .at = {due_ms, key}};
    answer = writer_call(writer, &call);
    store_ordered_cancelled(&writer->ordered, key, answer == TW_STORE_OK && call.found);
    if (answer != TW_STORE_OK)
        return answer;
    return call.found ? TW_STORE_CANCELLED : TW_STORE_TOO_LATE;
}

int store_writer_done(struct store_writer *writer, size_t count)
{
    if (count > writer->ordered.handed_count)
        count = writer->ordered.handed_count;
    if (count == 0)
        return atomic_load(&writer->broken) ? TW_STORE_BROKEN : TW_STORE_OK;
    struct writer_call call = {.kind = KIND_DONE, .count = count};
    int answer = writer_call(writer, &call);
    if (answer == TW_STORE_OK)
        store_ordered_done(&writer->ordered, count);
    return answer;
}
