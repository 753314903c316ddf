/* guard.c - answers a design's calls of malloc, mmap and clocks, and catches its crashes. */
#include "harness/prove/guard.h"

#include "harness/measure/designs/designs.h"
#include "harness/prove/answer.h"
#include "harness/prove/report.h"
#include "impls/registry.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define ALTERNATE_STACK_BYTES ((size_t)64 << 10)
/* Under a sanitizer the allocations belong to it. */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
#define GUARD_OWNS_MEMORY false
#else
#define GUARD_OWNS_MEMORY true
#endif
/* An access so near the stack pointer that is refused has run off the stack. */
#define STACK_REACH ((uintptr_t)64 << 10)

typedef void any_function(void);
typedef void *new_function(size_t bytes);

/* The functions of the C library behind the answers.  They are not called by name, because the answers may
 * stand in our own table of imports as well. */
#define REALS(X)                                                                                   \
    X(malloc)                                                                                      \
    X(calloc)                                                                                      \
    X(realloc)                                                                                     \
    X(aligned_alloc)                                                                               \
    X(free)                                                                                        \
    X(malloc_usable_size)                                                                          \
    X(mmap)                                                                                        \
    X(munmap)                                                                                      \
    X(mremap)                                                                                      \
    X(syscall)                                                                                     \
    X(clock_gettime)

struct reals {
#define REAL_MEMBER(name) __typeof__(name) *(name);
    REALS(REAL_MEMBER)
#undef REAL_MEMBER
};

struct guard {
    struct watch *watch;
    struct fence *fence; /* NULL: the allocations are not taken over */
    int output_fd;
    bool is_program; /* the design is in the program itself: what does not come from a design's
                               function is the harness's own */
    bool is_busy;    /* the fence's own allocations */
    bool is_plugin;
    bool has_library;   /* a plugin calls libraries, which allocate out of our sight */
    bool may_allocate;  /* in start */
    const void *object; /* where the design's is loaded */
    struct reals real;
    uint64_t mapped_bytes;         /* by the design itself, in whole pages */
    bool reads_clocks;             /* and may */
    uint64_t short_from, short_to; /* allocations that are refused; 0: none */
    struct guard_counts counts;    /* since the start */
    size_t last_taken;             /* the allocation at which the process ends; 0: none */
    struct variables
        *variables;         /* of a plugin, as they were when it had been loaded; NULL: not known */
    const char *clock_read; /* by the design: the name of the function, */
    const char *clock_in;   /* and in which function of the design; NULL: none */
    new_function *real_new; /* the plugin's own operator new, which can throw; NULL: none */
    const char *complaint;  /* a rule that free() saw broken, */
    const char *wrong;      /* how, */
    const char *in;         /* in which function of the design, */
    struct block block;     /* and with which block */
};

/* A function in a table of imports, and a signal handler, have no argument that would tell for whom
 * they work: hence this one variable.  NULL but in a child that called guard_install. */
static _Thread_local struct guard *guard_current;

static void find_function(const char *name, any_function **out)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    memcpy(out, &address, sizeof *out); /* as POSIX has it, and ISO C has not */
}

static void reals_find(struct reals *reals)
{
#define REAL_FIND(name) find_function(#name, (any_function **)(void *)&reals->name);
    REALS(REAL_FIND)
#undef REAL_FIND
}

/* Another thread has no guard. */
static struct reals reals_now(void)
{
    struct reals reals;
    if (guard_current)
        return guard_current->real;
    reals_find(&reals);
    return reals;
}

/* Is it the design that calls? */
static bool guard_sees(void)
{
    const struct guard *guard = guard_current;
    return guard && guard->fence && !guard->is_busy &&
           (!guard->is_program || guard->watch->function);
}

/* ---- Allocating ------------------------------------------------------------------------------ */

static const char *guard_function(void)
{
    const char *function = guard_current->watch->function;
    return function ? function : "its constructor";
}

