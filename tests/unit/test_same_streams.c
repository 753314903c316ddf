/* test_same_streams.c - the packaged workloads are the same operations on every machine: reference hashes. */
#include "harness/measure/workload/workload.h"
#include "testing.h"

/* `twbench run --workload=NAME --tasks=N --seed=S` shows them as stream.hash.  A change of one of them is a change of what
 * every result with that workload measured: say so in docs/WORKLOADS.md. */
struct reference {
    const char *workload;
    uint64_t tasks, seed; /* of a trace 0 and 0 */
    uint64_t hash;
};

static const struct reference references[] = {
#include "same_streams.def"
};

enum { REFERENCES = sizeof references / sizeof *references };

static uint64_t hash_of(const char *workload, uint64_t tasks, uint64_t seed)
{
    struct diag diag;
    struct stream *stream;
    struct workload_request request = {
        .workload = workload, .directory = "workloads", .tasks = tasks, .seed = seed};
    if (workload_stream(&request, &stream, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    uint64_t hash = stream->hash;
    stream_free(stream);
    return hash;
}

TEST(test_hashes)
{
    for (size_t i = 0; i < REFERENCES; i++) {
        const struct reference *reference = &references[i];
        uint64_t hash = hash_of(reference->workload, reference->tasks, reference->seed);
        if (hash != reference->hash)
            fail_msg("%s, %llu tasks, seed %llu: the stream's hash is %016llx, expected %016llx",
                     reference->workload, (unsigned long long)reference->tasks,
                     (unsigned long long)reference->seed, (unsigned long long)hash,
                     (unsigned long long)reference->hash);
    }
}

/* How many references a workload has is counted in ctx. */
static void look_for(void *ctx, const struct workload_info *info)
{
    size_t found = 0, wanted = info->is_trace ? 1 : 3;
    (void)ctx;
    for (size_t i = 0; i < REFERENCES; i++)
        found += strcmp(references[i].workload, info->name) == 0;
    if (found < wanted)
        fail_msg("%s has %zu reference hashes, expected %zu", info->name, found, wanted);
}

TEST(test_every_workload_has_references)
{
    struct diag diag;
    assert_int_equal(workload_list("workloads", look_for, NULL, &diag), DIAG_OK);
}

TEST_MAIN(NULL, NULL)
