/* cmd_report.c - report: shows an old document of any kind again; called as plot only its pictures. */
#include "harness/base/file.h"
#include "harness/command/command.h"
#include "harness/command/labs.h"
#include "harness/command/outputs.h"

#include <unistd.h>

static const struct flag_group groups[] = {OUTPUT_FORCE(0),
                                           OUTPUT_PLOTS(0),
                                           OUTPUT_HTML(0),
                                           OUTPUT_ASSERT(0),
                                           OUTPUT_STYLE(0),
                                           OUTPUT_EXPORTS(0, result),
                                           {0}};

/* Standard input as a file that can be read again, by a lab's program too. */
static void keep_stdin(void)
{
    char buffer[65536];
    size_t size;
    FILE *kept = tmpfile();
    while (kept && (size = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        fwrite(buffer, 1, size, kept);
    if (!kept || fflush(kept) != 0 || dup2(fileno(kept), STDIN_FILENO) < 0)
        return;
    lseek(STDIN_FILENO, 0, SEEK_SET);
    clearerr(stdin);
}

/* A document of a lab's kind is shown by the lab's program; returns when there is no such lab. */
static int hand_over(struct call *call, struct diag *diag)
{
    char *text = NULL;
    size_t size;
    const struct lab_row *row = NULL;
    bool is_stdin = strcmp(call->operands[0], "-") == 0;
    if (is_stdin)
        keep_stdin();
    int status = file_read(call->operands[0], &text, &size, diag);
    if (is_stdin)
        rewind(stdin);
    if (status == DIAG_OK)
        row = lab_for_document(text, size);
    free(text);
    return row ? lab_become(row, call->argv, diag) : status;
}

static int report(struct call *call)
{
    struct diag diag;
    struct outputs *outputs = call->options;
    struct document document = {.kind = NULL};
    bool broken = false;
    int status =
        call->operand_count == 1 ? DIAG_OK : command_operands(call, "one DOCUMENT.json", &diag);
    outputs->silent = call->argc > 1 && strcmp(call->argv[1], "plot") == 0;
    if (status == DIAG_OK)
        status = hand_over(call, &diag);
    if (status == DIAG_OK)
        status = outputs_check(call, outputs, &diag);
    if (status == DIAG_OK)
        status = document_load(call->operands[0], &document, &diag);
    if (status == DIAG_OK)
        status = document.result ? outputs_write(outputs, document.result, &diag)
                                 : outputs_page(outputs, document.json, &diag);
    if (status == DIAG_OK && document.result)
        status = outputs_assert(outputs, document.result, &broken, &diag);
    if (status == DIAG_USAGE && (document.kind || document.result))
        diag_name(&diag, call->operands[0]);
    document_free(&document);
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    return broken ? EXIT_REGRESSED : EXIT_OK;
}

static void begin(struct call *call)
{
    struct outputs *outputs = call->options;
    outputs->kind = OUTPUT_RESULT;
    outputs->page_alone = true;
}

const struct command cmd_report = {
    .name = "report",
    .old_name = "plot",
    .usage = "[FLAGS] DOCUMENT.json [-o REPORT.html]",
    .summary = "Show a document again: text, pictures or a page (-o).  Measures nothing.",
    .topic = "Compare timer designs",
    .groups = groups,
    .size = sizeof(struct outputs),
    .begin = begin,
    .run = report,
};
