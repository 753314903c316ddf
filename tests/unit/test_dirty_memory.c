/* test_dirty_memory.c - designs that clear their memory as they use it get memory full of rubbish. */
#include "impls/registry.h"
#include "testing.h"

/* In the place of the C library's: what designs ask of arrays.h comes full of ones. */
void *aligned_alloc(size_t align, size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, align, bytes) != 0)
        return NULL;
    return memset(memory, 0xff, bytes);
}

static void count(void *ctx, tw_id id, tw_tick now)
{
    (void)id, (void)now;
    ++*(uint32_t *)ctx;
}

/* More timers than `fast` clears all heads for; delays for its first three rings. */
static void fast_fires_all(void **state)
{
    enum { TIMERS = 1000, CAPACITY = 200000 };
    struct tw_config config = {.capacity = CAPACITY};
    struct tw_error error;
    struct tw_timers *timers;
    const struct tw_backend *fast = registry_find("fast")->timed;
    assert_int_equal(fast->open(&timers, &config, &error), TW_OK);
    uint32_t fired = 0;
    for (uint32_t i = 0; i < TIMERS; i++)
        assert_int_equal(fast->start(timers, i * 7, 1 + (tw_tick)i * i * 9), TW_OK);
    assert_null(fast->check(timers));
    fast->advance(timers, UINT64_C(10) * TIMERS * TIMERS, count, &fired);
    assert_int_equal(fired, TIMERS);
    assert_null(fast->check(timers));
    fast->close(timers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fast_fires_all)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
