/* cmd_lab_new.c - lab new: writes the handout of the timer lab into a directory. */
#include "labs/lab/lab.h"

#include "build_info.h"
#include "harness/base/paths.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* The command that the handout's Makefile calls, and the text that is being copied. */
struct handing {
    const char *twbench, *text;
    struct diag *diag;
};

void lab_data(char out[LAB_PATH])
{
    paths_find("lab", BUILD_SHARE_DIR "/lab", out, LAB_PATH);
}

/* ---- Copying. -------------------------------------------------------------------------------- */

/* The text, with the program's name in the place of @TWBENCH@. */
static void print_copy(FILE *out, const void *ctx)
{
    static const char mark[] = "@TWBENCH@";
    const struct handing *handing = ctx;
    const char *at = handing->text, *found;
    while ((found = strstr(at, mark))) {
        fprintf(out, "%.*s%s", (int)(found - at), at, handing->twbench);
        at = found + sizeof mark - 1;
    }
    fputs(at, out);
}

static int copy_file(const struct handing *handing, const char *from, const char *to)
{
    char *text = NULL;
    size_t size;
    int status = file_read(from, &text, &size, handing->diag);
    struct handing copy = {handing->twbench, text, handing->diag};
    if (status == DIAG_OK)
        status = file_replace(to, print_copy, &copy, handing->diag);
    free(text);
    return status;
}

static int copy_directory(const struct handing *handing, const char *from, const char *to)
{
    struct dirent *entry;
    struct stat info;
    int status = DIAG_OK;
    DIR *directory = opendir(from);
    if (!directory)
        return diag_run(handing->diag, "%s: cannot be read: %s; 'make lab' makes it", from,
                        strerror(errno));
    if (mkdir(to, 0777) != 0)
        status = diag_usage(handing->diag, "%s: cannot be made: %s; expected a new directory", to,
                            strerror(errno));
    while (status == DIAG_OK && (entry = readdir(directory))) {
        char source[LAB_PATH], target[LAB_PATH];
        snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        snprintf(target, sizeof target, "%s/%s", to, entry->d_name);
        if (entry->d_name[0] == '.' || stat(source, &info) != 0)
            continue;
        status = S_ISDIR(info.st_mode) ? copy_directory(handing, source, target)
                                       : copy_file(handing, source, target);
    }
    closedir(directory);
    return status;
}

/* ---- The command. ---------------------------------------------------------------------------- */

/* As the user called it; a path of their own stays good wherever the handout lies. */
static void name_program(const struct call *call, char *out)
{
    const char *typed = call->argv[0];
    if (!strchr(typed, '/') || !realpath(typed, out))
        snprintf(out, LAB_PATH, "%s", typed);
}

static int run(struct call *call)
{
    struct diag diag;
    char twbench[LAB_PATH], data[LAB_PATH], handout[LAB_PATH + 16];
    int status = call->operand_count == 1
                     ? DIAG_OK
                     : command_operands(call, "one directory, which is made", &diag);
    if (status == DIAG_OK) {
        name_program(call, twbench);
        lab_data(data);
        snprintf(handout, sizeof handout, "%s/handout", data);
        status =
            copy_directory(&(struct handing){twbench, NULL, &diag}, handout, call->operands[0]);
    }
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    printf("%s: the lab.  Read %s/TASK.md, fill in %s/timers.c, and try 'make -C %s check'.\n",
           call->operands[0], call->operands[0], call->operands[0], call->operands[0]);
    return EXIT_OK;
}

const struct command cmd_lab_new = {
    .name = "lab new",
    .usage = "DIR",
    .summary = "Write a handout: the task, a C file to fill in, loads and tests.",
    .topic = "My class",
    .groups = (const struct flag_group[]){{0}},
    .run = run,
};
