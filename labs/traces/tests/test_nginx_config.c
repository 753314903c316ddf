/* test_nginx_config.c - the walk over nginx's configuration, and its copy, with files that mean no good. */
#include "labs/traces/record/nginx_config.h"

#include "unit/programs.h"

#include <limits.h>
#include <unistd.h>

static const struct {
    const char *text, *stripped;
} strips[] = {
    {"", ""},
    {"a b;", "a b;"},
    {"error_log x;daemon on; a b;", " a b;"},
    {"error_log\nx\n;", ""},
    {"error_log;a;", "a;"},
    {"http { error_log x; a; }", "http {  a; }"},
    {"a { b { daemon on; } }", "a { b {  } }"},
    /* Not the directive: a longer or shorter name, an argument, a comment, a string. */
    {"error_logs x; error_lo x; daemons on;", "error_logs x; error_lo x; daemons on;"},
    {"a error_log x;", "a error_log x;"},
    {"# error_log x;\na;", "# error_log x;\na;"},
    {"a '; error_log x;';", "a '; error_log x;';"},
    {"a \";\\\"; error_log x;\";", "a \";\\\"; error_log x;\";"},
    {"a \\; error_log x;", "a \\; error_log x;"},
    {"a ${error_log }; b;", "a ${error_log }; b;"},
    /* Quoted, or with a semicolon that does not end it. */
    {"\"error_log\" x; 'daemon' on;a;", " a;"},
    {"error_log 'a;b' # ; c\n;d;", "d;"},
    /* A quote or '#' within a word is a character like others. */
    {"a it's; error_log x; b it's;", "a it's;  b it's;"},
    {"a b#c; error_log x;", "a b#c; "},
    {"a \\'; error_log x; b';", "a \\';  b';"},
    /* Never closed. */
    {"error_log x", ""},
    {"error_log x }a;", "}a;"},
    {"error_log 'x; a;", ""},
    {"a 'x; error_log y;", "a 'x; error_log y;"},
    {"http { http { {{{ error_log x;", "http { http { {{{ "},
    {"}}}} error_log x; a;", "}}}}  a;"},
    {"error_log x\\", ""},
    {"a \\", "a \\"},
    {"error_log", ""},
    {"a \"", "a \""},
    {"#", "#"},
    {"\xff\xfe;error_log \xff;", "\xff\xfe;"},
};

TEST(strip_takes_the_two_directives_alone)
{
    char out[200];
    (void)state;
    for (size_t i = 0; i < sizeof strips / sizeof *strips; i++) {
        size_t length = nginx_config_strip(strips[i].text, out);
        assert_string_equal(out, strips[i].stripped);
        assert_int_equal(length, strlen(out));
    }
}

/* A line of a megabyte, and as many open braces: no recursion, no buffer of a line. */
TEST(strip_takes_long_lines_and_deep_blocks)
{
    enum { LENGTH = 1 << 20 };
    static const char fillers[] = "x{}'\"\\ ;#$";
    char *text = malloc(LENGTH + 1), *out = malloc(LENGTH + 1);
    (void)state;
    assert_true(text && out);
    for (size_t i = 0; fillers[i]; i++) {
        memset(text, fillers[i], LENGTH);
        text[LENGTH] = '\0';
        memcpy(text, "daemon on;", 10);
        assert_int_equal(nginx_config_strip(text, out), LENGTH - 10);
        assert_memory_equal(out, text + 10, LENGTH - 10);
    }
    free(text);
    free(out);
}

/* ---- The copy, of what a script in nginx's place says. ----------------------------------------- */