static void guard_complain(const char *rule, const char *wrong, const struct block *block)
{
    struct guard *guard = guard_current;
    if (guard->complaint)
        return;
    guard->complaint = rule;
    guard->wrong = wrong;
    guard->in = guard_function();
    guard->block = *block;
}

/* Without TW_ALLOCATES nobody can be told that there is no memory but who calls open. */
static void note_allocation(size_t bytes)
{
    const struct guard *guard = guard_current;
    const char *function = guard->watch->function;
    bool may = !function || guard->may_allocate || strcmp(function, "open") == 0;
    if (!may && (guard->is_program || guard->is_plugin))
        guard_complain(RULE_TAKES, "asks for",
                       &(struct block){.bytes = bytes, .taken_in = function});
}

/* Notes the allocation.  Is memory to be short for it? */
static bool guard_is_short(size_t bytes)
{
    struct guard *guard = guard_current;
    struct watch *watch = guard->watch;
    if (watch->taken_count < WATCH_TAKEN_MAX)
        watch->taken_bytes[watch->taken_count++] = bytes;
    if (watch->taken_count == guard->last_taken)
        _exit(0);
    guard->counts.allocations++;
    note_allocation(bytes);
    bool is_short = guard->counts.allocations >= guard->short_from &&
                    guard->counts.allocations < guard->short_to;
    guard->counts.refused += is_short;
    return is_short;
}

static void *take(size_t bytes, size_t alignment, bool is_zeroed)
{
    struct guard *guard = guard_current;
    void *block = NULL;
    if (!guard_is_short(bytes)) {
        guard->is_busy = true;
        block = fence_take(guard->fence, bytes, alignment, is_zeroed, guard_function());
        guard->is_busy = false;
    }
    if (!block) {
        guard->counts.failed++;
        errno = ENOMEM;
    }
    return block;
}

static void *guard_malloc(size_t bytes)
{
    return guard_sees() ? take(bytes, 1, false) : reals_now().malloc(bytes);
}

static void *guard_calloc(size_t count, size_t bytes)
{
    size_t all;
    if (!guard_sees())
        return reals_now().calloc(count, bytes);
    if (__builtin_mul_overflow(count, bytes, &all))
        return NULL;
    return take(all, 1, true);
}

/* A block of the fence, whoever frees it.  The address of one that was not fenced and is freed may have become the
 * harness's own meanwhile. */
static const struct block *guard_block(void *start)
{
    const struct guard *guard = guard_current;
    if (!guard || !guard->fence || guard->is_busy || !start)
        return NULL;
    const struct block *block = fence_find(guard->fence, start);
    bool is_reused = block && block->is_freed && !block->map && !guard_sees();
    return is_reused ? NULL : block;
}

static void guard_free(void *start)
{
    struct block block;
    if (!guard_block(start)) {
        reals_now().free(start);
        return;
    }
    guard_current->is_busy = true;
    enum fence_answer answer = fence_give(guard_current->fence, start, &block);
    guard_current->is_busy = false;
    if (answer == FENCE_TWICE)
        guard_complain(RULE_FREED, "frees again", &block);
    if (answer == FENCE_WRITTEN)
        guard_complain(RULE_BOUNDS, "frees, with bytes behind its end overwritten,", &block);
}

static void *guard_realloc(void *old, size_t bytes)
{
    if (!old)
        return guard_malloc(bytes);
    const struct block *block = guard_block(old);
    if (!block)
        return reals_now().realloc(old, bytes);
    size_t kept = block->is_freed ? 0 : block->bytes < bytes ? block->bytes : bytes;
    void *grown = take(bytes, 1, false);
    if (!grown)
        return NULL;
    memcpy(grown, old, kept);
    guard_free(old);
    return grown;
}

static void *guard_reallocarray(void *old, size_t count, size_t bytes)
{
    size_t all;
    return __builtin_mul_overflow(count, bytes, &all) ? NULL : guard_realloc(old, all);
}

