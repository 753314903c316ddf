/* test_spot.c - the check of one list sees what is broken there, and not what is broken elsewhere. */
#include "impls/hashed.c" /* the links are broken by hand */

#include "impls/registry.h"
#include "testing.h"

TEST(test_the_check_of_one_list_sees_that_list)
{
    struct tw_config config = {.capacity = 4};
    const struct tw_spot *spot = registry_part(&tw_hashed_timed, "spot");
    struct tw_timers *timers;
    struct tw_error error;
    assert_int_equal(tw_hashed_timed.open(&timers, &config, &error), TW_OK);
    for (tw_id id = 0; id < 3; id++)
        tw_hashed_timed.start(timers, id, id < 2 ? 5 : 6);
    uint32_t *const broken[] = {&timers->links[0].next, &timers->links[0].prev,
                                &timers->links[1].next, (uint32_t *)&timers->dues[1]};
    for (size_t i = 0; i < 4; i++)
        for (uint32_t value = 0; value < 3; value++) {
            uint32_t kept = *broken[i];
            if (kept == value)
                continue;
            *broken[i] = value;
            assert_non_null(spot->check(timers, 0));
            assert_non_null(tw_hashed_timed.check(timers));
            assert_null(spot->check(timers, 2));
            *broken[i] = kept;
        }
    for (tw_id id = 0; id < 4; id++)
        assert_null(spot->check(timers, id));
    tw_hashed_timed.close(timers);
}

TEST_MAIN(NULL, NULL)
