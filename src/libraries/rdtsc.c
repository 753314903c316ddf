/*
 * rdtsc.c - finding the instruction, and what stands in its place.
 */
#include "rdtsc.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The four instructions, and the three that replace them. */
#define RDTSC_BYTES 11

typedef void any_function(void);

/* The function's symbol in its library: where its code begins and how long it is. */
struct code {
    const char *library;
    const char *name;
    uint8_t *first;
    size_t size;
};

static int code_refuse(struct tw_error *error, const struct code *code, const char *what,
                       const char *detail)
{
    snprintf(error->text, sizeof error->text, "%s: %s: %s%s",
             code->library ? code->library : "a library", code->name ? code->name : "a function",
             what, detail);
    return TW_BAD_SETTING;
}

static int code_find(struct code *code, any_function *function, struct tw_error *error)
{
    Dl_info info;
    void *symbol = NULL;
    const void *address;
    *code = (struct code){0};
    memcpy(&address, &function, sizeof address); /* to which ISO C has no cast */
    if (!dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) || !symbol || !info.dli_sname)
        return code_refuse(error, code, "not found among what is loaded", "");
    code->library = info.dli_fname;
    code->name = info.dli_sname;
    code->first = info.dli_saddr;
    code->size = ((const ElfW(Sym) *)symbol)->st_size;
    return TW_OK;
}

/* ---- The clock's place ------------------------------------------------------------------------ */

struct spare_room {
    const uint8_t *inside; /* an address of the library that is looked for */
    uintptr_t room;        /* the last eight bytes of its last writable page, or 0 */
};

/* Called by dl_iterate_phdr for each loaded object. */
static int room_find(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct spare_room *spare = ctx;
    bool is_it = false;
    uintptr_t end = 0;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        uintptr_t first = info->dlpi_addr + part->p_vaddr;
        is_it |= (uintptr_t)spare->inside - first < part->p_memsz;
        if (part->p_flags & PF_W)
            end = first + part->p_memsz;
    }
    if (!is_it)
        return 0;
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t room = (end | (page_bytes - 1)) + 1 - sizeof(uint64_t);
    if (end % page_bytes != 0 && room >= end)
        spare->room = room;
    return 1;
}

uint64_t *rdtsc_clock(any_function *function, struct tw_error *error)
{
    struct code code;
    if (code_find(&code, function, error) != TW_OK)
        return NULL;
    struct spare_room spare = {code.first, 0};
    dl_iterate_phdr(room_find, &spare);
    if (spare.room == 0)
        code_refuse(error, &code, "no eight bytes to spare behind its library's variables", "");
    return (uint64_t *)spare.room; /* NOLINT(performance-no-int-to-ptr): as the loader has it */
}

/* ---- The instructions ------------------------------------------------------------------------- */

/* The numbers that the processor has for its registers; one of the first eight fits these bytes. */
enum { REGISTER_AX = 0, REGISTER_DX = 2, REGISTER_NONE = 8 };

static const uint8_t rdtsc_itself[2] = {0x0f, 0x31};
static const uint8_t rdtsc_left_out[2] = {0x66, 0x90};

/* In which register the sum of the halves is afterwards, or REGISTER_NONE when these are other bytes. */
static unsigned sum_register(const uint8_t *bytes)
{
    static const uint8_t begin[] = {0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x89};
    if (memcmp(bytes, begin, sizeof begin) != 0 || bytes[8] != 0x48 || bytes[9] != 0x09)
        return REGISTER_NONE;
    unsigned low = bytes[7] ^ 0xc0u; /* mov %eax, low */
    if (low >= REGISTER_NONE)
        return REGISTER_NONE;
    if (bytes[10] == (0xc0u | REGISTER_DX << 3 | low))
        return low; /* or %rdx, low */
    return low == REGISTER_AX && bytes[10] == (0xc0u | low << 3 | REGISTER_DX) ? REGISTER_DX
                                                                               : REGISTER_NONE;
}

/* False when the clock is too far off: 2 GB. */
static bool answer_make(uint8_t *out, const uint8_t *place, unsigned to, const uint64_t *clock,
                        bool keeps)
{
    int64_t distance = (int64_t)((uintptr_t)clock - (uintptr_t)(place + 9));
    int32_t near = (int32_t)distance;
    memcpy(out, keeps ? rdtsc_itself : rdtsc_left_out, 2);
    out[2] = 0x48; /* mov distance(%rip), to */
    out[3] = 0x8b;
    out[4] = (uint8_t)(to << 3 | 5);
    memcpy(out + 5, &near, sizeof near);
    memcpy(out + 9, rdtsc_left_out, 2);
    return near == distance;
}

/* Whether this file has been here before, and so what to put there now. */
static bool answer_again(uint8_t *out, const uint8_t *place, const uint64_t *clock, bool keeps)
{
    if ((place[4] & ~0x38u) != 0x05 || !answer_make(out, place, place[4] >> 3, clock, keeps))
        return false;
    bool begins = memcmp(place, rdtsc_itself, 2) == 0 || memcmp(place, rdtsc_left_out, 2) == 0;
    return begins && memcmp(place + 2, out + 2, RDTSC_BYTES - 2) == 0;
}

/* Code is read-only for good; the pages are made writable for the store, and then what they were. */
static bool code_store(uint8_t *place, const uint8_t *bytes)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *page = place - (uintptr_t)place % page_bytes;
    size_t size = (size_t)(place - page) + RDTSC_BYTES;
    if (memcmp(place, bytes, RDTSC_BYTES) == 0)
        return true;
    if (mprotect(page, size, PROT_READ | PROT_WRITE) != 0)
        return false;
    memcpy(place, bytes, RDTSC_BYTES);
    __builtin___clear_cache((char *)place, (char *)place + RDTSC_BYTES);
    return mprotect(page, size, PROT_READ | PROT_EXEC) == 0;
}

int rdtsc_answer(any_function *function, const uint64_t *clock, bool keeps, struct tw_error *error)
{
    struct code code;
    int status = code_find(&code, function, error);
    size_t found = 0;
    for (size_t at = 0; status == TW_OK && at + RDTSC_BYTES <= code.size; at++) {
        uint8_t *place = code.first + at, answer[RDTSC_BYTES];
        unsigned to = sum_register(place);
        if (to != REGISTER_NONE) {
            if (!answer_make(answer, place, to, clock, keeps))
                return code_refuse(error, &code, "no room for a clock within 2 GB", "");
        } else if (!answer_again(answer, place, clock, keeps)) {
            if (memcmp(place, rdtsc_itself, 2) == 0)
                return code_refuse(error, &code, "its RDTSC is followed by other instructions", "");
            continue;
        }
        if (!code_store(place, answer))
            return code_refuse(error, &code, "its code cannot be written: ", strerror(errno));
        at += RDTSC_BYTES - 1;
        found++;
    }
    if (status == TW_OK && found == 0)
        return code_refuse(error, &code, "no RDTSC in it, which was expected", "");
    return status;
}
