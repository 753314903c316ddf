/* experiment_store.c - reads the object "store" of an experiment file, and writes it as flags. */
#include "labs/teach/claims/experiment_store.h"

#include "labs/teach/claims/experiment_settings.h"
#include "harness/base/units.h"
#include "labs/durable/stores/store_modules.h"
#include "labs/durable/drive/durable_run.h"

#include <math.h>
#include <string.h>

static uint32_t read_permille(struct reader *reader, const struct reader_place *place,
                              const cJSON *object, const char *key, uint32_t absent)
{
    struct reader_place member = reader_member(place, key);
    double share = reader_number(reader, place, object, key, 0, absent / 1000.0);
    if (share > 1)
        reader_refuse(reader, &member, "expected a share, 0 to 1");
    return (uint32_t)lround(1000 * share);
}

static void read_span(struct reader *reader, const struct reader_place *place, const cJSON *object,
                      struct experiment_store *out)
{
    struct reader_place member = reader_member(place, "span");
    const char *text = reader_text(reader, place, object, "span", false);
    uint64_t ns = 0;
    struct diag diag;
    if (!text)
        return;
    if (units_parse_time(text, "span", &ns, &diag) != DIAG_OK)
        reader_refuse(reader, &member, "%.300s", diag.text);
    else if (ns < UINT64_C(1000000000) || ns / 1000000 > TW_DELAY_MAX_MS)
        reader_refuse(reader, &member, "expected 1s to %llu days",
                      (unsigned long long)(TW_DELAY_MAX_MS / 86400000));
    out->load.span_ms = ns / 1000000;
    out->load.arrivals_ms = out->load.span_ms / 240;
}

static const struct tw_param *find_param(const void *ctx, const char *name)
{
    (void)ctx;
    return store_modules_param(name);
}

void experiment_store_read(struct reader *reader, const struct reader_place *place,
                           const cJSON *object, struct experiment_store *out)
{
    static const char *const keys[] = {"sync",    "kills",   "span",     "hot",
                                       "cancels", "payload", "settings", NULL};
    static const char *const syncs[] = {"always", "group", "interval", "none", NULL};
    const cJSON *kills = cJSON_GetObjectItemCaseSensitive(object, "kills");
    const cJSON *payload = cJSON_GetObjectItemCaseSensitive(object, "payload");
    struct reader_place at_kills = reader_member(place, "kills"),
                        at_payload = reader_member(place, "payload");
    struct durable_load *load = &out->load;
    if (!object)
        return;
    reader_check_keys(reader, place, object, keys);
    if (cJSON_GetObjectItemCaseSensitive(object, "sync"))
        out->sync = (enum tw_sync_policy)reader_word(reader, place, object, "sync", syncs, true);
    if (out->sync == TW_SYNC_INTERVAL)
        reader_refuse(reader, place, "expected always, group or none in a claim");
    if (kills)
        out->kills = reader_count(reader, &at_kills, kills);
    if (payload)
        load->payload_min = load->payload_max =
            (uint32_t)reader_count(reader, &at_payload, payload);
    if (load->payload_max > TW_PAYLOAD_MAX)
        reader_refuse(reader, &at_payload, "expected at most %u bytes", TW_PAYLOAD_MAX);
    read_span(reader, place, object, out);
    load->hot_permille = read_permille(reader, place, object, "hot", load->hot_permille);
    load->cancel_permille = read_permille(reader, place, object, "cancels", load->cancel_permille);
    experiment_settings_read(reader, place, cJSON_GetObjectItemCaseSensitive(object, "settings"),
                             &(struct experiment_settings){
                                 out->settings, &out->setting_count, DURABLE_SETTINGS_MAX,
                                 find_param, NULL, "no setting of a store; see 'twbench list'"});
}

void experiment_store_command(struct text *line, const struct experiment_store *store,
                              const char *name, uint64_t tasks, bool timed)
{
    const struct durable_load *load = &store->load;
    text_add(line, "twbench stores --stores=%s --tasks=%llu --sync=%s", name,
             (unsigned long long)tasks, durable_sync_name(store->sync));
    if (store->kills > 0)
        text_add(line, " --kills=%llu", (unsigned long long)store->kills);
    text_add(line, " --span=%llums --hot=%g --cancels=%g --payload=%u",
             (unsigned long long)load->span_ms, load->hot_permille / 1000.0,
             load->cancel_permille / 1000.0, load->payload_max);
    for (size_t i = 0; i < store->setting_count; i++)
        text_add(line, " --store-set=%s=%llu", store->settings[i].name,
                 (unsigned long long)store->settings[i].values[0]);
    text_add(line, " --runs=%d", timed ? EXPERIMENT_STORE_RUNS : 1);
}

struct storing_request experiment_store_request(const struct experiment_store *store,
                                                const struct store_row *row, uint64_t tasks,
                                                const struct setup *setup)
{
    struct storing_request request = {.setup = setup,
                                      .stores = {row},
                                      .store_count = 1,
                                      .syncs = {{.policy = store->sync}},
                                      .sync_count = 1,
                                      .tasks = {tasks},
                                      .task_count = 1,
                                      .producers = {1},
                                      .producer_count = 1,
                                      .batches = {1},
                                      .batch_count = 1,
                                      .load = store->load,
                                      .span_given = true,
                                      .kills = store->kills,
                                      .directory = ".",
                                      .setting_count = store->setting_count};
    memcpy(request.settings, store->settings, sizeof store->settings);
    return request;
}
