/*
 * answer.c - the answers, and how they get into a library's table of imports.
 *
 * The dynamic section of a loaded library names its relocations: places that the loader filled with
 * the address of a symbol.  Those of calls are in DT_JMPREL; those of pointers that the library
 * keeps in tables of its own (libuv's allocator) are in DT_RELA.  Whoever calls through such a place
 * gets what stands there.  After the loader is done the pages may be read-only (RELRO): they are made
 * writable for the store and then what they were.
 */
#include "answer.h"
#include "harness/base/libc.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

_Thread_local struct answer *answer_current;

#define COUNTED(what)                                                                              \
    do {                                                                                           \
        if (answer_current && answer_current->work)                                                \
            answer_current->work->what++;                                                          \
    } while (0)

/* ---- Clocks. --------------------------------------------------------------------------------- */

static int answer_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!answer_current)
        return clock_gettime(clock, now);
    COUNTED(clock_reads);
    *now = answer_current->now;
    return 0;
}

static int answer_gettimeofday(struct timeval *now, void *zone)
{
    if (!answer_current)
        return gettimeofday(now, zone);
    COUNTED(clock_reads);
    now->tv_sec = answer_current->now.tv_sec;
    now->tv_usec = answer_current->now.tv_nsec / 1000;
    return 0;
}

static time_t answer_time(time_t *now)
{
    if (!answer_current)
        return time(now);
    COUNTED(clock_reads);
    if (now)
        *now = answer_current->now.tv_sec;
    return answer_current->now.tv_sec;
}

/* ---- Waits: nothing is ready, at once. ------------------------------------------------------- */

/* Somebody is told how long the library would wait, and then it does not. */
static int waits_ms(int timeout_ms)
{
    if (!answer_current || !answer_current->asked)
        return timeout_ms;
    answer_current->asked(answer_current, timeout_ms);
    return 0;
}

static bool answers_waits(void)
{
    if (answer_current && answer_current->is_alone)
        return true;
    COUNTED(system_calls);
    return false;
}

static int answer_epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
    timeout_ms = waits_ms(timeout_ms);
    return answers_waits() ? 0 : epoll_wait(fd, events, count, timeout_ms);
}

static int answer_epoll_pwait(int fd, struct epoll_event *events, int count, int timeout_ms,
                              const sigset_t *mask)
{
    timeout_ms = waits_ms(timeout_ms);
    return answers_waits() ? 0 : epoll_pwait(fd, events, count, timeout_ms, mask);
}

static int nothing_polled(struct pollfd *fds, nfds_t count)
{
    for (nfds_t i = 0; i < count; i++)
        fds[i].revents = 0;
    return 0;
}

static int answer_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    timeout_ms = waits_ms(timeout_ms);
    return answers_waits() ? nothing_polled(fds, count) : poll(fds, count, timeout_ms);
}

static int answer_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                        const sigset_t *mask)
{
    return answers_waits() ? nothing_polled(fds, count) : ppoll(fds, count, timeout, mask);
}

static int nothing_selected(fd_set *reads, fd_set *writes, fd_set *others)
{
    fd_set *sets[] = {reads, writes, others};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if (sets[i])
            FD_ZERO(sets[i]);
    return 0;
}

static int answer_select(int count, fd_set *reads, fd_set *writes, fd_set *others,
                         struct timeval *timeout)
{
    return answers_waits() ? nothing_selected(reads, writes, others)
                           : select(count, reads, writes, others, timeout);
}

static int answer_timerfd_settime(int fd, int flags, const struct itimerspec *to,
                                  struct itimerspec *before)
{
    if (!answers_waits())
        return timerfd_settime(fd, flags, to, before);
    if (before)
        memset(before, 0, sizeof *before);
    return 0;
}

/* ---- What is only counted. ------------------------------------------------------------------- */

