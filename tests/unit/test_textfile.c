/* test_textfile.c - lines out of plain, xz and gzip data, and what is refused. */
#include "harness/measure/workload/trace.h"
#include "testing.h"

#include <lzma.h>
#include <zlib.h>

enum { LINES = 30000, PACKED_ROOM = 1 << 20 };

/* "line 0\n" .. "line 29999\n": more than the reader's buffers hold. */
static char *plain_text(size_t *size)
{
    char *text = malloc((size_t)LINES * 16), *at = text;
    for (int i = 0; i < LINES; i++)
        at += sprintf(at, "line %d\n", i);
    *size = (size_t)(at - text);
    return text;
}

static uint8_t *packed_xz(const char *text, size_t size, size_t *packed)
{
    uint8_t *out = malloc(PACKED_ROOM);
    *packed = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, size,
                                             out, packed, PACKED_ROOM),
                     LZMA_OK);
    return out;
}

static uint8_t *packed_gz(char *text, size_t size, size_t *packed)
{
    uint8_t *out = malloc(PACKED_ROOM);
    z_stream gz = {0};
    assert_int_equal(deflateInit2(&gz, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    gz.next_in = (Bytef *)text;
    gz.avail_in = (uInt)size;
    gz.next_out = out;
    gz.avail_out = PACKED_ROOM;
    assert_int_equal(deflate(&gz, Z_FINISH), Z_STREAM_END);
    *packed = gz.total_out;
    deflateEnd(&gz);
    return out;
}

/* Reads to the end; the number of lines, or the error. */
static int lines_read(const void *data, size_t size, struct diag *diag)
{
    struct textfile *file;
    char *line, wanted[32];
    size_t length;
    int count = 0, status = textfile_open_memory(&file, "t", data, size, diag);
    if (status != DIAG_OK)
        return status;
    while ((status = textfile_line(file, &line, &length, diag)) > 0) {
        sprintf(wanted, "line %d", count % LINES);
        assert_string_equal(line, wanted);
        assert_int_equal(length, strlen(wanted));
        assert_int_equal(textfile_line_number(file), ++count);
    }
    textfile_close(file);
    return status < 0 ? status : count;
}

TEST(test_the_three_codings)
{
    struct diag diag = {""};
    size_t size, xz_size, gz_size;
    char *text = plain_text(&size);
    uint8_t *xz = packed_xz(text, size, &xz_size), *gz = packed_gz(text, size, &gz_size);
    assert_int_equal(lines_read(text, size, &diag), LINES);
    assert_int_equal(lines_read(xz, xz_size, &diag), LINES);
    assert_int_equal(lines_read(gz, gz_size, &diag), LINES);
    /* Both formats may be written in several pieces, one after the other. */
    memcpy(xz + xz_size, xz, xz_size);
    memcpy(gz + gz_size, gz, gz_size);
    assert_int_equal(lines_read(xz, 2 * xz_size, &diag), 2 * LINES);
    assert_int_equal(lines_read(gz, 2 * gz_size, &diag), 2 * LINES);
    free(text);
    free(xz);
    free(gz);
}

static void assert_cut(const uint8_t *packed, size_t size, size_t first)
{
    for (size_t cut = first; cut < size; cut += 1 + size / 97) {
        struct diag diag = {""};
        assert_int_equal(lines_read(packed, cut, &diag), DIAG_USAGE);
        assert_non_null(strstr(diag.text, "cut short"));
        assert_int_equal(strncmp(diag.text, "t:", 2), 0);
    }
}

TEST(test_truncation_is_seen_everywhere)
{
    size_t size, xz_size, gz_size;
    char *text = plain_text(&size);
    uint8_t *xz = packed_xz(text, size, &xz_size), *gz = packed_gz(text, size, &gz_size);
    struct diag diag = {""};
    assert_cut(xz, xz_size, 1);
    assert_cut(gz, gz_size, 1);
    assert_int_equal(lines_read(xz, xz_size - 1, &diag), DIAG_USAGE);
    assert_int_equal(lines_read(gz, gz_size - 1, &diag), DIAG_USAGE);
    assert_int_equal(lines_read(text, size - 1, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "t:30000: the last line has no newline: the file is cut short");
    free(text);
    free(xz);
    free(gz);
}

TEST(test_damage_is_seen)
{
    size_t size, xz_size, gz_size;
    char *text = plain_text(&size);
    uint8_t *xz = packed_xz(text, size, &xz_size), *gz = packed_gz(text, size, &gz_size);
    struct diag diag = {""};
    xz[xz_size / 2] ^= 0x40;
    assert_int_equal(lines_read(xz, xz_size, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "the xz data is damaged"));
    gz[gz_size - 6] ^= 0x40; /* the checksum */
    assert_int_equal(lines_read(gz, gz_size, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "the gzip data is damaged"));
    gz[gz_size - 6] ^= 0x40;
    memcpy(gz + gz_size, "rubbish", 7);
    assert_int_equal(lines_read(gz, gz_size + 7, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "the gzip data is damaged"));
    free(text);
    free(xz);
    free(gz);
}

TEST(test_odd_texts)
{
    struct diag diag = {""};
    assert_int_equal(lines_read("", 0, &diag), 0);
    assert_int_equal(lines_read("line\0 0\n", 8, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "t:1: holds a NUL byte, expected text");
    char *line = malloc(TEXTFILE_LINE_MAX + 1);
    memset(line, 'x', TEXTFILE_LINE_MAX);
    line[TEXTFILE_LINE_MAX] = '\n';
    assert_int_equal(lines_read(line, TEXTFILE_LINE_MAX, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "t:1: the line is longer than 65536 bytes, expected text");
    free(line);
}

TEST(test_files_that_cannot_be_read)
{
    struct textfile *file = NULL;
    struct diag diag = {""};
    assert_int_equal(textfile_open(&file, "no/such/file", &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "no/such/file: cannot be opened: No such file or directory");
    assert_int_equal(textfile_open(&file, "workloads", &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "workloads: is a directory, expected a file");
    assert_null(file);
}

TEST_MAIN(NULL, NULL)
