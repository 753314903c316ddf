/* probe.c - reads what a probed program answers, and writes it there. */
#include "harness/compare/blocks.h"

#include "harness/base/json.h"

#define REASON PROBE_REASON

void probe_begin(struct probe_command *command, const char *word)
{
    command->count = 0;
    command->argv[0] = NULL;
    probe_add(command, "%s", word);
}

void probe_add(struct probe_command *command, const char *format, ...)
{
    if (command->count == PROBE_ARGUMENTS)
        return;
    char *text = command->text[command->count];
    va_list args;
    va_start(args, format);
    vsnprintf(text, PROBE_ARGUMENT, format, args);
    va_end(args);
    command->argv[command->count++] = text;
    command->argv[command->count] = NULL;
}

void probe_name_plugin(struct probe_command *command, const char *path)
{
    snprintf(command->text[PROBE_DESIGN], PROBE_ARGUMENT, "--plugin=%s", path);
}

/* The i-th number of the phase's array; NaN when there is none. */
static double time_of(const cJSON *phase, const char *key, int sample)
{
    const cJSON *item = cJSON_GetArrayItem(json_get(phase, key), sample);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static double sum_phases(const cJSON *phases, const char *key, int sample)
{
    double sum_ns = 0;
    json_each(phase, phases, "")
        sum_ns += time_of(phase, key, sample);
    return sum_ns;
}

static void keep_phases(struct probe_sample *sample, const cJSON *phases, int fastest)
{
    sample->phase_count = 0;
    json_each(phase, phases, "")
        if (sample->phase_count < STREAM_PHASES_MAX)
            sample->phase_cpu_ns[sample->phase_count++] =
                time_of(phase, "cpu_ns", fastest) / (double)sample->passes;
}

/* False when something that has to be there is not. */
static bool sample_read(struct probe_sample *sample, const cJSON *answer)
{
    const cJSON *phases = json_get(answer, "phases");
    double passes = json_get_number(answer, "passes"), calls = json_get_number(answer, "calls");
    if (json_get_number(answer, "probe_version") != PROBE_VERSION || !(passes >= 1) ||
        !(calls >= 1))
        return false;
    *sample = (struct probe_sample){.cpu_ns = INFINITY, .wall_ns = INFINITY};
    sample->passes = (uint64_t)passes;
    sample->calls = (uint64_t)calls;
    sample->pace_ns = json_get_number(answer, "pace_ns");
    sample->slow = (uint64_t)fmax(json_get_number(answer, "slow"), 0);
    snprintf(sample->stream_hash, sizeof sample->stream_hash, "%s",
             json_get_text(answer, "stream_hash"));
    int count = cJSON_GetArraySize(json_get(cJSON_GetArrayItem(phases, 0), "cpu_ns"));
    sample->samples = (uint64_t)count;
    for (int i = 0; i < count; i++) {
        double cpu_ns = sum_phases(phases, "cpu_ns", i) / passes;
        sample->wall_ns = fmin(sample->wall_ns, sum_phases(phases, "wall_ns", i) / passes);
        if (cpu_ns < sample->cpu_ns) {
            sample->cpu_ns = cpu_ns;
            keep_phases(sample, phases, i);
        }
    }
    return sample->stream_hash[0] && isfinite(sample->cpu_ns) && isfinite(sample->wall_ns) &&
           sample->cpu_ns > 0 && sample->wall_ns > 0 && sample->pace_ns > 0;
}

static enum probe_end judge_answer(const struct spawn_result *result, struct probe_sample *sample,
                                   char *reason)
{
    cJSON *answer = NULL;
    struct diag ignored;
    (void)jsontext_read("probe", result->out, strlen(result->out), "an answer", &answer, &ignored);
    const char *status = json_get_text(answer, "status");
    enum probe_end end = PROBE_OK;
    if (answer && status[0] && strcmp(status, "ok") != 0) {
        snprintf(reason, REASON, "%s: %.200s", status, json_get_text(answer, "reason"));
        end = PROBE_WRONG;
    } else if (!answer || !sample_read(sample, answer)) {
        snprintf(reason, REASON,
                 "does not answer 'probe' as a twbench of this version does%s%.200s",
                 result->err[0] ? "; it says: " : "", result->err);
        end = PROBE_STRANGE;
    }
    cJSON_Delete(answer);
    reason[strcspn(reason, "\n")] = '\0';
    return end;
}

enum probe_end probe_take(const char *program, const struct probe_command *command,
                          const char *variable, int cpu, uint64_t budget_ns,
                          const struct interrupt *interrupt, struct probe_sample *sample,
                          char *reason)
{
    struct spawn_result result;
    enum probe_end end = PROBE_WRONG;
    reason[0] = '\0';
    spawn_run(
        &(struct spawn_request){
            .path = program,
            .argv = command->argv,
            .variable = variable,
            .cpu = cpu,
            .budget_ns = budget_ns,
            .interrupt = interrupt,
        },
        &result);
    if (result.end == SPAWN_INTERRUPTED)
        end = PROBE_INTERRUPTED;
    else if (result.end == SPAWN_TIMED_OUT)
        end = PROBE_LATE;
    else if (result.end == SPAWN_KILLED)
        snprintf(reason, REASON, "crashed: killed by signal %d (%s)", result.code,
                 strsignal(result.code));
    else if (result.end == SPAWN_FAILED)
        snprintf(reason, REASON, "could not be started: %s", strerror(result.code));
    else
        end = judge_answer(&result, sample, reason);
    spawn_free(&result);
    return end;
}

/* ---- The answer of the other side. --------------------------------------------------------- */

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
    json_add_hex(answer, "stream_hash", stream_hash_of_passes(stream));
    json_put(answer, series, passes, calls);
    json_add(answer, "pace_ns", json_measure(series->pace_ns));
    json_add_integer(answer, "slow", series->slow);
    json_add(answer, "phases", phases);
    return answer;
}
