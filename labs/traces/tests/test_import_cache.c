/* test_import_cache.c - each rule of the import of cache traces, by logs of a few lines. */
#include "small_log.h"

static uint64_t counted(const struct small_log *log, const char *name)
{
    return small_log_count(&log->import.converter, name);
}

TEST(test_writes_and_deletes)
{
    struct small_log log;
    small_log_read(&log, "cache",
                   "100,a,1,9,7,set,60\n100,b,1,9,7,get,0\n101,b,1,9,7,add,30\n"
                   "102,a,1,9,7,set,60\n103,b,1,9,7,add,90\n104,b,1,0,7,delete,0\n"
                   "105,b,1,9,7,replace,10\n106,c,1,9,7,cas,5\n107,a,1,9,7,set,0\n",
                   NULL);
    assert_string_equal(log.ops, "0 s 0 60\n1 s 1 30\n2 s 0 60\n4 c 1\n6 s 1 5\n7 c 0\n");
    assert_int_equal(counted(&log, "write"), 7);
    assert_int_equal(counted(&log, "delete"), 1);
    assert_int_equal(counted(&log, "other_request"), 1);
    assert_int_equal(counted(&log, "add_of_present"), 1);
    assert_int_equal(counted(&log, "replace_of_absent"), 1);
    assert_int_equal(counted(&log, "write_without_ttl"), 1);
    small_log_close(&log);
}

/* What has expired is absent. */
TEST(test_expired_keys)
{
    small_log_is("cache",
                 "0,a,1,9,7,set,5\n6,a,1,9,7,cas,5\n7,a,1,9,7,add,5\n9,a,1,0,7,delete,0\n"
                 "9,a,1,0,7,delete,0\n",
                 "0 s 0 5\n7 s 0 5\n9 c 0\n");
}

TEST(test_three_columns)
{
    small_log_is("cache", "time,key,ttl\n0,a,5\n1,b,c,5\n2,a,0\n3,b,c,7\n",
                 "0 s 0 5\n1 s 1 5\n2 c 0\n3 s 1 7\n");
    /* A key that ends as the long form does is none of it unless numbers stand before. */
    small_log_is("cache", "0,x,set,5\n1,get,1,2,set,3,4,5,set,6\n", "0 s 0 5\n1 s 1 6\n");
}

TEST(test_other_lines)
{
    struct small_log log;
    small_log_read(&log, "cache",
                   "a,b,5\n1,,5\n1,a,-5\n1,a\n1,a,99999999999999999999\n"
                   "1,a,18446744073709551615\n",
                   NULL);
    assert_string_equal(log.ops, "0 s 0 9223372036854775807\n");
    small_log_close(&log);
    small_log_read(&log, "cache", "GET /a\n", NULL);
    assert_int_equal(log.status, DIAG_USAGE);
    small_log_close(&log);
}

TEST_MAIN(NULL, NULL)
