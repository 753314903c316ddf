/* confine.h - keeps the process from other processes: no signals, no tracing, no new processes.
 *
 * The kernel looks at the numbers and arguments of its system calls (seccomp).  One that is refused ends the process by
 * SIGSYS, unless it handles that; the call is not made in either case.  What is refused:
 *
 *     kill and its kin, ptrace, process_vm_writev, prlimit, setpgid   of any process but this one and its group
 *     pidfd_send_signal, pidfd_getfd, process_madvise
 *     fork, vfork, clone without CLONE_THREAD, clone3                 clone3 is said not to exist: libc takes clone
 *     F_SETOWN and the like, PR_SET_PDEATHSIG of anything but SIGKILL
 *
 * This is written out because it is some forty instructions; libseccomp would be a library in every process for them.
 */
#ifndef TWBENCH_CONFINE_H
#define TWBENCH_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

/* From here on, for this process and all that it starts.  `parent` must not be this process.  With `may_trace` it may
 * start processes, and signal and trace any but `parent` and its group.  False when the kernel or the processor has no
 * such filter: nothing is refused then. */
bool confine(pid_t parent, bool may_trace);

/* What the refused call would have done, with the third person's verb first: "starts a process". */
const char *confine_words(int system_call);

#endif
