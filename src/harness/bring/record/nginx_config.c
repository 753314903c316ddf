/* nginx_config.c - writes and removes the private copy of nginx's configuration. */
#include "harness/bring/record/nginx_config.h"

#include "harness/bring/record/command.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Directives. --------------------------------------------------------------------------------- */

/* Behind a comment, a quoted word, or one character. */
static const char *skip_piece(const char *at)
{
    char quote = *at;
    if (quote == '#') {
        at += strcspn(at, "\n");
        return at;
    }
    if (quote != '"' && quote != '\'')
        return at + 1;
    for (at++; *at && *at != quote; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

static bool is_word(const char *at, const char *word)
{
    size_t length = strlen(word);
    return strncmp(at, word, length) == 0 && isspace((unsigned char)at[length]);
}

/* The next directive of one of the two names at or behind `at`, its end behind the semicolon; NULL: there is none. */
static const char *find_directive(const char *at, const char *first, const char *second,
                                  const char **end)
{
    bool begins = true;
    while (*at) {
        if (begins && (is_word(at, first) || is_word(at, second))) {
            const char *last = at;
            while (*last && *last != ';')
                last = skip_piece(last);
            *end = *last ? last + 1 : last;
            return at;
        }
        if (*at != '#' && !isspace((unsigned char)*at))
            begins = strchr(";{}", *at) != NULL;
        at = skip_piece(at);
    }
    return NULL;
}

size_t nginx_config_strip(const char *text, char *out)
{
    size_t length = 0;
    const char *at, *end;
    while ((at = find_directive(text, "error_log", "daemon", &end)) != NULL) {
        memcpy(out + length, text, (size_t)(at - text));
        length += (size_t)(at - text);
        text = end;
    }
    size_t rest = strlen(text);
    memcpy(out + length, text, rest + 1);
    return length + rest;
}

/* ---- What nginx says of itself. ------------------------------------------------------------------ */

static size_t count_words(char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    return count;
}

/* The output of the command with one more word. */
static int ask(char *const *command, const char *word, char **text, int *ended, struct diag *diag)
{
    size_t count = count_words(command);
    char asked[8], **words = calloc(count + 2, sizeof *words);
    if (!words)
        return diag_run(diag, "no memory for the arguments of nginx");
    memcpy(words, command, count * sizeof *words);
    snprintf(asked, sizeof asked, "%s", word);
    words[count] = asked;
    int status = command_output(words, text, ended, diag);
    free(words);
    return status;
}

static int check_program(char *const *command, struct diag *diag)
{
    int ended;
    char *text, *version[] = {command[0], NULL};
    const char *slash = strrchr(command[0], '/');
    if (strncmp(slash ? slash + 1 : command[0], "nginx", 5) != 0)
        return diag_usage(diag,
                          "%s: expected nginx itself behind --, with its flags; put load on it "
                          "from elsewhere meanwhile",
                          command[0]);
    int status = ask(version, "-V", &text, &ended, diag);
    if (status != DIAG_OK)
        return status == DIAG_USAGE ? diag_usage(diag,
                                                 "%s: not found; apt-get install nginx, or name "
                                                 "its file",
                                                 command[0])
                                    : status;
    if (!strstr(text, "--with-debug"))
        status = diag_usage(diag,
                            "%s: built without --with-debug, so it cannot report its timers; "
                            "Debian's nginx is built with it",
                            command[0]);
    free(text);
    return status;
}

/* The whole configuration with the names of its files, as `nginx -T` prints it; to be freed. */
static int dump(char *const *command, char **text, struct diag *diag)
{
    int ended;
    int status = ask(command, "-T", text, &ended, diag);
    if (status != DIAG_OK || ended == 0)
        return status;
    const char *why = strstr(*text, "[emerg]");
    status = diag_usage(diag, "%s -T: status %d: %.*s", command[0], ended,
                        (int)strcspn(why ? why : *text, "\n"), why ? why : *text);
    free(*text);
    return status;
}

#define FILE_MARK "# configuration file "

/* The name that stands behind a mark. */
static void name_of(const char *mark, char *out, size_t size)
{
    mark += strlen(FILE_MARK);
    size_t length = strcspn(mark, "\n");
    snprintf(out, size, "%.*s", (int)(length > 0 ? length - 1 : 0), mark);
}

/* ---- The copy. ----------------------------------------------------------------------------------- */

/* What the main file names without a path is looked for beside it. */
static void link_beside(const struct nginx_config *config, const char *main_file)
{
    char directory[PATH_MAX], from[2 * PATH_MAX], to[PATH_MAX];
    if (!realpath(main_file, directory))
        return;
    *strrchr(directory, '/') = '\0';
    DIR *entries = opendir(directory);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, "nginx.conf") == 0)
            continue;
        snprintf(from, sizeof from, "%s/%s", directory, entry->d_name);
        snprintf(to, sizeof to, "%s/%s", config->directory, entry->d_name);
        if (symlink(from, to) != 0)
            continue; /* nginx itself says what it misses */
    }
    if (entries)
        closedir(entries);
}

