/* guard.c - answers a plugin's allocations, and catches its crashes. */
#include "harness/conform/guard.h"

#include "harness/conform/judge.h"
#include "libraries/answer.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define ALTERNATE_STACK_BYTES ((size_t)64 << 10)
/* An access so near the stack pointer that is refused has run off the stack. */
#define STACK_REACH ((uintptr_t)64 << 10)

typedef void any_function(void);
typedef void *new_function(size_t bytes);

struct guard {
    struct watch *watch;
    struct fence *fence; /* NULL: the allocations are not taken over */
    int output_fd;
    new_function *real_new; /* the plugin's own operator new, which can throw; NULL: none */
    const char *complaint;  /* a rule that free() saw broken, */
    const char *wrong;      /* how, */
    const char *in;         /* in which function of the design, */
    struct block block;     /* and with which block */
};

/* A function in a table of imports, and a signal handler, have no argument that would tell for whom
 * they work: hence this one variable.  NULL but in a child that called guard_install. */
static _Thread_local struct guard *guard_current;

/* ---- Allocating ------------------------------------------------------------------------------ */

static const char *guard_function(void)
{
    const char *function = guard_current->watch->function;
    return function ? function : "its constructor";
}

static void *take(size_t bytes, size_t alignment, bool is_zeroed)
{
    void *block = fence_take(guard_current->fence, bytes, alignment, is_zeroed, guard_function());
    if (!block)
        errno = ENOMEM;
    return block;
}

static void *guard_malloc(size_t bytes)
{
    return guard_current ? take(bytes, 1, false) : malloc(bytes);
}

static void *guard_calloc(size_t count, size_t bytes)
{
    size_t all;
    if (!guard_current)
        return calloc(count, bytes);
    if (__builtin_mul_overflow(count, bytes, &all))
        return NULL;
    return take(all, 1, true);
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

static void guard_free(void *start)
{
    struct block block;
    enum fence_answer answer =
        guard_current && start ? fence_give(guard_current->fence, start, &block) : FENCE_UNKNOWN;
    if (answer == FENCE_UNKNOWN)
        free(start);
    if (answer == FENCE_TWICE)
        guard_complain(RULE_FREED, "frees again", &block);
    if (answer == FENCE_WRITTEN)
        guard_complain(RULE_BOUNDS, "frees, with bytes behind its end overwritten,", &block);
}

static void *guard_realloc(void *old, size_t bytes)
{
    if (!old)
        return guard_malloc(bytes);
    const struct block *block = guard_current ? fence_find(guard_current->fence, old) : NULL;
    if (!block)
        return realloc(old, bytes);
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
    return guard_current ? take(bytes, alignment, false) : aligned_alloc(alignment, bytes);
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
    const struct block *block = guard_current ? fence_find(guard_current->fence, start) : NULL;
    return block ? block->bytes : malloc_usable_size(start);
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

static const struct {
    const char *name;
    any_function *answer;
} guard_answers[] = {
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
};

/* ---- Crashing -------------------------------------------------------------------------------- */

static uintptr_t stack_pointer(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
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

/* Only reads the table and writes the shared memory, which a signal handler may do. */
static void guard_crashed(int signal_number, siginfo_t *info, void *context)
{
    const struct guard *guard = guard_current;
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
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
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

bool guard_is_for(const struct tw_backend *backend)
{
#ifdef TWB_JEMALLOC
    Dl_info design, program;
    return dladdr(backend, &design) && dladdr(guard_answers, &program) &&
           design.dli_fbase != program.dli_fbase;
#else
    (void)backend;
    return false;
#endif
}

/* Its own operator new, if it has one. */
static new_function *find_new(const struct tw_backend *backend)
{
    Dl_info info;
    new_function *found = NULL;
    void *object = dladdr(backend, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *address = object ? dlsym(object, "_Znwm") : NULL;
    memcpy(&found, &address, sizeof found); /* as POSIX has it, and ISO C has not */
    return found;
}

bool guard_install(struct watch *watch, const struct tw_backend *backend, enum fence_side side,
                   uint64_t memory_bytes, int output_fd)
{
    struct guard *guard = calloc(1, sizeof *guard);
    if (!guard)
        return false;
    guard->watch = watch;
    guard->output_fd = output_fd;
    guard_current = guard;
    if (!take_over_signals())
        return false;
    if (!guard_is_for(backend))
        return true;
    guard->fence = fence_open(side, memory_bytes);
    guard->real_new = find_new(backend);
    if (!guard->fence)
        return false;
    for (size_t i = 0; i < sizeof guard_answers / sizeof guard_answers[0]; i++) {
        struct tw_error error; /* what the plugin does not import is not missed */
        answer_function((any_function *)backend->open, guard_answers[i].name,
                        guard_answers[i].answer, &error);
    }
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
}

void guard_inspect(bool is_closed, struct conform_report *report)
{
    if (guard_current)
        inspect_output(guard_current, report);
    if (guard_current && guard_current->fence)
        inspect_blocks(guard_current, is_closed, report);
}
