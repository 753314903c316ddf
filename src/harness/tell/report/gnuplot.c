/* gnuplot.c - runs gnuplot and reports its errors. */
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/tell/report/plot.h"
#include "harness/tell/report/writer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

int gnuplot_directory(const char *directory, struct diag *diag)
{
    char path[4096];
    struct stat info;
    if (snprintf(path, sizeof path, "%s", directory) >= (int)sizeof path)
        return diag_usage(diag, "%.200s...: the name is too long", directory);
    for (char *c = path + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(path, 0777);
            *c = '/';
        }
    if (mkdir(path, 0777) == 0 || (stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return DIAG_OK;
    return diag_usage(diag, "%s: cannot be made: %s; expected a directory", directory,
                      strerror(errno));
}

static int gnuplot_missing(const char *data, int reason, struct diag *diag)
{
    if (reason == ENOENT)
        return diag_run(diag, "gnuplot is not installed (Debian package gnuplot-nox)%s%s",
                        data ? "; the data to draw is in " : "", data ? data : "");
    return diag_run(diag, "gnuplot cannot be started: %s", strerror(reason));
}

/* What gnuplot said, on one line: the message without the script's text before it. */
static void read_words(char *out, size_t size, int fd)
{
    ssize_t length = pread(fd, out, size - 1, 0);
    out[length > 0 ? length : 0] = '\0';
    for (char *c = out; *c; c++)
        if (isspace((unsigned char)*c))
            *c = ' ';
}

static int gnuplot_wait(pid_t child, int words_fd, const char *script, struct diag *diag)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return diag_run(diag, "gnuplot: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return DIAG_OK;
    char words[600];
    read_words(words, sizeof words, words_fd);
    return diag_run(diag, "gnuplot failed on %s: %s", script, words[0] ? words : "without a word");
}

/* A picture of text is as wide as the terminal; the script takes the width from the environment. */
static void give_columns(void)
{
    char columns[16];
    snprintf(columns, sizeof columns, "%u", style_for(stdout, STYLE_COLOR_NEVER).columns);
    setenv("COLUMNS", columns, 1);
}

/* gnuplot ignores that its text cannot be written.  For our stdout that is noticed at the end (cli.c). */
static void copy_to_stdout(FILE *text)
{
    char piece[4096];
    rewind(text);
    for (size_t bytes; (bytes = fread(piece, 1, sizeof piece, text)) > 0;)
        fwrite(piece, 1, bytes, stdout);
}

/* A browser shows a group's title below the mouse, and a screen reader reads it: gnuplot's own words for what has no name
 * go. */
static void drop_titles(char *svg)
{
    static const char open[] = "<title>", close[] = "</title>";
    char *to = svg;
    for (const char *at = svg; *at;) {
        const char *text = at + sizeof open - 1, *end;
        if (strncmp(at, open, sizeof open - 1) == 0 &&
            (strncmp(text, "data ", 5) == 0 || strncmp(text, "gnuplot_plot_", 13) == 0) &&
            (end = strstr(text, close)))
            at = end + sizeof close - 1;
        else
            *to++ = *at++;
    }
    *to = '\0';
}

static int tidy_svg(const char *path, struct diag *diag)
{
    char *svg;
    size_t size;
    int status = file_read(path, &svg, &size, diag);
    if (status != DIAG_OK)
        return status;
    drop_titles(svg);
    FILE *out = fopen(path, "w");
    bool failed = !out || fputs(svg, out) < 0;
    failed |= out && fclose(out) != 0;
    free(svg);
    return failed ? diag_run(diag, "%s: cannot be written: %s", path, strerror(errno)) : DIAG_OK;
}

int gnuplot_run(const char *script, const char *data, const char *out, struct diag *diag)
{
    const char *const argv[] = {"gnuplot", "-d", "-c", script, data, out, NULL};
    FILE *words = tmpfile(), *text = tmpfile();
    int status = DIAG_OK;
    if (!words || !text) {
        status = diag_run(diag, "no temporary file for gnuplot: %s", strerror(errno));
    } else {
        posix_spawn_file_actions_t actions;
        pid_t child;
        if (!out)
            give_columns();
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, fileno(text), 1);
        posix_spawn_file_actions_adddup2(&actions, fileno(words), 2);
        int reason =
            posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        status = reason ? gnuplot_missing(out ? data : NULL, reason, diag)
                        : gnuplot_wait(child, fileno(words), script, diag);
        copy_to_stdout(text);
    }
    if (words)
        fclose(words);
    if (text)
        fclose(text);
    if (status == DIAG_OK && out && text_ends_with(out, ".svg"))
        status = tidy_svg(out, diag);
    return status;
}
