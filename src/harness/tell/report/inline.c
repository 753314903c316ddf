/* inline.c - prepares pictures to stand inside a page. */
#include "harness/tell/report/writer.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"
#include "harness/base/paths.h"
#include "harness/tell/report/plot.h"
#include "harness/tell/report/services.h"

#include <dirent.h>
#include <unistd.h>

/* ---- Rewriting a picture. -------------------------------------------------------------------- */

/* "rgb( 68,  68,  68)", "#444444" or "black" as a shade of grey, 0 .. 255; below 0: a colour. */
static int grey_of(const char *value, size_t length)
{
    unsigned red, green, blue;
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)(length < 31 ? length : 31), value);
    if (strcmp(text, "black") == 0)
        return 0;
    if (strcmp(text, "gray") == 0)
        return 190;
    if (sscanf(text, "rgb(%u,%u,%u)", &red, &green, &blue) != 3 &&
        sscanf(text, "#%2x%2x%2x", &red, &green, &blue) != 3)
        return -1;
    return red == green && green == blue ? (int)(red & 255) : -1;
}

/* One attribute, without the blank before it.  Ink follows the page; lines of the grid, which are light
 * grey on white, become a grey that is faint on either ground. */
static void write_value(FILE *out, const char *name, size_t name_length, const char *value,
                        size_t length, size_t number)
{
    char key[8]; /* none that matters is longer */
    snprintf(key, sizeof key, "%.*s", (int)name_length, name);
    bool is_id = strcmp(key, "id") == 0, is_color = strcmp(key, "color") == 0;
    bool paints = is_color || strcmp(key, "fill") == 0 || strcmp(key, "stroke") == 0;
    int grey = paints ? grey_of(value, length) : -1;
    if (is_id)
        fprintf(out, "p%zu-", number);
    if (length > 0 && *value == '#' && !paints)
        fprintf(out, "#p%zu-%.*s", number, (int)length - 1, value + 1);
    else if (length > 5 && strncmp(value, "url(#", 5) == 0)
        fprintf(out, "url(#p%zu-%.*s", number, (int)length - 5, value + 5);
    else if (grey >= 0 && grey < 0x70)
        fputs(is_color ? "inherit" : "currentColor", out);
    else if (grey > 0xf0) /* the ground, and the disc that keeps a line off its point */
        fputs(is_color ? "transparent" : "none", out);
    else if (grey > 0xa0 && is_color)
        fputs("rgb(128,128,128)", out);
    else if (grey > 0xa0)
        fprintf(out, "rgb(128,128,128)\" %s-opacity=\"0.35", key);
    else
        fprintf(out, "%.*s", (int)length, value);
}

/* Lettering has the page's ink, whatever its colour was: that was chosen for white paper. */
static bool is_lettering(const char *tag)
{
    const char *font = strstr(tag, "font-family");
    return font && font < strchr(tag, '>');
}

/* The tag at `at`, up to and with its '>'; answers where it ends. */
static const char *write_tag(FILE *out, const char *at, size_t number)
{
    bool lettering = is_lettering(at);
    while (*at && *at != '>') {
        const char *name = at;
        while (*at && *at != '=' && *at != '>')
            at++;
        const char *value = at + (*at == '=') + strspn(at + (*at == '='), " ");
        if (*at != '=' || (*value != '"' && *value != '\'')) {
            fwrite(name, 1, (size_t)(at - name) + (*at == '='), out);
            at += *at == '=';
            continue;
        }
        const char *end = strchr(value + 1, *value);
        value++;
        if (!end)
            return at + strlen(at);
        at -= at > name && at[-1] == ' '; /* gnuplot writes fill = 'black', too */
        const char *word = at;
        while (word > name && !isspace((unsigned char)word[-1]))
            word--;
        fprintf(out, "%.*s=\"", (int)(at - name), name);
        if (lettering && at - word == 4 && strncmp(word, "fill", 4) == 0)
            fputs("var(--ink)",
                  out); /* not currentColor: it may stand in a group of the ground's */
        else
            write_value(out, word, (size_t)(at - word), value, (size_t)(end - value), number);
        fputc('"', out);
        at = end + 1;
    }
    fputs(*at ? ">" : "", out);
    return *at ? at + 1 : at;
}

/* Behind the element that begins there; `at` itself when another one does. */
static const char *skip_element(const char *at, const char *open, const char *close)
{
    if (strncmp(at, open, strlen(open)) != 0)
        return at;
    const char *end = strstr(at, close);
    return end ? end + strlen(close) : at;
}

/* What gnuplot wrote in front of the drawing: the root's tag, its title and its description.  *box is
 * the value of viewBox. */
static const char *skip_head(const char *svg, const char **box, size_t *box_length)
{
    const char *root = strstr(svg, "<svg"), *end = root ? strchr(root, '>') : NULL;
    const char *value = root ? strstr(root, "viewBox=\"") : NULL;
    *box = "0 0 0 0";
    *box_length = strlen(*box);
    if (!end || !value || value > end)
        return svg + strlen(svg);
    *box = value + strlen("viewBox=\"");
    *box_length = strcspn(*box, "\"");
    const char *at = end + 1;
    at += strspn(at, " \t\r\n");
    at = skip_element(at, "<title>", "</title>");
    at += strspn(at, " \t\r\n");
    return skip_element(at, "<desc>", "</desc>");
}

