/* style.c - finds out what the terminal can show. */
#include "harness/tell/report/writer.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 100
#define COLUMNS_LEAST   40
#define COLUMNS_MOST    10000

/* Asks a locale object of its own, so that the program's locale stays "C" and numbers keep their
 * decimal point. */
static bool is_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!locale)
        return false;
    bool utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return utf8;
}

static bool wants_color(bool terminal)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_color && no_color[0])
        return false;
    return terminal && term && strcmp(term, "dumb") != 0;
}

static unsigned columns_of(int fd, bool terminal)
{
    struct winsize size;
    const char *wish = getenv("COLUMNS");
    unsigned long wished = wish ? strtoul(wish, NULL, 10) : 0;
    if (wished > 0 && wished <= COLUMNS_MOST)
        return wished < COLUMNS_LEAST ? COLUMNS_LEAST : (unsigned)wished;
    if (!terminal || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return COLUMNS_DEFAULT;
    return size.ws_col < COLUMNS_LEAST ? COLUMNS_LEAST : size.ws_col;
}

struct report_style style_for(FILE *out, enum style_color wish)
{
    bool terminal = isatty(fileno(out)) != 0;
    return (struct report_style){
        .color = wish == STYLE_COLOR_ALWAYS || (wish == STYLE_COLOR_AUTO && wants_color(terminal)),
        .utf8 = is_utf8(),
        .columns = columns_of(fileno(out), terminal),
    };
}
