/* import_cache.c - imports requests of a cache, as timers of seconds: one for each key that has a time to live.
 *
 *     1,nz:u:eeW511W3,19,2100,7,set,3600     time, key, key size, value size, client, operation, TTL
 *     1,nz:u:eeW511W3,3600                   time, key, TTL: a set, and with a TTL of 0 a delete
 *
 * The first form is that of the traces of Twitter's Twemcache clusters (Yang, Yue and Rashmi, OSDI 2020; decompress them with
 * zstd).  A key may have commas: fields are counted from both ends.
 *
 * A write is a start, as memcached's protocol has it: set always; add unless the key waits to expire; replace and cas
 * unless it is known to be gone.  A set without a TTL, and a delete, cancel.  Nothing else moves an expiry.  A request that
 * failed for another reason looks like one that succeeded, and evictions are in no such trace: keys that were
 * evicted expire here.
 */
#include "labs/traces/import/import.h"

#include "harness/base/hash.h"

enum request_kind { REQUEST_SET, REQUEST_ADD, REQUEST_REPLACE, REQUEST_DELETE, REQUEST_OTHER };

static const struct {
    const char *name;
    enum request_kind kind;
} operations[] = {
    {"set", REQUEST_SET},     {"add", REQUEST_ADD},       {"replace", REQUEST_REPLACE},
    {"cas", REQUEST_REPLACE}, {"delete", REQUEST_DELETE}, {"get", REQUEST_OTHER},
    {"gets", REQUEST_OTHER},  {"append", REQUEST_OTHER},  {"prepend", REQUEST_OTHER},
    {"incr", REQUEST_OTHER},  {"decr", REQUEST_OTHER},
};

struct cache {
    uint64_t writes, deletes, others, without_ttl, add_of_present, replace_of_absent;
};

struct request {
    uint64_t time, key, ttl;
    enum request_kind kind;
};

/* Takes what is behind the last comma off the end; false without a comma. */
static bool last_field(struct span *line, struct span *out)
{
    const char *at = line->end;
    while (at > line->at && at[-1] != ',')
        at--;
    if (at == line->at)
        return false;
    *out = (struct span){at, line->end};
    line->end = at - 1;
    return true;
}

static bool field_is_number(struct span field, uint64_t *out)
{
    return scan_unsigned(&field, out) && field.at == field.end;
}

static uint64_t key_number(struct span key)
{
    return hash_bytes(HASH_BEGIN, key.at, (size_t)(key.end - key.at));
}

/* The operation and the three numbers before it off the end of the line; false, and the line as it was: the short form. */
static bool operation_take(struct span *line, struct request *request)
{
    struct span rest = *line, field;
    uint64_t ignored;
    size_t at = 0;
    if (!last_field(&rest, &field))
        return false;
    while (at < sizeof operations / sizeof *operations && !span_is(field, operations[at].name))
        at++;
    if (at == sizeof operations / sizeof *operations)
        return false;
    for (int i = 0; i < 3; i++)
        if (!last_field(&rest, &field) || !field_is_number(field, &ignored))
            return false;
    *line = rest;
    request->kind = operations[at].kind;
    return true;
}

static bool request_read(struct span line, struct request *request)
{
    struct span ttl;
    if (!scan_unsigned(&line, &request->time) || !scan_literal(&line, ",") ||
        !last_field(&line, &ttl) || !field_is_number(ttl, &request->ttl))
        return false;
    if (!operation_take(&line, request))
        request->kind = request->ttl > 0 ? REQUEST_SET : REQUEST_DELETE;
    request->key = key_number(line);
    return line.at < line.end;
}

static bool cache_recognise(struct span line)
{
    struct request request;
    return request_read(line, &request);
}

static void write_take(struct cache *cache, struct builder *builder, const struct request *request)
{
    enum builder_state state = builder_state(builder, request->key);
    cache->writes++;
    if (request->kind == REQUEST_ADD && state == BUILDER_ARMED) {
        cache->add_of_present++;
    } else if (request->kind == REQUEST_REPLACE && state != BUILDER_ARMED &&
               state != BUILDER_UNKNOWN) {
        cache->replace_of_absent++;
    } else if (request->ttl > 0) {
        builder_start(builder, request->key,
                      request->ttl > INT64_MAX ? INT64_MAX : (int64_t)request->ttl);
    } else {
        cache->without_ttl++;
        if (state == BUILDER_ARMED)
            builder_cancel(builder, request->key);
    }
}

static enum import_line cache_line(struct import *import, struct span line)
{
    struct request request;
    struct cache *cache = import->state;
    if (!request_read(line, &request))
        return IMPORT_OTHER;
    struct import_track *track = import_single(import);
    track->lines++;
    builder_clock(&track->builder, request.time);
    if (request.kind == REQUEST_OTHER) {
        cache->others++;
    } else if (request.kind != REQUEST_DELETE) {
        write_take(cache, &track->builder, &request);
    } else {
        cache->deletes++;
        if (builder_state(&track->builder, request.key) == BUILDER_ARMED)
            builder_cancel(&track->builder, request.key);
    }
    return IMPORT_USED;
}

static void cache_count(struct import *import, const struct import_track *track)
{
    const struct cache *cache = import->state;
    (void)track;
    tally_add_text(&import->converter, "write", cache->writes);
    tally_add_text(&import->converter, "delete", cache->deletes);
    tally_add_text(&import->converter, "other_request", cache->others);
    tally_add_text(&import->converter, "write_without_ttl", cache->without_ttl);
    tally_add_text(&import->converter, "add_of_present", cache->add_of_present);
    tally_add_text(&import->converter, "replace_of_absent", cache->replace_of_absent);
}

const struct import_kind import_cache = {
    .name = "cache",
    .reads = "requests of a cache: lines of time, key and TTL, or those of Twitter's cache traces",
    .expected = "'TIME,KEY,TTL' or 'TIME,KEY,SIZE,SIZE,CLIENT,OPERATION,TTL' in seconds",
    .recycles = true,
    .state_size = sizeof(struct cache),
    .source = "requests of a cache, keys with a time to live",
    .unit_ns = UINT64_C(1000000000),
    .recognise = cache_recognise,
    .line = cache_line,
    .count = cache_count,
};