#define PASS_ON(counter, type, name, taken, given)                                                 \
    static type answer_##name taken                                                                \
    {                                                                                              \
        COUNTED(counter);                                                                          \
        return name given;                                                                         \
    }

PASS_ON(system_calls, int, epoll_ctl, (int epoll, int what, int fd, struct epoll_event *event),
        (epoll, what, fd, event))
PASS_ON(system_calls, int, timerfd_create, (int clock, int flags), (clock, flags))
PASS_ON(system_calls, ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size))
PASS_ON(system_calls, ssize_t, write, (int fd, const void *buffer, size_t size), (fd, buffer, size))
PASS_ON(system_calls, int, close, (int fd), (fd))
PASS_ON(allocations, void *, malloc, (size_t size), (size))
PASS_ON(allocations, void *, calloc, (size_t count, size_t size), (count, size))
PASS_ON(allocations, void *, realloc, (void *old, size_t size), (old, size))
PASS_ON(allocations, void *, reallocarray, (void *old, size_t count, size_t size),
        (old, count, size))
PASS_ON(allocations, void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
PASS_ON(allocations, int, posix_memalign, (void **out, size_t alignment, size_t size),
        (out, alignment, size))

/* ---- The table of imports. ------------------------------------------------------------------- */

typedef void any_function(void);

struct standard_answer {
    enum answer_kinds kind;
    const char *name;
    any_function *answer;
};

#define ANSWER(kind, name)                                                                         \
    {                                                                                              \
        kind, #name, (any_function *)answer_##name                                                 \
    }

static const struct standard_answer standard_answers[] = {
    ANSWER(ANSWER_CLOCKS, clock_gettime),
    ANSWER(ANSWER_CLOCKS, gettimeofday),
    ANSWER(ANSWER_CLOCKS, time),
    ANSWER(ANSWER_WAITS, epoll_wait),
    ANSWER(ANSWER_WAITS, epoll_pwait),
    ANSWER(ANSWER_WAITS, poll),
    ANSWER(ANSWER_WAITS, ppoll),
    ANSWER(ANSWER_WAITS, select),
    ANSWER(ANSWER_WAITS, timerfd_settime),
    ANSWER(ANSWER_CALLS, epoll_ctl),
    ANSWER(ANSWER_CALLS, timerfd_create),
    ANSWER(ANSWER_CALLS, read),
    ANSWER(ANSWER_CALLS, write),
    ANSWER(ANSWER_CALLS, close),
    ANSWER(ANSWER_ALLOCATIONS, malloc),
    ANSWER(ANSWER_ALLOCATIONS, calloc),
    ANSWER(ANSWER_ALLOCATIONS, realloc),
    ANSWER(ANSWER_ALLOCATIONS, reallocarray),
    ANSWER(ANSWER_ALLOCATIONS, aligned_alloc),
    ANSWER(ANSWER_ALLOCATIONS, posix_memalign),
};

/* The kinds without which a library would not do what is said of it. */
static const struct {
    enum answer_kinds kind;
    const char *names;
} needed_kinds[] = {
    {ANSWER_CLOCKS, "clock_gettime, gettimeofday or time"},
    {ANSWER_WAITS, "epoll_wait, epoll_pwait, poll, ppoll, select or timerfd_settime"},
};

/* Relocations that are nothing but the address of a symbol, as the processor at hand numbers them. */
#if defined(__x86_64__)
#define CALL_RELOCATION    R_X86_64_JUMP_SLOT
#define DATA_RELOCATION    R_X86_64_GLOB_DAT
#define POINTER_RELOCATION R_X86_64_64
#elif defined(__aarch64__)
#define CALL_RELOCATION    R_AARCH64_JUMP_SLOT
#define DATA_RELOCATION    R_AARCH64_GLOB_DAT
#define POINTER_RELOCATION R_AARCH64_ABS64
#elif defined(__s390x__)
#define CALL_RELOCATION    R_390_JMP_SLOT
#define DATA_RELOCATION    R_390_GLOB_DAT
#define POINTER_RELOCATION R_390_64
#elif defined(__riscv) && __riscv_xlen == 64
#define CALL_RELOCATION    R_RISCV_JUMP_SLOT
#define DATA_RELOCATION    R_RISCV_64
#define POINTER_RELOCATION R_RISCV_64
#elif defined(__i386__)
#define CALL_RELOCATION    R_386_JMP_SLOT
#define DATA_RELOCATION    R_386_GLOB_DAT
#define POINTER_RELOCATION R_386_32
#else
#error "answer.c does not know this processor's relocations"
#endif

/* Most processors keep what is added to the symbol's address in the relocation, i386 in the place itself. */
#if defined(__i386__)
typedef ElfW(Rel) relocation_entry;
#define TABLE_OF_DATA         DT_REL
#define BYTES_OF_DATA         DT_RELSZ
#define ADDEND_OF(relocation) 0
#else
typedef ElfW(Rela) relocation_entry;
#define TABLE_OF_DATA         DT_RELA
#define BYTES_OF_DATA         DT_RELASZ
#define ADDEND_OF(relocation) ((relocation)->r_addend)
#endif
#if __ELF_NATIVE_CLASS == 32
#define TYPE_OF(info)   ELF32_R_TYPE(info)
#define SYMBOL_OF(info) ELF32_R_SYM(info)
#else
#define TYPE_OF(info)   ELF64_R_TYPE(info)
#define SYMBOL_OF(info) ELF64_R_SYM(info)
#endif

/* A loaded library: its relocations, and what names them. */
struct imports {
    const struct link_map *library;
    const ElfW(Sym) * symbols;
    const char *strings;
    struct {
        const relocation_entry *first;
        size_t count;
    } tables[2];                         /* of calls, of data */
    ElfW(Addr) read_only, read_only_end; /* read-only after loading; whole pages at the end */
};

static int answer_refuse(struct tw_error *error, const struct imports *imports, const char *what,
                         const char *detail)
{
    snprintf(error->text, sizeof error->text, "%s: %s%s",
             imports->library ? imports->library->l_name : "a library", what, detail);
    return TW_BAD_SETTING;
}

/* Called by dl_iterate_phdr for each loaded object. */
static int imports_find_relro(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct imports *imports = ctx;
    (void)size;
    if (info->dlpi_addr != imports->library->l_addr ||
        strcmp(info->dlpi_name, imports->library->l_name) != 0)
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_GNU_RELRO)
            continue;
        imports->read_only = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        imports->read_only_end = imports->read_only + info->dlpi_phdr[i].p_memsz;
        imports->read_only_end -= imports->read_only_end % (ElfW(Addr))sysconf(_SC_PAGESIZE);
    }
    return 1;
}

