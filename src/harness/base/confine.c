/* confine.c - a filter of system calls, written for one process. */
#include "harness/base/confine.h"

#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0
#endif
/* System calls of the x32 interface have numbers from here on. */
#define X32_FIRST 0x40000000u

#define FILTER_MAX 256u
#define VALUES_MAX 4u

enum subject {
    STARTS,  /* a process, whatever the arguments are */
    CLONES,  /* one unless the argument says CLONE_THREAD */
    TARGETS, /* the process or group that the argument is */
    ALWAYS,  /* something of another process */
    OPTION,  /* refused when the argument is `value` */
    DEATH    /* a signal at the parent's end that is not SIGKILL */
};

static const struct rule {
    int call;
    enum subject subject;
    unsigned argument;
    uint32_t value;
} rules[] = {
#ifdef SYS_fork
    {SYS_fork, STARTS, 0, 0},
    {SYS_vfork, STARTS, 0, 0},
#endif
    {SYS_clone, CLONES, 0, 0},
    {SYS_kill, TARGETS, 0, 0},
    {SYS_tkill, TARGETS, 0, 0},
    {SYS_tgkill, TARGETS, 0, 0},
    {SYS_rt_sigqueueinfo, TARGETS, 0, 0},
    {SYS_rt_tgsigqueueinfo, TARGETS, 0, 0},
    {SYS_ptrace, TARGETS, 1, 0},
    {SYS_process_vm_writev, TARGETS, 0, 0},
    {SYS_prlimit64, TARGETS, 0, 0},
    {SYS_setpgid, TARGETS, 1, 0},
    {SYS_pidfd_send_signal, ALWAYS, 0, 0},
    {SYS_pidfd_getfd, ALWAYS, 0, 0},
    {SYS_process_madvise, ALWAYS, 0, 0},
    {SYS_fcntl, OPTION, 1, F_SETOWN},
    {SYS_fcntl, OPTION, 1, F_SETOWN_EX},
    {SYS_ioctl, OPTION, 1, FIOSETOWN},
    {SYS_ioctl, OPTION, 1, SIOCSPGRP},
    {SYS_prctl, DEATH, 0, PR_SET_PDEATHSIG},
};
#define RULES (sizeof rules / sizeof rules[0])

struct filter {
    struct sock_filter list[FILTER_MAX];
    unsigned short count;
    bool may_trace;
    uint32_t targets[VALUES_MAX]; /* allowed ones, or with `may_trace` refused ones */
};

static void add(struct filter *filter, uint16_t code, uint32_t value, unsigned then, unsigned other)
{
    filter->list[filter->count++] =
        (struct sock_filter){code, (uint8_t)then, (uint8_t)other, value};
}

static void load(struct filter *filter, size_t offset)
{
    add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct filter *filter, uint32_t what)
{
    add(filter, BPF_RET | BPF_K, what, 0, 0);
}

static void skip_unless(struct filter *filter, uint32_t value, unsigned count)
{
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
}

/* The lower half of it, which is all that the kernel reads of a process id or an option. */
static void load_argument(struct filter *filter, unsigned index)
{
    load(filter, offsetof(struct seccomp_data, args) + index * sizeof(uint64_t));
}

static void refuse_number(struct filter *filter, int call, uint32_t what)
{
    skip_unless(filter, (uint32_t)call, 1);
    answer(filter, what);
}

static void add_target(struct filter *filter, const struct rule *rule)
{
    uint32_t when = filter->may_trace ? SECCOMP_RET_TRAP : SECCOMP_RET_ALLOW;
    uint32_t else_what = filter->may_trace ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRAP;
    skip_unless(filter, (uint32_t)rule->call, 2 + 2 * VALUES_MAX);
    load_argument(filter, rule->argument);
    for (unsigned i = 0; i < VALUES_MAX; i++)
        refuse_number(filter, (int)filter->targets[i], when);
    answer(filter, else_what);
}

/* Behind it the number of the call is loaded, as before it. */
static void add_rule(struct filter *filter, const struct rule *rule)
{
    switch (rule->subject) {
    case STARTS:
    case ALWAYS:
        if (rule->subject == ALWAYS || !filter->may_trace)
            refuse_number(filter, rule->call, SECCOMP_RET_TRAP);
        break;
    case CLONES:
        if (filter->may_trace)
            break;
        skip_unless(filter, (uint32_t)rule->call, 4);
        load_argument(filter, rule->argument);
        add(filter, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
        answer(filter, SECCOMP_RET_TRAP);
        answer(filter, SECCOMP_RET_ALLOW);
        break;
    case TARGETS:
        add_target(filter, rule);
        break;
    case OPTION:
        skip_unless(filter, (uint32_t)rule->call, 4);
        load_argument(filter, rule->argument);
        refuse_number(filter, (int)rule->value, SECCOMP_RET_TRAP);
        load(filter, offsetof(struct seccomp_data, nr));
        break;
    case DEATH:
        skip_unless(filter, (uint32_t)rule->call, 6);
        load_argument(filter, rule->argument);
        skip_unless(filter, rule->value, 3);
        load_argument(filter, rule->argument + 1);
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, SIGKILL, 1, 0);
        answer(filter, SECCOMP_RET_TRAP);
        load(filter, offsetof(struct seccomp_data, nr));
        break;
    }
}

static void build(struct filter *filter)
{
    load(filter, offsetof(struct seccomp_data, arch));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(filter, SECCOMP_RET_TRAP);
    load(filter, offsetof(struct seccomp_data, nr));
    add(filter, BPF_JMP | BPF_JGE | BPF_K, X32_FIRST, 0, 1);
    answer(filter, SECCOMP_RET_TRAP);
    for (size_t i = 0; i < RULES; i++)
        add_rule(filter, &rules[i]);
    if (!filter->may_trace)
        refuse_number(filter, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    answer(filter, SECCOMP_RET_ALLOW);
}

/* Without SPEC_ALLOW older kernels would slow down what the process does by their care for speculation. */
bool confine(pid_t parent, bool may_trace)
{
    pid_t own = getpid(), group = getpgid(parent);
    struct filter filter = {.may_trace = may_trace,
                            .targets = {(uint32_t)own, (uint32_t)-own, 0, (uint32_t)own}};
    if (may_trace) {
        filter.targets[0] = (uint32_t)parent;
        filter.targets[1] = (uint32_t)-group;
        filter.targets[2] = (uint32_t)group;
        filter.targets[3] = (uint32_t)-1;
    }
    if (ARCHITECTURE == 0)
        return false;
    build(&filter);
    struct sock_fprog program = {filter.count, filter.list};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &program) == 0;
}

const char *confine_words(int system_call)
{
    for (size_t i = 0; i < RULES; i++)
        if (rules[i].call == system_call && rules[i].subject <= CLONES)
            return "starts a process";
        else if (rules[i].call == system_call && rules[i].subject < OPTION)
            return "acts on another process";
    return "makes a system call that a plugin has no need for";
}
