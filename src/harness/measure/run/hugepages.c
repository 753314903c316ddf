/* hugepages.c - gives a design pages of 2 MiB, or none. */
#include "harness/measure/run/arena.h"

#include "harness/base/file.h"

#include <sys/mman.h>
#include <sys/prctl.h>

bool hugepages_are_there(const char *root)
{
    char words[64];
    sysfile_read(words, sizeof words, root, "/sys/kernel/mm/transparent_hugepage/enabled");
    return words[0] != '\0' && !strstr(words, "[never]");
}

static size_t round_up(size_t bytes)
{
    return (bytes + HUGEPAGES_BYTES - 1) & ~(HUGEPAGES_BYTES - 1);
}

/* A page that nobody can touch stays behind the memory: without it the kernel might make one mapping of
 * two, and tell of both together. */
#define GAP_BYTES ((size_t)4096)

void *hugepages_map(size_t bytes, bool huge)
{
    size_t wanted = round_up(bytes), reserved = wanted + HUGEPAGES_BYTES;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *memory = mmap(NULL, reserved, PROT_NONE, flags, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before = round_up((uintptr_t)memory) - (uintptr_t)memory;
    size_t behind = HUGEPAGES_BYTES - before - GAP_BYTES;
    char *begin = memory + before;
    if (before > 0)
        munmap(memory, before);
    if (behind > 0)
        munmap(begin + wanted + GAP_BYTES, behind);
    if (mprotect(begin, wanted, PROT_READ | PROT_WRITE) != 0) {
        hugepages_unmap(begin, bytes);
        return NULL;
    }
    /* A kernel without huge pages refuses the advice; counting will tell. */
    (void)madvise(begin, wanted, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return begin;
}

void hugepages_unmap(void *memory, size_t bytes)
{
    munmap(memory, round_up(bytes) + GAP_BYTES);
}

void hugepages_refuse(void)
{
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/* ---- What the kernel says of it. ------------------------------------------------------------- */

/* A mapping begins with a line `first-last permissions ...` in hexadecimal; what is known of it follows
 * in lines of a word, a number and kB. */
bool hugepages_count(const void *memory, size_t bytes, uint64_t *touched, uint64_t *huge)
{
    uintptr_t begin = (uintptr_t)memory, end = begin + round_up(bytes);
    bool inside = false;
    char line[512];
    FILE *smaps = fopen("/proc/self/smaps", "r");
    if (!smaps)
        return false;
    while (fgets(line, sizeof line, smaps)) {
        uintptr_t first, last;
        uint64_t kibibytes;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &last) == 2)
            inside = first >= begin && last <= end;
        else if (inside && sscanf(line, "Rss: %" SCNu64, &kibibytes) == 1)
            *touched += kibibytes << 10;
        else if (inside && sscanf(line, "AnonHugePages: %" SCNu64, &kibibytes) == 1)
            *huge += kibibytes << 10;
    }
    fclose(smaps);
    return true;
}

bool hugepages_of_process(uint64_t *huge)
{
    char line[512];
    uint64_t kibibytes;
    bool found = false;
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    while (rollup && !found && fgets(line, sizeof line, rollup))
        found = sscanf(line, "AnonHugePages: %" SCNu64, &kibibytes) == 1;
    if (rollup)
        fclose(rollup);
    if (found)
        *huge = kibibytes << 10;
    return found;
}