static void *guard_aligned_alloc(size_t alignment, size_t bytes)
{
    return guard_sees() ? take(bytes, alignment, false)
                        : reals_now().aligned_alloc(alignment, bytes);
}

static int guard_posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *block = guard_aligned_alloc(alignment, bytes);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

static size_t guard_usable_size(void *start)
{
    const struct block *block = guard_block(start);
    return block ? block->bytes : reals_now().malloc_usable_size(start);
}

/* Pages that the design asks the system for count as its memory. */
static void note_mapped(size_t given_back, size_t taken)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE) - 1;
    if (guard_sees())
        guard_current->mapped_bytes += ((taken + page) & ~page) - ((given_back + page) & ~page);
}

static void *guard_mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (guard_sees() && guard_is_short(bytes)) {
        guard_current->counts.failed++;
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *map = reals_now().mmap(start, bytes, protection, flags, fd, offset);
    note_mapped(0, map != MAP_FAILED ? bytes : 0);
    return map;
}

static int guard_munmap(void *start, size_t bytes)
{
    note_mapped(bytes, 0);
    return reals_now().munmap(start, bytes);
}

static void *guard_mremap(void *start, size_t old_bytes, size_t bytes, int flags, void *to)
{
    void *map = reals_now().mremap(start, old_bytes, bytes, flags, to);
    if (map != MAP_FAILED)
        note_mapped(old_bytes, bytes);
    return map;
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

static void guard_clock(const char *name)
{
    struct guard *guard = guard_current;
    if (!guard_sees() || !guard->watch->function || guard->clock_read || guard->reads_clocks)
        return;
    guard->clock_read = name;
    guard->clock_in = guard_function();
}

/* What looks at a clock or waits for it. */
#define CLOCKS(X)                                                                                  \
    X(clock_gettime)                                                                               \
    X(gettimeofday)                                                                                \
    X(time)                                                                                        \
    X(clock)                                                                                       \
    X(times)                                                                                       \
    X(timespec_get)                                                                                \
    X(getrusage)                                                                                   \
    X(nanosleep)                                                                                   \
    X(clock_nanosleep)                                                                             \
    X(usleep)                                                                                      \
    X(sleep)                                                                                       \
    X(sched_yield)                                                                                 \
    X(poll)                                                                                        \
    X(select)

typedef long passed_on(long, long, long, long, long);

/* Numbers and addresses go in and a number comes out, whatever their types.  A poll for 0 ms waits for nothing. */
#define CLOCK_ANSWER(name)                                                                         \
    static long looks_##name(long a, long b, long c, long d, long e)                               \
    {                                                                                              \
        any_function *real;                                                                        \
        find_function(#name, &real);                                                               \
        if ((int)c != 0 || strcmp(#name, "poll") != 0)                                             \
            guard_clock(#name);                                                                    \
        return ((passed_on *)real)(a, b, c, d, e);                                                 \
    }
CLOCKS(CLOCK_ANSWER)

#ifdef SYS_mmap2
#define CALL_MMAP SYS_mmap2
#else
#define CALL_MMAP SYS_mmap
#endif

/* Pages and clocks by their numbers. */
static long guard_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long answer = reals_now().syscall(number, a, b, c, d, e, f);
    bool is_done = answer != -1;
    if (number == CALL_MMAP && is_done)
        note_mapped(0, (size_t)b);
    else if (number == SYS_munmap && is_done)
        note_mapped((size_t)b, 0);
    else if (number == SYS_mremap && is_done)
        note_mapped((size_t)b, (size_t)c);
#ifdef SYS_clock_gettime
    else if (number == SYS_clock_gettime)
        guard_clock("syscall of clock_gettime");
#endif
    return answer;
}

/* std::chrono's system_clock and steady_clock, in nanoseconds. */
static int64_t chrono_now(clockid_t clock)
{
    struct timespec now = {0};
    guard_clock("std::chrono's now");
    reals_now().clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t guard_system_now(void)
{
    return chrono_now(CLOCK_REALTIME);
}

static int64_t guard_steady_now(void)
{
    return chrono_now(CLOCK_MONOTONIC);
}

/* ---- Operator new and delete ----------------------------------------------------------------- */

static void *guard_new_aligned(size_t bytes, size_t alignment)
{
    void *block = guard_aligned_alloc(alignment, bytes > 0 ? bytes : 1);
    if (!block && guard_current && guard_current->real_new)
        return guard_current->real_new(SIZE_MAX / 2); /* throws std::bad_alloc */
    return block;
}

static void *guard_new(size_t bytes)
{
    return guard_new_aligned(bytes, 16);
}

static void *guard_new_nothrow(size_t bytes, const void *nothrow)
{
    (void)nothrow;
    return guard_aligned_alloc(16, bytes > 0 ? bytes : 1);
}

struct guard_answer {
    const char *name;
    any_function *answer;
};

static const struct guard_answer guard_answers[] = {
    {"malloc", (any_function *)guard_malloc},
    {"calloc", (any_function *)guard_calloc},
    {"realloc", (any_function *)guard_realloc},
    {"reallocarray", (any_function *)guard_reallocarray},
    {"aligned_alloc", (any_function *)guard_aligned_alloc},
    {"memalign", (any_function *)guard_aligned_alloc},
    {"posix_memalign", (any_function *)guard_posix_memalign},
    {"malloc_usable_size", (any_function *)guard_usable_size},
    {"free", (any_function *)guard_free},
    /* new, new[] and delete, delete[] as the Itanium C++ ABI names them; what delete gets beside the
     * address is not looked at. */
    {"_Znwm", (any_function *)guard_new},
    {"_Znam", (any_function *)guard_new},
    {"_ZnwmSt11align_val_t", (any_function *)guard_new_aligned},
    {"_ZnamSt11align_val_t", (any_function *)guard_new_aligned},
    {"_ZnwmRKSt9nothrow_t", (any_function *)guard_new_nothrow},
    {"_ZnamRKSt9nothrow_t", (any_function *)guard_new_nothrow},
    {"_ZdlPv", (any_function *)guard_free},
    {"_ZdaPv", (any_function *)guard_free},
    {"_ZdlPvm", (any_function *)guard_free},
    {"_ZdaPvm", (any_function *)guard_free},
    {"_ZdlPvSt11align_val_t", (any_function *)guard_free},
    {"_ZdaPvSt11align_val_t", (any_function *)guard_free},
    {"_ZdlPvmSt11align_val_t", (any_function *)guard_free},
    {"_ZdaPvmSt11align_val_t", (any_function *)guard_free},
    {"_ZdlPvRKSt9nothrow_t", (any_function *)guard_free},
    {"_ZdaPvRKSt9nothrow_t", (any_function *)guard_free},
    {"mmap", (any_function *)guard_mmap},
    {"mmap64", (any_function *)guard_mmap},
    {"munmap", (any_function *)guard_munmap},
    {"mremap", (any_function *)guard_mremap},
    {"syscall", (any_function *)guard_syscall},
};

/* For a design that does not say that it waits for the machine's clock. */
static const struct guard_answer clock_answers[] = {
#define CLOCK_ROW(name) {#name, (any_function *)looks_##name},
    CLOCKS(CLOCK_ROW)
#undef CLOCK_ROW
        {"_ZNSt6chrono3_V212system_clock3nowEv", (any_function *)guard_system_now},
    {"_ZNSt6chrono3_V212steady_clock3nowEv", (any_function *)guard_steady_now},
};

/* ---- Crashing -------------------------------------------------------------------------------- */

static uintptr_t stack_pointer(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__i386__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_ESP];
#elif defined(__s390x__)
    return (uintptr_t)context->uc_mcontext.gregs[15];
#elif defined(__riscv)
    return (uintptr_t)context->uc_mcontext.__gregs[REG_SP];
#else
    return (uintptr_t)context->uc_mcontext.sp;
#endif
}

static void fault_of_block(struct fault *fault, const struct block *block)
{
    uintptr_t start = (uintptr_t)block->start;
    fault->block_bytes = block->bytes;
    fault->taken_in = block->taken_in;
    fault->place = block->is_freed                          ? FAULT_FREED
                   : fault->address >= start + block->bytes ? FAULT_PAST
                                                            : FAULT_BEFORE;
    fault->distance_bytes =
        fault->place == FAULT_BEFORE ? start - fault->address : fault->address - start;
}

static bool is_lent(const struct watch *watch, uintptr_t address)
{
    uintptr_t page = address - address % (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < LENT_PAGES_MAX; i++)
        if (page != 0 && watch->lent_pages[i] == page)
            return true;
    return false;
}

/* Is it the processor's counter that was asked for, which guard_shut_counter has shut?  It is open again. */
static bool is_counter(int signal_number, const ucontext_t *context)
{
#if defined(__x86_64__)
    const uint8_t *code = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP];
    int state = PR_TSC_ENABLE;
    Dl_info info;
    if (signal_number != SIGSEGV || prctl(PR_GET_TSC, &state, 0, 0, 0) != 0 ||
        state != PR_TSC_SIGSEGV || code[0] != 0x0f || (code[1] != 0x31 && code[2] != 0xf9))
        return false;
    prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
    if (dladdr(code, &info) && info.dli_fbase == guard_current->object) /* not the C library's */
        guard_clock("the time stamp counter");
    return true;
#else
    return (void)signal_number, (void)context, false;
#endif
}

void guard_shut_counter(bool is_shut)
{
    const struct guard *guard = guard_current;
    if (guard && guard->fence && guard->is_plugin && !guard->has_library && !guard->reads_clocks)
        prctl(PR_SET_TSC, is_shut ? PR_TSC_SIGSEGV : PR_TSC_ENABLE, 0, 0, 0);
}

/* Only reads the table and writes the shared memory, which a signal handler may do. */
static void guard_crashed(int signal_number, siginfo_t *info, void *context)
{
    const struct guard *guard = guard_current;
    if (guard && is_counter(signal_number, context))
        return;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigaction(signal_number, &by_default, NULL);
    raise(signal_number); /* comes when this handler is left */
    if (!guard)
        return;
    struct fault *fault = &guard->watch->fault;
    *fault = (struct fault){.signal = signal_number};
    if ((signal_number != SIGSEGV && signal_number != SIGBUS) || info->si_code <= 0)
        return;
    fault->is_access = true;
    fault->address = (uintptr_t)info->si_addr;
#if defined(__x86_64__)
    fault->is_known = true;
    fault->is_write = ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2;
#endif
    const struct block *block = guard->fence ? fence_around(guard->fence, fault->address) : NULL;
    uintptr_t from_stack = fault->address - stack_pointer(context) + STACK_REACH;
    if (fault->address < (uintptr_t)sysconf(_SC_PAGESIZE))
        fault->place = FAULT_NULL;
    else if (is_lent(guard->watch, fault->address))
        fault->place = FAULT_LENT;
    else if (block)
        fault_of_block(fault, block);
    else if (from_stack < 2 * STACK_REACH)
        fault->place = FAULT_STACK;
}

static bool take_over_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    void *memory = mmap(NULL, ALTERNATE_STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    stack_t stack = {.ss_sp = memory, .ss_size = ALTERNATE_STACK_BYTES};
    struct sigaction action = {.sa_sigaction = guard_crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    bool done = sigaltstack(&stack, NULL) == 0;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        done = sigaction(signals[i], &action, NULL) == 0 && done;
    return done;
}

/* ---- Installing, and asking ------------------------------------------------------------------ */

/* An address in the object of the design: a plugin's table is a copy that lies elsewhere (designs.h). */
static const void *in_object(const struct tw_backend *backend)
{
    return (const void *)(uintptr_t)backend->open;
}

static bool is_in_program(const struct tw_backend *backend)
{
    Dl_info design, program;
    if (plugins_is_unloaded(backend))
        return false;
    return !dladdr(in_object(backend), &design) || !dladdr(guard_answers, &program) ||
           design.dli_fbase == program.dli_fbase;
}

bool guard_is_for(const struct tw_backend *backend)
{
    return GUARD_OWNS_MEMORY && !is_in_program(backend);
}

/* Does the design's object need a library that is not the language's own? */
static bool has_library(const struct tw_backend *backend)
{
    static const char *const known[] = {"libc.",     "libm.",       "libstdc++.",
                                        "libgcc_s.", "libpthread.", "ld-linux"};
    Dl_info info;
    void *map = NULL;
    if (!dladdr1(in_object(backend), &info, &map, RTLD_DL_LINKMAP) || !map)
        return true;
    const ElfW(Dyn) *entries = ((const struct link_map *)map)->l_ld;
    const char *strings = NULL;
    for (const ElfW(Dyn) *entry = entries; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            strings = (const char *)entry->d_un.d_ptr;
    if (!strings)
        return true;
    for (const ElfW(Dyn) *entry = entries; entry->d_tag != DT_NULL; entry++) {
        bool is_known = entry->d_tag != DT_NEEDED;
        for (size_t i = 0; !is_known && i < sizeof known / sizeof known[0]; i++)
            is_known = strncmp(strings + entry->d_un.d_val, known[i], strlen(known[i])) == 0;
        if (!is_known)
            return true;
    }
    return false;
}

/* Its own operator new, if it has one. */
static new_function *find_new(const struct tw_backend *backend)
{
    new_function *found = NULL;
    void *address = plugins_symbol(backend, "_Znwm");
    memcpy(&found, &address, sizeof found); /* as POSIX has it, and ISO C has not */
    return found;
}

static void install_answers(const struct tw_backend *backend, const struct guard_answer *answers,
                            size_t count)
{
    struct tw_error error; /* what the object does not import is not missed */
    for (size_t i = 0; i < count; i++)
        answer_function((any_function *)backend->open, answers[i].name, answers[i].answer, &error);
}

/* ---- Variables of the plugin ------------------------------------------------------------------ */

#define VARIABLES_BYTES ((size_t)4 << 20)

struct variables {
    char *first; /* in the object, behind what is read-only after loading */
    size_t bytes;
    /* Its variables of this thread, or NULL: none yet; what they begin with, of which the rest is zeros. */
    const char *of_thread, *image;
    size_t thread_bytes, image_bytes;
    char was[]; /* `bytes` */
};

/* Called by dl_iterate_phdr for each loaded object; stops at that of the design. */
static int variables_find(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct variables *found = ctx;
    ElfW(Addr) code = (ElfW(Addr))found->first, first = 0, end = 0, read_only = 0;
    ElfW(Phdr) thread = {0};
    bool is_it = false;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        ElfW(Addr) at = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD)
            is_it = is_it || code - at < part->p_memsz;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W)) {
            first = at;
            end = at + part->p_memsz;
        }
        if (part->p_type == PT_GNU_RELRO)
            read_only = at + part->p_memsz;
        if (part->p_type == PT_TLS)
            thread = *part;
    }
    if (!is_it)
        return 0;
    found->of_thread = info->dlpi_tls_data;
    found->image = (const char *)info->dlpi_addr + thread.p_vaddr;
    found->thread_bytes = thread.p_memsz;
    found->image_bytes = thread.p_filesz;
    found->first = (char *)(read_only > first ? read_only : first);
    found->bytes = end > (ElfW(Addr))found->first ? (size_t)(end - (ElfW(Addr))found->first) : 0;
    return 1;
}

static struct variables *variables_take(const struct tw_backend *backend)
{
    struct variables found = {.first = (char *)(uintptr_t)in_object(backend)};
    if (dl_iterate_phdr(variables_find, &found) == 0 || found.bytes > VARIABLES_BYTES)
        return NULL;
    struct variables *variables = malloc(sizeof *variables + found.bytes);
    if (!variables)
        return NULL;
    *variables = found;
    memcpy(variables->was, found.first, found.bytes);
    return variables;
}

/* Those of the thread that no longer hold what they begin with. */
static bool has_thread_changed(const struct variables *variables)
{
    struct variables now = {.first = variables->first};
    if (variables->thread_bytes == 0 || dl_iterate_phdr(variables_find, &now) == 0 ||
        !now.of_thread)
        return false;
    for (size_t i = 0; i < now.thread_bytes; i++)
        if (now.of_thread[i] != (i < now.image_bytes ? now.image[i] : 0))
            return true;
    return false;
}

void guard_inspect_variables(const char *function, struct conform_report *report)
{
    const struct variables *variables = guard_current ? guard_current->variables : NULL;
    if (variables && has_thread_changed(variables))
        report_broken(report, RULE_STATE, "%s%sa variable of the thread has changed",
                      function ? function : "", function ? ": " : "");
    if (!variables || memcmp(variables->was, variables->first, variables->bytes) == 0)
        return;
    size_t at = 0;
    while (variables->was[at] == variables->first[at])
        at++;
    Dl_info info;
    const char *place = variables->first + at;
    bool is_known = dladdr(place, &info) != 0;
    report_broken(report, RULE_STATE,
                  "%s%sthe byte at 0x%zx of its object has changed since it was loaded%s%s",
                  function ? function : "", function ? ": " : "",
                  is_known ? (size_t)(place - (const char *)info.dli_fbase) : at,
                  is_known && info.dli_sname ? ", near " : "",
                  is_known && info.dli_sname ? info.dli_sname : "");
}

bool guard_install(struct watch *watch, const struct tw_backend *backend, enum fence_side side,
                   uint64_t memory_bytes, int output_fd)
{
    struct guard *guard = calloc(1, sizeof *guard);
    if (!guard)
        return false;
    guard->watch = watch;
    guard->output_fd = output_fd;
    reals_find(&guard->real);
    guard->is_program = is_in_program(backend);
    guard->may_allocate = backend->traits.flags & TW_ALLOCATES;
    guard->is_plugin = !guard->is_program && !plugins_symbol(backend, "tw_adapts_library");
    guard->has_library = guard->is_plugin && has_library(backend);
    Dl_info info;
    guard->object = dladdr(in_object(backend), &info) ? info.dli_fbase : NULL;
    guard_current = guard;
    if (!take_over_signals())
        return false;
    if (!GUARD_OWNS_MEMORY)
        return true;
    guard->fence = fence_open(side, memory_bytes);
    guard->real_new = guard->is_program ? NULL : find_new(backend);
    if (!guard->fence)
        return false;
    install_answers(backend, guard_answers, sizeof guard_answers / sizeof guard_answers[0]);
    guard->reads_clocks = backend->traits.flags & TW_REAL_CLOCK;
    if (!guard->reads_clocks)
        install_answers(backend, clock_answers, sizeof clock_answers / sizeof clock_answers[0]);
    guard->variables = guard->is_plugin ? variables_take(backend) : NULL;
    return true;
}

/* Its first line, with nothing in it that a terminal would act on. */
static void inspect_output(struct guard *guard, struct conform_report *report)
{
    char text[61];
    fflush(stdout);
    off_t bytes = guard->output_fd >= 0 ? lseek(guard->output_fd, 0, SEEK_END) : 0;
    if (bytes <= 0)
        return;
    ssize_t length = pread(guard->output_fd, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = '\0';
        else if (*c < ' ' || *c > '~')
            *c = '?';
    report_broken(report, RULE_SILENT, "%jd bytes were printed: \"%s\"", (intmax_t)bytes, text);
}

static void inspect_blocks(struct guard *guard, bool is_closed, struct conform_report *report)
{
    struct block first;
    uint64_t bytes;
    if (guard->complaint)
        report_broken(report, guard->complaint, "%s %s a block of %zu bytes that was taken in %s",
                      guard->in, guard->wrong, guard->block.bytes, guard->block.taken_in);
    guard->complaint = NULL;
    size_t count = is_closed ? fence_forget(guard->fence, &bytes, &first) : 0;
    if (count > 0)
        report_broken(report, RULE_LEAK,
                      "%zu blocks, %" PRIu64 " bytes in all, are left; one of them is of %zu bytes "
                      "and was taken in %s",
                      count, bytes, first.bytes, first.taken_in);
    if (is_closed && guard->is_plugin && !guard->has_library && guard->mapped_bytes > 0 &&
        guard->mapped_bytes < UINT64_MAX / 2)
        report_broken(report, RULE_LEAK, "%" PRIu64 " bytes that it mapped are left",
                      guard->mapped_bytes);
}

static void inspect_clock(struct guard *guard, struct conform_report *report)
{
    if (guard->clock_read)
        report_broken(report, RULE_CLOCK, "%s calls %s; its traits do not say TW_REAL_CLOCK",
                      guard->clock_in, guard->clock_read);
    guard->clock_read = NULL;
}

void guard_inspect(bool is_closed, struct conform_report *report)
{
    if (guard_current)
        inspect_output(guard_current, report);
    if (guard_current && guard_current->fence) {
        guard_inspect_variables(NULL, report);
        inspect_clock(guard_current, report);
        inspect_blocks(guard_current, is_closed, report);
    }
}

const void *guard_part(const struct tw_backend *backend, const char *kind)
{
    char symbol[64];
    snprintf(symbol, sizeof symbol, "tw_plugin_%s", kind);
    return is_in_program(backend) ? registry_part(backend, kind) : plugins_symbol(backend, symbol);
}

struct guard *guard_here(void)
{
    return guard_current;
}

void guard_adopt(struct guard *guard)
{
    guard_current = guard;
}

void guard_pause(bool is_paused)
{
    if (guard_current)
        guard_current->is_busy = is_paused;
}

bool guard_held(struct held *held)
{
    const struct guard *guard = guard_current;
    bool is_known = guard && guard->fence && (guard->is_program || guard->is_plugin);
    if (!is_known)
        return false;
    const struct fence_use *use = fence_use(guard->fence);
    held->bytes = use->bytes + guard->mapped_bytes;
    held->padding = use->padding;
    held->fences = use->mapped;
    held->is_all = !guard->has_library;
    return true;
}

void guard_make_short(uint64_t first, uint64_t count)
{
    struct guard *guard = guard_current;
    guard->short_from = guard->counts.allocations + first;
    guard->short_to =
        guard->short_from + count < guard->short_from ? UINT64_MAX : guard->short_from + count;
}

bool guard_share_pages(size_t last_taken)
{
    guard_current->last_taken = last_taken;
    return guard_current->fence && fence_share(guard_current->fence);
}

void guard_limit(uint64_t bytes)
{
    fence_use(guard_current->fence)->bytes_max = bytes;
}

struct guard_counts guard_counts(void)
{
    return guard_current ? guard_current->counts : (struct guard_counts){0};
}

void guard_judge_refusal(int status, uint64_t failed, uint32_t capacity,
                         struct conform_report *report)
{
    struct held held;
    bool is_refused = status == TW_REFUSED_MEMORY || status == TW_REFUSED_FULL;
    if (is_refused && guard_held(&held) && held.is_all && guard_counts().failed == failed &&
        !guard_current->reads_clocks)
        report_broken(report, RULE_OPEN,
                      "open for %" PRIu32
                      " timers answered %d, and got all the memory that it asked for",
                      capacity, status);
}
