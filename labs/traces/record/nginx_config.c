/* nginx_config.c - nginx as a command that reports its timers on standard error, and what of its configuration forbids that. */
#include "labs/traces/record/record.h"

#include "harness/base/memory.h"

#define FILE_MARK                                                                                  \
    "# configuration file " /* before each file that nginx -T prints, the main one first */

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

/* The first error_log in a block or an included file, its end behind the semicolon; NULL: there is none.  One outside of
 * blocks is a further log beside ours. */
static const char *find_error_log(const char *text, const char **end)
{
    const char *main_file = strstr(text, FILE_MARK);
    const char *included = main_file ? strstr(main_file + 1, FILE_MARK) : NULL, *behind;
    bool begins = true;
    size_t depth = 0;
    for (const char *at = text; *at; at = behind) {
        behind = skip_piece(at);
        if (begins && is_name(at, behind, "error_log") &&
            (depth > 0 || (included && at > included))) {
            while (*behind && !strchr(";{}", *behind))
                behind = skip_piece(behind);
            *end = *behind == ';' ? behind + 1 : behind;
            return at;
        }
        depth += *at == '{';
        depth -= *at == '}' && depth > 0;
        if (*at != '#' && !isspace((unsigned char)*at))
            begins = strchr(";{}", *at) != NULL;
    }
    return NULL;
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
                          "%s: expected nginx itself after --, with its flags; put load on it "
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

/* The name of the file that stands behind the last mark before `at`. */
static void name_of(const char *text, const char *at, char *out, size_t size)
{
    snprintf(out, size, "the configuration");
    for (const char *mark = text; (mark = strstr(mark, FILE_MARK)) != NULL && mark < at; mark++) {
        const char *name = mark + strlen(FILE_MARK);
        size_t length = strcspn(name, "\n");
        snprintf(out, size, "%.*s", (int)(length > 0 ? length - 1 : 0), name);
    }
}

/* A block's own log would take the reports of its part away. */
static int check_logs(const char *text, struct diag *diag)
{
    char name[PATH_MAX];
    const char *end, *at = find_error_log(text, &end);
    if (!at)
        return DIAG_OK;
    name_of(text, at, name, sizeof name);
    return diag_usage(diag,
                      "%s: '%.*s' would keep timers out of the recording; take it out while you "
                      "record",
                      name, (int)(end - at), at);
}

/* ---- The command. -------------------------------------------------------------------------------- */

/* What the command has behind -g stays in front of ours; *globals and the words are the caller's. */
static char **words_make(char *const *command, char **globals)
{
    size_t count = count_words(command), kept = 0;
    const char *given = "";
    char **words = memory_take(count + 3, sizeof *words);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strncmp(command[i], "-g", 2) != 0)
            words[kept++] = command[i];
        else
            given = command[i][2] ? command[i] + 2 : i + 1 < count ? command[++i] : "";
    }
    static const char ours[] = " daemon off; error_log stderr debug_event;";
    const char *added = strstr(given, "daemon") ? strstr(ours, " error_log") : ours;
    *globals = memory_take(strlen(given) + sizeof ours + 2, 1);
    snprintf(*globals, strlen(given) + sizeof ours + 2, "-g%s%s", given, added);
    words[kept++] = *globals;
    words[kept] = NULL;
    return words;
}

int nginx_command(char *const *command, char ***words, char **globals, struct diag *diag)
{
    char *text;
    int status = check_program(command, diag);
    if (status != DIAG_OK)
        return status;
    *words = words_make(command, globals);
    status = dump(*words, &text, diag);
    if (status == DIAG_OK) {
        status = check_logs(text, diag);
        free(text);
    }
    if (status != DIAG_OK) {
        free(*words);
        free(*globals);
    }
    return status;
}
