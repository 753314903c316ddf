// The program reads a clock of the plugin's that goes half as fast: its import of clock_gettime is another function.
#include "wrong.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int slow_clock(clockid_t clock, struct timespec *out)
{
    static int64_t begins[16];
    int status = clock_gettime(clock, out);
    int64_t now = (int64_t)out->tv_sec * 1000000000 + out->tv_nsec, *begin = &begins[clock & 15];
    if (*begin == 0)
        *begin = now;
    now = *begin + (now - *begin) / 2;
    *out = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
    return status;
}

static void patch(uintptr_t base, const ElfW(Rela) * entries, size_t bytes,
                  const ElfW(Sym) * symbols, const char *names)
{
    for (size_t i = 0; i < bytes / sizeof *entries; i++) {
        const char *name = names + symbols[ELF64_R_SYM(entries[i].r_info)].st_name;
        uintptr_t place = base + entries[i].r_offset, page = (uintptr_t)sysconf(_SC_PAGESIZE);
        if (strcmp(name, "clock_gettime") != 0)
            continue;
        mprotect((void *)(place & -page), page, PROT_READ | PROT_WRITE);
        *(void **)place = (void *)slow_clock;
    }
}

/* The program comes first. */
static int patch_program(struct dl_phdr_info *info, size_t size, void *ctx)
{
    uintptr_t tables[64] = {0};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            for (const ElfW(Dyn) *entry = (void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
                 entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag < 64)
                    tables[entry->d_tag] = entry->d_un.d_ptr;
    const ElfW(Sym) *symbols = (void *)tables[DT_SYMTAB];
    const char *names = (void *)tables[DT_STRTAB];
    patch(info->dlpi_addr, (void *)tables[DT_JMPREL], tables[DT_PLTRELSZ], symbols, names);
    patch(info->dlpi_addr, (void *)tables[DT_RELA], tables[DT_RELASZ], symbols, names);
    (void)size, (void)ctx;
    return 1;
}

static int timed_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    dl_iterate_phdr(patch_program, NULL);
    return skeleton_open(out, config, error);
}

static const struct tw_backend right = {HONEST("halves-clock"), TRAITS(0)},
                               wrong = {HONEST("halves-clock"), TRAITS(0), .open = timed_open};
TW_PLUGIN(wrong, right);
