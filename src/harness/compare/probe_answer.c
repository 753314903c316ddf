/* probe_answer.c - writes what a probed program answers. */
#include "harness/compare/blocks.h"

#include "harness/base/json.h"

static cJSON *series_times(const double times[SAMPLE_MAX][STREAM_PHASES_MAX], size_t samples,
                           size_t phase)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < samples; i++)
        cJSON_AddItemToArray(array, json_measure(times[i][phase]));
    return array;
}

static cJSON *series_phase(const struct sample_series *series, const struct stream *stream,
                           size_t samples, size_t phase)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", stream->phases[phase].name);
    json_add(object, "cpu_ns", series_times(series->cpu_ns, samples, phase));
    json_add(object, "wall_ns", series_times(series->wall_ns, samples, phase));
    return object;
}

cJSON *probe_answer(const struct sample_series *series, const struct stream *stream, size_t samples)
{
    cJSON *answer = cJSON_CreateObject(), *phases = cJSON_CreateArray();
    bool ok = series->status == OUTCOME_OK;
    for (size_t i = 0; ok && i < stream->phase_count; i++)
        cJSON_AddItemToArray(phases, series_phase(series, stream, samples, i));
    json_add_integer(answer, "probe_version", PROBE_VERSION);
    json_add_text(answer, "status", outcome_status_name(series->status));
    json_add_text(answer, "reason", series->reason);
    json_add_hex(answer, "stream_hash", stream->hash);
    json_add_integer(answer, "passes", series->passes);
    json_add_integer(answer, "calls", series->calls);
    json_add(answer, "pace_ns", json_measure(series->pace_ns));
    json_add_integer(answer, "slow", series->slow);
    json_add(answer, "phases", phases);
    return answer;
}