/* An entry of the dynamic section, or 0. */
static ElfW(Addr) imports_entry(const struct link_map *library, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *entry = library->l_ld;
    while (entry->d_tag != DT_NULL && entry->d_tag != tag)
        entry++;
    return entry->d_tag == tag ? entry->d_un.d_ptr : 0;
}

/* The loader has turned most addresses of the dynamic section into pointers, but not on every
 * processor: what lies below the library is still a distance from its start. */
static const void *imports_pointer(const struct link_map *library, ElfW(Sxword) tag)
{
    ElfW(Addr) address = imports_entry(library, tag);
    if (address != 0 && address < library->l_addr)
        address += library->l_addr;
    return (const void *)address;
}

static int imports_read(struct imports *imports, any_function *function, struct tw_error *error)
{
    *imports = (struct imports){0};
    Dl_info info;
    void *map = NULL;
    const void *address;
    memcpy(&address, &function, sizeof address); /* to which ISO C has no cast */
    if (!dladdr1(address, &info, &map, RTLD_DL_LINKMAP) || !map)
        return answer_refuse(error, imports, "not found among what is loaded", "");
    imports->library = map;
    imports->symbols = imports_pointer(imports->library, DT_SYMTAB);
    imports->strings = imports_pointer(imports->library, DT_STRTAB);
    imports->tables[0].first = imports_pointer(imports->library, DT_JMPREL);
    imports->tables[1].first = imports_pointer(imports->library, TABLE_OF_DATA);
    imports->tables[0].count =
        imports_entry(imports->library, DT_PLTRELSZ) / sizeof(relocation_entry);
    imports->tables[1].count =
        imports_entry(imports->library, BYTES_OF_DATA) / sizeof(relocation_entry);
    dl_iterate_phdr(imports_find_relro, imports);
    if (!imports->symbols || !imports->strings)
        return answer_refuse(error, imports, "has no table of symbols", "");
    return TW_OK;
}