/* Writes a file of the directory; its name may have one folder, which is there. */
static void put(void **state, const char *name, const char *text, size_t size)
{
    char path[PROGRAMS_PATH];
    programs_path(*state, name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Answers -V, and -T by the script `body`, where $file is what -c gave, or main.conf. */
static int open_config(void **state, const char *body, struct nginx_config *config,
                       struct diag *diag)
{
    char path[PROGRAMS_PATH], script[2000];
    snprintf(script, sizeof script,
             "case $1 in -V) echo --with-debug; exit;; esac\n"
             "file=$PWD/main.conf; given=; for word in \"$@\"; do [ \"$given\" != -c ] || "
             "file=$word; given=$word; done\n"
             "mark() { echo \"# configuration file $1:\"; cat \"$1\"; }\n%s",
             body);
    programs_add(*state, "nginx", script, path);
    char *const command[] = {path, NULL};
    return nginx_config_open(config, command, diag);
}

static void refuses(void **state, const char *body, const char *why)
{
    struct nginx_config config;
    struct diag diag;
    assert_int_equal(open_config(state, body, &config, &diag), DIAG_USAGE);
    if (!strstr(diag.text, why))
        fail_msg("'%s'; expected '%s'", diag.text, why);
    char directory[sizeof config.directory];
    memcpy(directory, config.directory, sizeof directory);
    nginx_config_close(&config);
    assert_true(directory[0] == '\0' || access(directory, F_OK) != 0);
}

TEST_AROUND(what_is_missing_or_no_text_is_refused, programs_begin, programs_end)
{
    static const char with_nul[] = "a b;\n\0error_log x;";
    refuses(state, "echo nothing of files", "no line '# configuration file ");
    refuses(state, "mark $PWD/main.conf 2>/dev/null; true",
            "main.conf: cannot be opened: No such file");
    refuses(state, "echo '# configuration file /:'", "/: cannot be read: Is a directory");
    refuses(state, "printf '# configuration file '", "cannot be opened");
    refuses(state, "echo '[emerg] open() \"x\" failed'; exit 1", "[emerg] open() \"x\" failed");
    refuses(state, "printf '# configuration file /'; head -c 9000 /dev/zero | tr '\\0' a",
            "nginx -T: a name of more than");
    put(state, "main.conf", with_nul, sizeof with_nul - 1);
    refuses(state, "mark $file", "main.conf: byte 5 is NUL; expected text");
}

/* A NUL in an included file hides nothing that stands behind it. */
TEST_AROUND(an_error_log_of_an_included_file_is_refused, programs_begin, programs_end)
{
    static const char more[] = "a \0; error_log y;";
    put(state, "main.conf", "include more.conf;", 18);
    put(state, "more.conf", more, sizeof more - 1);
    refuses(state, "mark $file; mark ${file%/*}/more.conf", "more.conf: 'error_log y;'");
}

/* nginx follows includes, and refuses the ones that go round; its word is handed on, and nothing is left behind. */
TEST_AROUND(an_include_in_a_circle_is_nginx_s_to_refuse, programs_begin, programs_end)
{
    put(state, "main.conf", "include main.conf;", 18);
    refuses(state, "echo 'nginx: [emerg] open() failed (24: Too many open files)'; exit 1",
            "Too many open files");
}

/* What nginx -T once printed is a configuration, and has marks in it. */
TEST_AROUND(a_printed_configuration_is_copied_whole, programs_begin, programs_end)
{
    static const char text[] = "# configuration file /etc/nginx/nginx.conf:\nerror_log x;\n"
                               "# configuration file /etc/nginx/more.conf:\nevents {}\n";
    struct nginx_config config;
    struct diag diag;
    char copied[200] = "";
    put(state, "main.conf", text, sizeof text - 1);
    assert_int_equal(open_config(state, "mark $file", &config, &diag), DIAG_OK);
    FILE *file = fopen(config.file, "r");
    assert_non_null(file);
    copied[fread(copied, 1, sizeof copied - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(copied, "# configuration file /etc/nginx/nginx.conf:\n\n"
                                "# configuration file /etc/nginx/more.conf:\nevents {}\n");
    nginx_config_close(&config);
}

/* The copy has the main file's name: a neighbour nginx.conf stays what it is.  Neighbours are those of the name that was
 * given, which may be a link. */
TEST_AROUND(the_copy_stands_in_the_place_of_the_main_file, programs_begin, programs_end)
{
    struct nginx_config config;
    struct diag diag;
    char path[PROGRAMS_PATH], seen[PATH_MAX], neighbour[400];
    put(state, "nginx.conf", "a;", 2);
    put(state, "real.conf", "include nginx.conf;", 19);
    programs_path(*state, "main.conf", path);
    assert_int_equal(symlink("real.conf", path), 0);
    assert_int_equal(open_config(state, "mark $file", &config, &diag), DIAG_OK);
    assert_string_equal(strrchr(config.file, '/'), "/main.conf");
    snprintf(neighbour, sizeof neighbour, "%s/nginx.conf", config.directory);
    ssize_t length = readlink(neighbour, seen, sizeof seen - 1);
    assert_true(length > 0);
    seen[length] = '\0';
    programs_path(*state, "nginx.conf", path);
    assert_string_equal(seen, path);
    nginx_config_close(&config);
}

TEST_MAIN(NULL, NULL)
