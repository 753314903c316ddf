/* script.c - parses the script language of `show`. */
#include "labs/teach/show/script.h"

#include "harness/base/memory.h"
#include "harness/base/units.h"

#define WORD_MAX 63

static const char *const verb_words[] = {"add", "restart", "stop", "tick", "jump", "next"};
#define VERB_COUNT (sizeof verb_words / sizeof verb_words[0])

/* A word and where it began.  `length` 0: the statement ends here. */
struct word {
    char text[WORD_MAX + 1];
    size_t length;
    uint32_t line, column;
};

struct reader {
    struct script *script;
    const char *at, *end;
    uint32_t line, column;
    uint64_t steps;   /* single ticks so far */
    bool tick_is_set; /* by the caller, who overrules `unit` */
    struct diag *diag;
};

/* ---- Words. ---------------------------------------------------------------------------------- */

/* Columns count characters: the bytes that continue one in UTF-8 do not count. */
static void reader_step(struct reader *reader)
{
    if (*reader->at == '\n') {
        reader->line++;
        reader->column = 1;
    } else if (((unsigned char)*reader->at & 0xc0) != 0x80) {
        reader->column++;
    }
    reader->at++;
}

static bool at_statement_end(const struct reader *reader)
{
    return reader->at == reader->end || *reader->at == '\n' || *reader->at == ';';
}

static bool at_blank(const struct reader *reader)
{
    return *reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r';
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && at_blank(reader))
        reader_step(reader);
    if (reader->at < reader->end && *reader->at == '#')
        while (reader->at < reader->end && *reader->at != '\n')
            reader_step(reader);
}

/* The next word of the statement.  What cannot be printed becomes '?', and so does the rest of a word that is too
 * long: no word of the language has one, so both are refused. */
static struct word next_word(struct reader *reader)
{
    struct word word = {.length = 0};
    skip_blanks(reader);
    word.line = reader->line;
    word.column = reader->column;
    while (!at_statement_end(reader) && !at_blank(reader) && *reader->at != '#') {
        unsigned char byte = (unsigned char)*reader->at;
        bool is_refused = word.length == WORD_MAX || byte < 0x20 || byte >= 0x7f;
        word.length += word.length < WORD_MAX;
        word.text[word.length - 1] = (char)(is_refused ? '?' : byte);
        reader_step(reader);
    }
    word.text[word.length] = '\0';
    return word;
}

static int refuse(const struct reader *reader, const struct word *word, const char *expected)
{
    char found[WORD_MAX + 3] = "the end of the statement";
    if (word->length > 0)
        snprintf(found, sizeof found, "'%s'", word->text);
    return diag_usage(reader->diag, "%s:%u:%u: found %s, expected %s", reader->script->source,
                      word->line, word->column, found, expected);
}

/* ---- What a word stands for. ----------------------------------------------------------------- */

static bool is_name(const struct word *word)
{
    if (word->length == 0 || word->length > SCRIPT_NAME_MAX ||
        !isalpha((unsigned char)word->text[0]))
        return false;
    for (size_t i = 0; i < word->length; i++)
        if (!isalnum((unsigned char)word->text[i]) && word->text[i] != '_' && word->text[i] != '-')
            return false;
    return true;
}

static uint32_t name_find(const struct script *script, const char *name)
{
    uint32_t index = 0;
    while (index < script->name_count && strcmp(script->names[index], name) != 0)
        index++;
    return index;
}

static int name_add(struct reader *reader, const struct word *word)
{
    struct script *script = reader->script;
    if (script->name_count == SCRIPT_TIMERS_MAX)
        return refuse(reader, word, "no further name: 1000 timers are the most that are drawn");
    if (script->name_count % 64 == 0)
        script->names =
            memory_grow(script->names, script->name_count + 64, sizeof script->names[0]);
    strcpy(script->names[script->name_count++], word->text);
    return DIAG_OK;
}

/* Only `add` makes a name, so that a misspelt one is seen. */
static int take_timer(struct reader *reader, struct script_statement *statement)
{
    struct word word = next_word(reader);
    if (!is_name(&word))
        return refuse(reader, &word,
                      "the name of a timer: a letter, then letters, digits, _ or -, at most 15");
    statement->timer = name_find(reader->script, word.text);
    if (statement->timer < reader->script->name_count)
        return DIAG_OK;
    if (statement->verb != SCRIPT_ADD)
        return refuse(reader, &word, "the name of a timer that was added before");
    return name_add(reader, &word);
}

/* A time or a number of ticks, or what `missing` stands for when there is none. */
static int take_ticks(struct reader *reader, struct script_statement *statement,
                      const char *expected, uint64_t missing)
{
    struct word word = next_word(reader);
    uint64_t ns, tick_ns = reader->script->tick_ns;
    struct diag unused;
    if (word.length == 0 && missing > 0) {
        statement->amount = missing;
        return DIAG_OK;
    }
    if (units_parse_ticks(word.text, tick_ns, "", &statement->amount, &unused) != DIAG_OK)
        return refuse(reader, &word, expected);
    statement->rounded =
        units_parse_time(word.text, "", &ns, &unused) == DIAG_OK && ns % tick_ns != 0;
    return DIAG_OK;
}