/* One picture as the page has it; `number` is unique in the page. */
static void inline_svg(FILE *out, const char *svg, const char *title, size_t number)
{
    const char *box;
    size_t box_length;
    const char *at = skip_head(svg, &box, &box_length);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "viewBox=\"%.*s\" role=\"img\" aria-labelledby=\"p%zu-title p%zu-desc\">\n"
        "<title id=\"p%zu-title\">%s</title>\n<desc id=\"p%zu-desc\">Drawn from the figures "
        "of this document, which its tables have.</desc>\n",
        (int)box_length, box, number, number, number, title, number);
    while (*at) {
        size_t plain = strcspn(at, "<");
        fwrite(at, 1, plain, out);
        at += plain;
        if (*at)
            at = write_tag(out, at, number);
    }
}

/* ---- Drawing. -------------------------------------------------------------------------------- */

/* The first text of the drawing without its tags, its entities left as they are. */
static char *first_text(const char *svg)
{
    const char *begin = strstr(svg, "<text"), *end = begin ? strstr(begin, "</text>") : NULL;
    char *out = memory_take(end ? (size_t)(end - begin) + 1 : 8, 1);
    size_t used = 0;
    bool in_tag = false;
    if (!end)
        return strcpy(out, "Picture");
    for (const char *c = begin; c < end; c++) {
        in_tag = in_tag || *c == '<';
        if (!in_tag)
            out[used++] = *c;
        in_tag = in_tag && *c != '>';
    }
    return out;
}

/* The title in the head of the picture's data, as markup; NULL when there is none. */
static char *data_title(const char *path)
{
    char name[4400], line[2000];
    snprintf(name, sizeof name, "%s", path);
    char *dot = strrchr(name, '.'), *out = NULL;
    size_t size;
    if (dot)
        snprintf(dot, sizeof name - (size_t)(dot - name), ".tsv");
    FILE *data = fopen(name, "r");
    if (data && fgets(line, sizeof line, data) && strncmp(line, "title\t", 6) == 0) {
        FILE *markup = open_memstream(&out, &size);
        line[strcspn(line, "\n")] = '\0';
        xml_text(markup, line + 6);
        fclose(markup);
    }
    if (data)
        fclose(data);
    return out;
}

/* What stands beside a part of the page has its caption from its data. */
static int read_picture(struct inline_picture *inlined, const struct picture *picture,
                        const char *path, struct diag *diag)
{
    size_t size;
    int status = file_read(path, &inlined->svg, &size, diag);
    if (status != DIAG_OK)
        return status;
    inlined->claim = picture->anchor ? picture->anchor : "";
    inlined->title = picture->anchor ? data_title(path) : NULL;
    if (!inlined->title)
        inlined->title = first_text(inlined->svg);
    return DIAG_OK;
}

static int read_all(const struct pictures *pictures, struct inline_pictures *out, struct diag *diag)
{
    out->items = memory_take(pictures->count, sizeof *out->items);
    for (size_t i = 0; i < pictures->count; i++) {
        out->count = i + 1;
        int status = read_picture(&out->items[i], &pictures->items[i], pictures->paths[i], diag);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

/* The directory and the files in it; what cannot be removed stays. */
static void remove_all(const char *directory)
{
    DIR *entries = opendir(directory);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        char path[4400];
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        unlink(path);
    }
    if (entries)
        closedir(entries);
    rmdir(directory);
}

/* Without gnuplot, or with nothing to draw, the page has everything but the pictures. */
int inline_draw(const cJSON *document, const char *scripts_directory, struct inline_pictures *out,
                struct diag *diag)
{
    char directory[4096];
    struct pictures pictures = {.count = 0};
    *out = (struct inline_pictures){.items = NULL};
    paths_temporary(directory, sizeof directory, "twbench-report");
    if (!mkdtemp(directory))
        return diag_run(diag, "%s: cannot be made: %s", directory, strerror(errno));
    int status = plot_all(document, directory, scripts_directory, PLOT_SVG, &pictures, diag);
    if (status == DIAG_OK)
        status = read_all(&pictures, out, diag);
    else {
        snprintf(out->missing, sizeof out->missing, "%s", status == DIAG_RUN ? diag->text : "");
        status = DIAG_OK;
    }
    pictures_free(&pictures);
    remove_all(directory);
    return status;
}

void inline_free(struct inline_pictures *pictures)
{
    for (size_t i = 0; i < pictures->count; i++) {
        free(pictures->items[i].svg);
        free(pictures->items[i].title);
    }
    free(pictures->items);
    *pictures = (struct inline_pictures){.items = NULL};
}

size_t inline_count(const struct inline_pictures *pictures, const char *claim)
{
    size_t count = 0;
    for (size_t i = 0; i < pictures->count; i++)
        count += strcmp(pictures->items[i].claim, claim) == 0;
    return count;
}

void inline_write(FILE *out, const struct inline_pictures *pictures, const char *claim)
{
    for (size_t i = 0; i < pictures->count; i++) {
        const struct inline_picture *picture = &pictures->items[i];
        if (strcmp(picture->claim, claim) != 0)
            continue;
        fputs(
            "<figure><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Picture\">",
            out);
        inline_svg(out, picture->svg, picture->title, i + 1);
        fprintf(out, "</div>\n<figcaption>%s</figcaption></figure>\n", picture->title);
    }
}
