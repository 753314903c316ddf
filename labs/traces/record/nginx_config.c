/* nginx_config.c - writes and removes the private copy of nginx's configuration. */
#include "labs/traces/record/nginx_config.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"
#include "labs/traces/record/record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Directives. --------------------------------------------------------------------------------- */

/* Behind the word at `at`, by nginx's own rules: quotes and comments count at the beginning of a word alone, so that
 * "it's" and "a#b" are words, and "${x}" is no block. */
static const char *skip_word(const char *at)
{
    char quote = *at == '"' || *at == '\'' ? *at++ : '\0';
    for (bool variable = false; *at; at++) {
        if (quote ? *at == quote
                  : isspace((unsigned char)*at) || *at == ';' || (*at == '{' && !variable))
            return quote ? at + 1 : at;
        variable = *at == '$';
        if (*at == '\\' && at[1])
            at++;
    }
    return at;
}

/* Behind a comment, a word, or one character between words. */
static const char *skip_piece(const char *at)
{
    if (isspace((unsigned char)*at) || strchr(";{}", *at))
        return at + 1;
    return *at == '#' ? at + strcspn(at, "\n") : skip_word(at);
}

/* Is the word from `at` to `end` that name, quoted or not? */
static bool is_name(const char *at, const char *end, const char *name)
{
    size_t quoted = *at == '"' || *at == '\'', length = strlen(name);
    return (size_t)(end - at) == length + 2 * quoted && memcmp(at + quoted, name, length) == 0;
}

/* The next directive of one of the two names at or behind `at`, its end behind the semicolon; NULL: there is none. */
static const char *find_directive(const char *at, const char *first, const char *second,
                                  const char **end)
{
    bool begins = true;
    for (const char *behind; *at; at = behind) {
        behind = skip_piece(at);
        if (begins && (is_name(at, behind, first) || is_name(at, behind, second))) {
            while (*behind && !strchr(";{}", *behind))
                behind = skip_piece(behind);
            *end = *behind == ';' ? behind + 1 : behind;
            return at;
        }
        if (*at != '#' && !isspace((unsigned char)*at))
            begins = strchr(";{}", *at) != NULL;
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
    char asked[8], **words = memory_take(count + 2, sizeof *words);
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

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The name that stands behind a mark. */
static void name_of(const char *mark, char *out, size_t size)
{
    mark += strlen(FILE_MARK);
    size_t length = strcspn(mark, "\n");
    snprintf(out, size, "%.*s", (int)(length > 0 ? length - 1 : 0), mark);
}

/* ---- The copy. ----------------------------------------------------------------------------------- */

/* What the main file names without a path is looked for beside it: beside its name, which may be a link. */
static void link_beside(const struct nginx_config *config, const char *main_file)
{
    char beside[PATH_MAX], directory[PATH_MAX], from[2 * PATH_MAX], to[PATH_MAX];
    const char *name = base_name(main_file);
    snprintf(beside, sizeof beside, "%.*s.", (int)(name - main_file), main_file);
    DIR *entries = realpath(beside, directory) ? opendir(directory) : NULL;
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, name) == 0)
            continue;
        snprintf(from, sizeof from, "%s/%s", directory, entry->d_name);
        snprintf(to, sizeof to, "%s/%s", config->directory, entry->d_name);
        if (symlink(from, to) != 0)
            continue; /* nginx itself says what it misses */
    }
    if (entries)
        closedir(entries);
}

/* Under the name of the main file, so that it stands where an include of its neighbours would find that one. */
static int write_copy(struct nginx_config *config, const char *name, const char *text,
                      struct diag *diag)
{
    snprintf(config->directory, sizeof config->directory, "/tmp/twbench-nginx-XXXXXX");
    if (!mkdtemp(config->directory)) {
        int why = errno;
        config->directory[0] = '\0';
        return diag_run(diag, "/tmp/twbench-nginx: %s", strerror(why));
    }
    snprintf(config->file, sizeof config->file, "%s/%.255s", config->directory, name);
    FILE *out = fopen(config->file, "we");
    bool failed = !out || fputs(text, out) < 0;
    if (out)
        failed |= fclose(out) != 0;
    return failed ? diag_run(diag, "%s: %s", config->file, strerror(errno)) : DIAG_OK;
}

/* The command with our configuration; what it had behind -g stays. */
static void write_words(struct nginx_config *config, char *const *command)
{
    size_t count = count_words(command), kept = 1;
    const char *given = "";
    config->words = memory_take(count + 5, sizeof *config->words);
    config->words[0] = command[0];
    for (size_t i = 1; i < count && command[i]; i++) {
        bool file = strncmp(command[i], "-c", 2) == 0, globals = strncmp(command[i], "-g", 2) == 0;
        if (!file && !globals) {
            config->words[kept++] = command[i];
            continue;
        }
        const char *value = command[i][2] ? command[i] + 2 : command[i + 1] ? command[++i] : "";
        given = globals ? value : given;
    }
    static const char ours[] = " daemon off; error_log stderr debug_event;";
    config->globals = memory_take(strlen(given) + sizeof ours, 1);
    memcpy(config->globals + nginx_config_strip(given, config->globals), ours, sizeof ours);
    config->words[kept++] = config->file_flag;
    config->words[kept++] = config->file;
    config->words[kept++] = config->globals_flag;
    config->words[kept] = config->globals;
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

/* The main file without the two directives, to be freed. */
static int read_stripped(const char *main_file, char **copy, struct diag *diag)
{
    char *text;
    size_t size;
    int status = file_read(main_file, &text, &size, diag);
    if (status != DIAG_OK)
        return status;
    *copy = memory_take(size + 1, 1);
    if (strlen(text) < size)
        status = diag_usage(diag, "%s: byte %zu is NUL; expected text", main_file, strlen(text));
    else
        nginx_config_strip(text, *copy);
    free(text);
    if (status != DIAG_OK)
        free(*copy);
    return status;
}

/* `text` is what nginx -T printed: the main file comes first.  It is read from the disk, because one that was itself
 * printed by -T has such marks in it. */
static int copy_config(struct nginx_config *config, char *const *command, const char *text,
                       struct diag *diag)
{
    char main_file[PATH_MAX], *copy;
    const char *mark = strstr(text, FILE_MARK);
    if (!mark)
        return diag_usage(diag, "%s -T: no line '" FILE_MARK "...'", command[0]);
    if (strcspn(mark + strlen(FILE_MARK), "\n") > sizeof main_file)
        return diag_usage(diag, "%s -T: a name of more than %zu bytes; expected a file", command[0],
                          sizeof main_file - 1);
    name_of(mark, main_file, sizeof main_file);
    int status = read_stripped(main_file, &copy, diag);
    if (status != DIAG_OK)
        return status;
    status = write_copy(config, base_name(main_file), copy, diag);
    free(copy);
    if (status != DIAG_OK)
        return status;
    link_beside(config, main_file);
    write_words(config, command);
    return check_copy(config, diag);
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