/* Pages that are read-only for good are made writable for the store.  No other thread runs. */
static bool import_store(const struct imports *imports, any_function **place, any_function *answer)
{
    if (*place == answer)
        return true;
    ElfW(Addr) address = (ElfW(Addr))place;
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *page = (char *)place - address % page_bytes;
    bool is_read_only = address >= imports->read_only && address < imports->read_only_end;
    if (is_read_only && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    *place = answer;
    return !is_read_only || mprotect(page, page_bytes, PROT_READ) == 0;
}

static bool import_is(const struct imports *imports, const relocation_entry *relocation,
                      const char *name)
{
    uint64_t type = TYPE_OF(relocation->r_info);
    if (type != CALL_RELOCATION && type != DATA_RELOCATION && type != POINTER_RELOCATION)
        return false;
    const ElfW(Sym) *symbol = &imports->symbols[SYMBOL_OF(relocation->r_info)];
    return ADDEND_OF(relocation) == 0 && strcmp(imports->strings + symbol->st_name, name) == 0;
}

/* How many places were filled is added to *found. */
static int imports_replace(const struct imports *imports, const char *name, any_function *answer,
                           size_t *found, struct tw_error *error)
{
    for (size_t t = 0; t < sizeof imports->tables / sizeof imports->tables[0]; t++) {
        for (size_t i = 0; i < imports->tables[t].count; i++) {
            const relocation_entry *relocation = &imports->tables[t].first[i];
            if (!import_is(imports, relocation, name))
                continue;
            ElfW(Addr) address = imports->library->l_addr + relocation->r_offset;
            any_function **place = (any_function **)address;
            if (!import_store(imports, place, answer))
                return answer_refuse(error, imports,
                                     "its table of imports cannot be written: ", strerror(errno));
            ++*found;
        }
    }
    return TW_OK;
}

int answer_function(any_function *function, const char *name, any_function *answer,
                    struct tw_error *error)
{
    struct imports imports;
    size_t found = 0;
    int status = imports_read(&imports, function, error);
    if (status == TW_OK)
        status = imports_replace(&imports, name, answer, &found, error);
    if (status == TW_OK && found == 0)
        return answer_refuse(error, &imports, "does not import ", name);
    return status;
}

int answer_library(any_function *function, unsigned kinds, struct tw_error *error)
{
    struct imports imports;
    unsigned found_kinds = 0;
    int status = imports_read(&imports, function, error);
    for (size_t i = 0; i < sizeof standard_answers / sizeof standard_answers[0]; i++) {
        const struct standard_answer *standard = &standard_answers[i];
        size_t found = 0;
        if (status == TW_OK && (kinds & standard->kind))
            status = imports_replace(&imports, standard->name, standard->answer, &found, error);
        if (found > 0)
            found_kinds |= standard->kind;
    }
    for (size_t i = 0; i < sizeof needed_kinds / sizeof needed_kinds[0]; i++)
        if (status == TW_OK && (kinds & ~found_kinds & needed_kinds[i].kind))
            return answer_refuse(error, &imports, "imports none of ", needed_kinds[i].names);
    return status;
}