static int take_steps(struct reader *reader, struct script_statement *statement)
{
    int status = take_ticks(reader, statement, "how often, such as 3 (or a time: 3s)", 1);
    if (status != DIAG_OK)
        return status;
    if (statement->amount > SCRIPT_STEPS_MAX - reader->steps)
        return diag_usage(reader->diag,
                          "%s:%u:%u: found '%s', expected at most %d single steps in all; jump "
                          "takes any number of ticks at once",
                          reader->script->source, statement->line, statement->column,
                          statement->text, SCRIPT_STEPS_MAX);
    reader->steps += statement->amount;
    return DIAG_OK;
}

static int take_unit(struct reader *reader)
{
    struct script *script = reader->script;
    struct word word = next_word(reader);
    struct diag unused;
    uint64_t ns = 0;
    if (units_parse_time(word.text, "", &ns, &unused) != DIAG_OK || ns == 0)
        return refuse(reader, &word, "the length of a tick, such as 100ms");
    if (!reader->tick_is_set)
        script->tick_ns = ns;
    return DIAG_OK;
}

/* ---- Statements. ----------------------------------------------------------------------------- */

/* From `begin` to where the reader is, without comments, blanks run together. */
static void keep_text(const struct reader *reader, const char *begin, char *out, size_t size)
{
    size_t length = 0;
    for (const char *at = begin; at < reader->end && *at != ';' && *at != '\n' && *at != '#';
         at++) {
        bool blank = *at == ' ' || *at == '\t' || *at == '\r';
        unsigned char byte = (unsigned char)*at;
        if (length + 1 < size && !(blank && (length == 0 || out[length - 1] == ' ')))
            out[length++] = (char)(blank ? ' ' : byte < 0x20 || byte >= 0x7f ? '?' : byte);
    }
    while (length > 0 && out[length - 1] == ' ')
        length--;
    out[length] = '\0';
}

static int take_operands(struct reader *reader, struct script_statement *statement)
{
    static const char delay[] = "a delay such as 3s, or ticks such as 30";
    int status = DIAG_OK;
    switch (statement->verb) {
    case SCRIPT_ADD:
    case SCRIPT_RESTART:
        status = take_timer(reader, statement);
        if (status == DIAG_OK)
            status = take_ticks(reader, statement, delay, 0);
        if (status == DIAG_OK && statement->amount > reader->script->longest_ticks)
            reader->script->longest_ticks = statement->amount;
        return status;
    case SCRIPT_STOP:
        return take_timer(reader, statement);
    case SCRIPT_JUMP:
        return take_ticks(reader, statement, delay, 0);
    case SCRIPT_TICK:
    case SCRIPT_NEXT:
        return take_steps(reader, statement);
    }
    return status;
}

static struct script_statement *statement_new(struct script *script, const struct word *verb,
                                              size_t which)
{
    if (script->statement_count % 64 == 0)
        script->statements = memory_grow(script->statements, script->statement_count + 64,
                                         sizeof *script->statements);
    struct script_statement *statement = &script->statements[script->statement_count++];
    *statement = (struct script_statement){
        .verb = (enum script_verb)which, .line = verb->line, .column = verb->column};
    return statement;
}

static int take_statement(struct reader *reader, const struct word *verb, const char *begin)
{
    size_t which = 0;
    while (which < VERB_COUNT && strcmp(verb_words[which], verb->text) != 0)
        which++;
    if (which == VERB_COUNT)
        return refuse(reader, verb, "add, restart, stop, tick, jump, next or unit");
    struct script_statement *statement = statement_new(reader->script, verb, which);
    keep_text(reader, begin, statement->text, sizeof statement->text);
    return take_operands(reader, statement);
}

/* What is between two semicolons or line ends: nothing, `unit`, or a statement. */
static int take_one(struct reader *reader)
{
    skip_blanks(reader);
    const char *begin = reader->at;
    struct word verb = next_word(reader);
    int status = DIAG_OK;
    if (verb.length == 0)
        return DIAG_OK;
    if (strcmp(verb.text, "unit") != 0)
        status = take_statement(reader, &verb, begin);
    else if (reader->script->statement_count > 0)
        status = refuse(reader, &verb, "unit before every other statement");
    else
        status = take_unit(reader);
    if (status != DIAG_OK)
        return status;
    struct word rest = next_word(reader);
    return rest.length == 0 ? DIAG_OK : refuse(reader, &rest, "a semicolon or the end of the line");
}

static int read_all(struct reader *reader)
{
    int status = take_one(reader);
    for (; status == DIAG_OK && reader->at < reader->end; status = take_one(reader))
        reader_step(reader);
    if (status != DIAG_OK || reader->script->statement_count > 0)
        return status;
    return diag_usage(reader->diag,
                      "%s:%u:%u: found the end, expected statements such as 'add a 3s; tick 3'",
                      reader->script->source, reader->line, reader->column);
}

int script_parse(const char *source, const char *text, size_t size, uint64_t tick_ns,
                 struct script **out, struct diag *diag)
{
    struct script *script = memory_take(1, sizeof *script);
    snprintf(script->source, sizeof script->source, "%s", source);
    script->tick_ns = tick_ns ? tick_ns : SCRIPT_TICK_NS;
    struct reader reader = {.script = script,
                            .at = text,
                            .end = text + size,
                            .line = 1,
                            .column = 1,
                            .tick_is_set = tick_ns != 0,
                            .diag = diag};
    int status = read_all(&reader);
    if (status == DIAG_OK)
        *out = script;
    else
        script_free(script);
    return status;
}

void script_free(struct script *script)
{
    if (!script)
        return;
    free(script->statements);
    free(script->names);
    free(script);
}
