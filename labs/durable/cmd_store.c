/* cmd_store.c - store dump DIR: prints the files of a wheel-log, record by record, and names what is damaged. */
#include "labs/durable/durable.h"
#include "labs/durable/stores/wheel_log.h"

#include <inttypes.h>
#include <string.h>

static void print_segment(void *ctx, const char *file, uint64_t bytes,
                          const struct wl_file_header *header)
{
    (void)ctx;
    printf("%s  segment, %" PRIu64 " bytes", file, bytes);
    if (header)
        printf(", format %u, %u slots of %u ms, %u hours", header->version, header->slots,
               header->slot_ms, header->hours);
    printf("\n");
}

/* Each kind has its own use of key and due (wheel_log_format.h). */
static void print_record(void *ctx, uint64_t offset, const struct wl_record *record)
{
    (void)ctx;
    const struct wl_entry *entry = &record->entry;
    const char *wheel = entry->kind & WL_COARSE ? "hours" : "seconds";
    printf("  %10" PRIu64 "  ", offset);
    switch (wl_kind_of(entry)) {
    case WL_PUT:
        printf("put     key %" PRIu64 ", due %" PRIu64 ", %u bytes%s, %s", entry->key, entry->due,
               entry->size, entry->kind & WL_LATE ? " with the due it was put with" : "", wheel);
        break;
    case WL_CANCEL:
        printf("cancel  of the message at %" PRIu64 ", due %" PRIu64 ", %s", entry->key, entry->due,
               wheel);
        break;
    case WL_DONE:
        printf("done    up to due %" PRIu64 ", position %" PRIu64 "; %u messages", entry->due,
               entry->key, entry->body_check);
        break;
    case WL_SEAL:
        printf("seal    over at %" PRIu64, entry->due);
        break;
    default:
        printf("bridge  over the lost entry at %" PRIu64 ", %s", entry->key, wheel);
    }
    if (entry->back)
        printf(", back to %" PRIu64, record->position - entry->back);
    printf("\n");
}

static void print_heads(const struct wl_wheel *wheel, size_t number)
{
    const struct wl_page *page = wheel->pages[number];
    bool coarse = number >= WL_COARSE_PAGE;
    size_t first = coarse ? 0 : number % WL_FINE_PARTS * WL_PAGE_HEADS;
    for (size_t i = 0; i < WL_PAGE_HEADS; i++)
        if (page->heads[i])
            printf("  %s round %" PRIu64 " slot %zu: head at %" PRIu64 "\n",
                   coarse ? "hours  " : "seconds", page->round, first + i, page->heads[i]);
}

static void print_checkpoint(void *ctx, const char *file, const struct wl_state *state,
                             const struct wl_wheel *wheel)
{
    (void)ctx;
    printf("%s  checkpoint %" PRIu64 ", log up to %" PRIu64 ", done up to due %" PRIu64
           " position %" PRIu64 ", hours open up to %" PRIu64 ", %" PRIu64 " pending\n",
           file, state->sequence, state->log, state->floor_due, state->floor_position,
           state->opened, state->pending);
    for (size_t i = 0; i < WL_PAGES; i++)
        if (wheel->pages[i])
            print_heads(wheel, i);
}

static void print_damage(void *ctx, const char *file, uint64_t offset, const char *what)
{
    (void)ctx;
    printf("damaged: %s at %" PRIu64 ": %s\n", file, offset, what);
}

static int run(struct call *call)
{
    static const struct wl_inspector printer = {
        .segment = print_segment,
        .record = print_record,
        .checkpoint = print_checkpoint,
        .damage = print_damage,
    };
    struct diag diag;
    struct tw_error why = {""};
    int status = DIAG_OK;
    if (call->operand_count != 2 || strcmp(call->operands[0], "dump") != 0)
        status =
            diag_usage(&diag, "store: expected 'store dump DIR', the directory of a wheel-log");
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    switch (wl_inspect(call->operands[1], &printer, &why)) {
    case WL_INSPECTED:
        return EXIT_OK;
    case WL_INSPECTED_DAMAGE:
        return EXIT_FAILED;
    default:
        return command_fail(diag_usage(&diag, "%s", why.text), &diag);
    }
}

static const struct flag_group groups[] = {{0}};

const struct command cmd_store = {
    .name = "store",
    .usage = "dump DIR",
    .summary = "Print the files of a wheel-log, and name what is damaged.",
    .topic = "Threads and stores",
    .groups = groups,
    .run = run,
};
