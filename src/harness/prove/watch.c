/* watch.c - writes and reads the notes in shared memory: operation lists, and checks of what comes back. */
#include "harness/prove/watch.h"

#include "harness/base/object.h"
#include "harness/base/text.h"

/* Another byte in each call: nobody's zero. */
__attribute__((noinline)) void watch_soil_stack(uint64_t with)
{
    char area[512];
    memset(area, (int)(1 + with * 37 % 255), sizeof area);
    __asm__ volatile("" : : "r"(area) : "memory");
}

void watch_list(struct watch *watch, const struct operations *operations)
{
    if (!watch)
        return;
    watch->is_cut = operations->count > WATCH_OPERATIONS_MAX;
    watch->operations = *operations;
    watch->operations.list = NULL;
    watch->operations.count = watch->is_cut ? WATCH_OPERATIONS_MAX : operations->count;
    if (watch->operations.count > 0)
        memcpy(watch->list, operations->list, watch->operations.count * sizeof *operations->list);
    watch_step(watch, 0);
}

void watch_read_list(const struct watch *watch, struct operations *operations)
{
    struct operations noted = watch->operations;
    struct operation list[1];
    noted.list = list;
    noted.count = 0;
    operations_copy(operations, &noted, NULL);
    for (size_t i = 0; i < watch->operations.count; i++)
        operations_append(operations, watch->list[i]);
}

/* ---- After the child's end ------------------------------------------------------------------- */

static bool setting_is_good(const struct tw_setting *setting, const struct tw_backend *backend)
{
    const struct tw_param *param = backend->params;
    while (param->name && param->name != setting->name)
        param++;
    return setting->count <= TW_VALUES_MAX && (param->name || literal_check(setting->name));
}

static bool operation_is_good(const struct operation *operation, uint32_t capacity)
{
    bool many = operation->code == OPERATION_START || operation->code == OPERATION_STOP;
    if ((unsigned)operation->code > OPERATION_AGAIN || !strchr("+-@", operation->base))
        return false;
    if (operation->code == OPERATION_AGAIN) /* its id is a number of lines */
        return true;
    return operation->id < capacity && operation->target < capacity &&
           operation->further < capacity - operation->id &&
           (!many || operation->times <= capacity - operation->id);
}

static bool list_is_good(const struct watch *watch, const struct tw_backend *backend)
{
    const struct operations *noted = &watch->operations;
    bool good = noted->capacity > 0 && noted->capacity <= TW_CAPACITY_MAX &&
                noted->setting_count <= OPERATIONS_SETTINGS_MAX &&
                noted->count <= WATCH_OPERATIONS_MAX;
    for (size_t i = 0; good && i < noted->setting_count; i++)
        good = setting_is_good(&noted->settings[i], backend);
    for (size_t i = 0; good && i < noted->count; i++)
        good = operation_is_good(&watch->list[i], noted->capacity);
    return good;
}

void watch_mend(struct watch *watch, const struct tw_backend *backend)
{
    struct conform_report *report = &watch->report;
    watch->function = literal_check(watch->function);
    watch->story = literal_check(watch->story);
    watch->fault.taken_in = literal_check(watch->fault.taken_in);
    if (!watch->fault.taken_in)
        watch->fault.taken_in = "an unknown function";
    if (watch->taken_count > WATCH_TAKEN_MAX)
        watch->taken_count = WATCH_TAKEN_MAX;
    if ((unsigned)watch->fault.place > FAULT_STACK)
        watch->fault.place = FAULT_UNKNOWN;
    report->rule = literal_check(report->rule);
    report->watch = NULL;
    report->operations[0] = '\0'; /* the parent prints the list */
    utf8_make_printable(report->detail, sizeof report->detail);
    utf8_make_lines(report->coverage.remarks, sizeof report->coverage.remarks);
    watch->operations.list = NULL;
    watch->operations.out_of_memory = false;
    if (!list_is_good(watch, backend))
        watch->operations = (struct operations){.capacity = 1};
}
