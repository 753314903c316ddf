/* textfile.c - reads plain, xz and gzip text line by line. */
#include "harness/measure/workload/trace.h"

#include "harness/base/memory.h"

#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>

enum { INPUT_SIZE = 1 << 16, TEXT_SIZE = 1 << 18 };

/* What `xz -9` needs to unpack is 65 MiB; a file that asks for more than this is not a trace. */
#define XZ_MEMORY_MAX (UINT64_C(256) << 20)

enum coding { CODING_PLAIN, CODING_XZ, CODING_GZ };

struct textfile {
    char *name;
    uint64_t line_number;
    /* Where bytes come from: a descriptor, read into `input`, or the caller's memory (-1). */
    int descriptor;
    bool descriptor_lent;
    uint8_t input[INPUT_SIZE];
    const uint8_t *next_in;
    size_t left_in;
    bool input_ended;
    /* How they become text. */
    enum coding coding;
    bool gz_between; /* after a complete member of a .gz */
    lzma_stream xz;
    z_stream gz;
    /* Text not handed out yet: text[begin .. end). */
    char text[TEXT_SIZE];
    size_t begin, end;
    bool text_ended;
};

const char *textfile_name(const struct textfile *file)
{
    return file->name;
}

uint64_t textfile_line_number(const struct textfile *file)
{
    return file->line_number;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Sees to it that there is input unless it has ended. */
static int input_fill(struct textfile *file, struct diag *diag)
{
    if (file->left_in > 0 || file->input_ended)
        return DIAG_OK;
    ssize_t got = 0;
    if (file->descriptor >= 0) {
        do
            got = read(file->descriptor, file->input, INPUT_SIZE);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return diag_run(diag, "%s: cannot be read: %s", file->name, strerror(errno));
    }
    file->next_in = file->input;
    file->left_in = (size_t)got;
    file->input_ended = got == 0;
    return DIAG_OK;
}

static int cut_short(const struct textfile *file, struct diag *diag)
{
    return diag_usage(diag, "%s:%llu: the compressed data ends too early: the file is cut short",
                      file->name, (unsigned long long)file->line_number + 1);
}

static void decode_plain(struct textfile *file)
{
    size_t room = TEXT_SIZE - file->end;
    size_t count = file->left_in < room ? file->left_in : room;
    memcpy(file->text + file->end, file->next_in, count);
    file->next_in += count;
    file->left_in -= count;
    file->end += count;
    file->text_ended = file->input_ended;
}

static int decode_xz(struct textfile *file, struct diag *diag)
{
    lzma_stream *xz = &file->xz;
    xz->next_in = file->next_in;
    xz->avail_in = file->left_in;
    xz->next_out = (uint8_t *)file->text + file->end;
    xz->avail_out = TEXT_SIZE - file->end;
    lzma_ret result = lzma_code(xz, file->input_ended ? LZMA_FINISH : LZMA_RUN);
    file->next_in = xz->next_in;
    file->left_in = xz->avail_in;
    file->end = TEXT_SIZE - xz->avail_out;
    switch (result) {
    case LZMA_OK:
        return DIAG_OK;
    case LZMA_STREAM_END:
        file->text_ended = true;
        return DIAG_OK;
    case LZMA_BUF_ERROR:
        return cut_short(file, diag);
    case LZMA_MEM_ERROR:
        return diag_run(diag, "%s: this process has no memory left to unpack it", file->name);
    case LZMA_MEMLIMIT_ERROR:
        return diag_usage(
            diag, "%s: needs %llu MiB to unpack; expected at most %llu MiB, as xz -9 or less makes",
            file->name, (unsigned long long)(lzma_memusage(xz) >> 20) + 1,
            (unsigned long long)(XZ_MEMORY_MAX >> 20));
    default:
        return diag_usage(diag, "%s:%llu: the xz data is damaged (liblzma error %d)", file->name,
                          (unsigned long long)file->line_number + 1, (int)result);
    }
}

/* A .gz may be several members one after the other; it is complete at the end of any of them. */
static int decode_gz(struct textfile *file, struct diag *diag)
{
    z_stream *gz = &file->gz;
    if (file->left_in == 0 && file->input_ended) {
        file->text_ended = true;
        return file->gz_between ? DIAG_OK : cut_short(file, diag);
    }
    if (file->gz_between)
        inflateReset(gz);
    file->gz_between = false;
    /* zlib's next_in is not const unless ZLIB_CONST is set for the whole build; it only reads. */
    gz->next_in = (Bytef *)(uintptr_t)file->next_in;
    gz->avail_in = file->left_in > UINT32_MAX ? UINT32_MAX : (uInt)file->left_in;
    size_t given = gz->avail_in;
    gz->next_out = (Bytef *)file->text + file->end;
    gz->avail_out = (uInt)(TEXT_SIZE - file->end);
    int result = inflate(gz, Z_NO_FLUSH);
    file->next_in += given - gz->avail_in;
    file->left_in -= given - gz->avail_in;
    file->end = TEXT_SIZE - gz->avail_out;
    file->gz_between = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
        return DIAG_OK;
    return diag_usage(diag, "%s:%llu: the gzip data is damaged (%s)", file->name,
                      (unsigned long long)file->line_number + 1, gz->msg ? gz->msg : "zlib error");
}

/* Decodes until there is more text or the text has ended. */
static int text_fill(struct textfile *file, struct diag *diag)
{
    size_t before = file->end;
    while (file->end == before && !file->text_ended) {
        int status = input_fill(file, diag);
        if (status != DIAG_OK)
            return status;
        if (file->coding == CODING_XZ)
            status = decode_xz(file, diag);
        else if (file->coding == CODING_GZ)
            status = decode_gz(file, diag);
        else
            decode_plain(file);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int decoder_open(struct textfile *file, struct diag *diag)
{
    static const uint8_t xz_magic[] = {0xfd, '7', 'z', 'X', 'Z', 0}, gz_magic[] = {0x1f, 0x8b};
    int status = input_fill(file, diag);
    if (status != DIAG_OK)
        return status;
    if (file->left_in >= sizeof xz_magic && !memcmp(file->next_in, xz_magic, sizeof xz_magic)) {
        file->coding = CODING_XZ;
        if (lzma_stream_decoder(&file->xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
            return diag_run(diag, "%s: no memory for liblzma", file->name);
    } else if (file->left_in >= sizeof gz_magic &&
               !memcmp(file->next_in, gz_magic, sizeof gz_magic)) {
        file->coding = CODING_GZ;
        /* 15 window bits, + 16: a gzip header and nothing else. */
        if (inflateInit2(&file->gz, 15 + 16) != Z_OK)
            return diag_run(diag, "%s: no memory for zlib", file->name);
    }
    return DIAG_OK;
}

static struct textfile *textfile_new(const char *name, int descriptor)
{
    struct textfile *file = memory_take(1, sizeof *file);
    file->name = memory_text(name);
    file->descriptor = descriptor;
    file->xz = (lzma_stream)LZMA_STREAM_INIT;
    return file;
}

/* The file is closed when this fails. */
static int source_open(struct textfile *file, struct textfile **out, struct diag *diag)
{
    struct stat about;
    int status = DIAG_OK;
    if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0)
        status = diag_usage(diag, "%s: cannot be opened: %s", file->name, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        status = diag_usage(diag, "%s: is a directory, expected a file", file->name);
    if (status == DIAG_OK)
        status = decoder_open(file, diag);
    if (status == DIAG_OK)
        *out = file;
    else
        textfile_close(file);
    return status;
}

int textfile_refuse_pipe(const char *path, struct diag *diag)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        return DIAG_OK;
    return diag_usage(diag,
                      "%s: is a pipe or a device; expected a file, because it is read more than "
                      "once",
                      path);
}

int textfile_open(struct textfile **out, const char *path, struct diag *diag)
{
    return source_open(textfile_new(path, open(path, O_RDONLY | O_CLOEXEC)), out, diag);
}

int textfile_open_descriptor(struct textfile **out, const char *name, int descriptor,
                             struct diag *diag)
{
    struct textfile *file = textfile_new(name, descriptor);
    file->descriptor_lent = true;
    return source_open(file, out, diag);
}

int textfile_open_memory(struct textfile **out, const char *name, const void *data, size_t size,
                         struct diag *diag)
{
    struct textfile *file = textfile_new(name, -1);
    file->next_in = data;
    file->left_in = size;
    int status = decoder_open(file, diag);
    if (status == DIAG_OK)
        *out = file;
    else
        textfile_close(file);
    return status;
}

void textfile_close(struct textfile *file)
{
    if (!file)
        return;
    if (file->descriptor >= 0 && !file->descriptor_lent)
        close(file->descriptor);
    if (file->coding == CODING_XZ)
        lzma_end(&file->xz);
    if (file->coding == CODING_GZ)
        inflateEnd(&file->gz);
    free(file->name);
    free(file);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Moves what is left to the front, so that there is room behind it. */
static void text_compact(struct textfile *file)
{
    memmove(file->text, file->text + file->begin, file->end - file->begin);
    file->end -= file->begin;
    file->begin = 0;
}

/* Finds the newline that ends the line at `begin`, reading on as needed.  1, 0 at the end, or an
 * error. */
static int newline_find(struct textfile *file, char **newline, struct diag *diag)
{
    size_t seen = 0;
    for (;;) {
        size_t left = file->end - file->begin;
        *newline = memchr(file->text + file->begin + seen, '\n', left - seen);
        if (*newline)
            return 1;
        unsigned long long line = file->line_number + 1;
        if (left >= TEXTFILE_LINE_MAX)
            return diag_usage(diag, "%s:%llu: the line is longer than %d bytes, expected text",
                              file->name, line, TEXTFILE_LINE_MAX);
        if (file->text_ended && left > 0)
            return diag_usage(diag, "%s:%llu: the last line has no newline: the file is cut short",
                              file->name, line);
        if (file->text_ended)
            return 0;
        seen = left;
        text_compact(file);
        int status = text_fill(file, diag);
        if (status != DIAG_OK)
            return status;
    }
}

int textfile_line(struct textfile *file, char **line, size_t *length, struct diag *diag)
{
    char *newline;
    int status = newline_find(file, &newline, diag);
    if (status <= 0)
        return status;
    *newline = '\0';
    *line = file->text + file->begin;
    *length = (size_t)(newline - *line);
    file->begin = (size_t)(newline - file->text) + 1;
    file->line_number++;
    if (memchr(*line, '\0', *length))
        return diag_usage(diag, "%s:%llu: holds a NUL byte, expected text", file->name,
                          (unsigned long long)file->line_number);
    return 1;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

int textfile_block(struct textfile *file, const char **text, size_t *length, struct diag *diag)
{
    size_t seen = 0;
    for (;;) {
        char *begin = file->text + file->begin;
        size_t left = file->end - file->begin;
        const char *newline = memrchr(begin + seen, '\n', left - seen);
        if (left == 0 && file->text_ended)
            return 0;
        if (newline || file->text_ended || left == TEXT_SIZE) {
            *text = begin;
            *length = newline ? (size_t)(newline + 1 - begin) : left;
            file->begin += *length;
            return 1;
        }
        seen = left;
        text_compact(file);
        int status = text_fill(file, diag);
        if (status != DIAG_OK)
            return status;
    }
}