static int write_copy(struct nginx_config *config, const char *text, struct diag *diag)
{
    snprintf(config->directory, sizeof config->directory, "/tmp/twbench-nginx-XXXXXX");
    if (!mkdtemp(config->directory)) {
        int why = errno;
        config->directory[0] = '\0';
        return diag_run(diag, "/tmp/twbench-nginx: %s", strerror(why));
    }
    snprintf(config->file, sizeof config->file, "%s/nginx.conf", config->directory);
    FILE *out = fopen(config->file, "we");
    bool failed = !out || fputs(text, out) < 0;
    if (out)
        failed |= fclose(out) != 0;
    return failed ? diag_run(diag, "%s: %s", config->file, strerror(errno)) : DIAG_OK;
}

/* The command with our configuration; what it had behind -g stays. */
static int write_words(struct nginx_config *config, char *const *command, struct diag *diag)
{
    size_t count = count_words(command), kept = 1;
    const char *given = "";
    config->words = calloc(count + 5, sizeof *config->words);
    if (!config->words)
        return diag_run(diag, "no memory for the arguments of nginx");
    config->words[0] = command[0];
    for (size_t i = 1; i < count; i++) {
        bool file = strncmp(command[i], "-c", 2) == 0, globals = strncmp(command[i], "-g", 2) == 0;
        if (!file && !globals) {
            config->words[kept++] = command[i];
            continue;
        }
        const char *value = command[i][2] ? command[i] + 2 : command[i + 1] ? command[++i] : "";
        given = globals ? value : given;
    }
    static const char ours[] = " daemon off; error_log stderr debug_event;";
    config->globals = malloc(strlen(given) + sizeof ours);
    if (!config->globals)
        return diag_run(diag, "no memory for the arguments of nginx");
    memcpy(config->globals + nginx_config_strip(given, config->globals), ours, sizeof ours);
    config->words[kept++] = config->file_flag;
    config->words[kept++] = config->file;
    config->words[kept++] = config->globals_flag;
    config->words[kept] = config->globals;
    return DIAG_OK;
}

/* One in an included file would take the reports of its part away. */
static int check_copy(const struct nginx_config *config, struct diag *diag)
{
    char *text, name[PATH_MAX] = "?";
    const char *end;
    int status = dump(config->words, &text, diag);
    if (status != DIAG_OK)
        return status;
    const char *at = find_directive(text, "error_log", "error_log", &end);
    if (at) {
        for (const char *mark = text; (mark = strstr(mark, FILE_MARK)) != NULL && mark < at; mark++)
            name_of(mark, name, sizeof name);
        status = diag_usage(diag,
                            "%s: '%.*s' would keep timers out of the recording; take it out while "
                            "you record",
                            name, (int)(end - at), at);
    }
    free(text);
    return status;
}

/* `text` is what nginx -T printed: the main file comes first. */
static int copy_config(struct nginx_config *config, char *const *command, char *text,
                       struct diag *diag)
{
    char main_file[PATH_MAX];
    char *mark = strstr(text, FILE_MARK);
    if (!mark)
        return diag_usage(diag, "%s -T: no line '" FILE_MARK "...'", command[0]);
    name_of(mark, main_file, sizeof main_file);
    char *next = strstr(mark + 1, "\n" FILE_MARK);
    if (next)
        next[1] = '\0';
    char *copy = malloc(strlen(mark) + 1);
    if (!copy)
        return diag_run(diag, "no memory for the configuration of nginx");
    nginx_config_strip(mark, copy);
    int status = write_copy(config, copy, diag);
    free(copy);
    if (status == DIAG_OK)
        link_beside(config, main_file);
    if (status == DIAG_OK)
        status = write_words(config, command, diag);
    return status == DIAG_OK ? check_copy(config, diag) : status;
}

int nginx_config_open(struct nginx_config *config, char *const *command, struct diag *diag)
{
    char *text;
    *config = (struct nginx_config){.file_flag = "-c", .globals_flag = "-g"};
    int status = check_program(command, diag);
    if (status == DIAG_OK)
        status = dump(command, &text, diag);
    if (status != DIAG_OK)
        return status;
    status = copy_config(config, command, text, diag);
    free(text);
    return status;
}

/* The directory has files and links alone. */
void nginx_config_close(struct nginx_config *config)
{
    DIR *entries = config->directory[0] ? opendir(config->directory) : NULL;
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL)
        unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    if (config->directory[0])
        rmdir(config->directory);
    free(config->globals);
    free(config->words);
    *config = (struct nginx_config){.words = NULL};
}
