/* object.c - tells programs from shared objects by the type and the flags that the linker wrote. */
#include "harness/base/object.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NATIVE_CLASS (sizeof(ElfW(Addr)) == 8 ? ELFCLASS64 : ELFCLASS32)

static bool read_at(int fd, void *out, size_t size, uint64_t offset)
{
    return offset <= INT64_MAX && pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

/* A program that can lie anywhere has the type of a shared object; a flag tells them apart. */
static enum object_kind dynamic_kind(int fd, const ElfW(Phdr) * segment)
{
    ElfW(Dyn) entry;
    for (uint64_t at = 0; at + sizeof entry <= segment->p_filesz; at += sizeof entry) {
        if (!read_at(fd, &entry, sizeof entry, segment->p_offset + at))
            return OBJECT_OTHER;
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE))
            return OBJECT_PROGRAM;
    }
    return OBJECT_SHARED;
}

static enum object_kind elf_kind(int fd, const ElfW(Ehdr) * head)
{
    if (head->e_type == ET_EXEC)
        return OBJECT_PROGRAM;
    if (head->e_type != ET_DYN || head->e_phentsize != sizeof(ElfW(Phdr)))
        return OBJECT_OTHER;
    for (uint64_t i = 0; i < head->e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_at(fd, &segment, sizeof segment, head->e_phoff + i * sizeof segment))
            break;
        if (segment.p_type == PT_DYNAMIC)
            return dynamic_kind(fd, &segment);
    }
    return OBJECT_OTHER;
}

static enum object_kind file_kind(int fd)
{
    ElfW(Ehdr) head;
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || !read_at(fd, head.e_ident, SELFMAG, 0) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return OBJECT_NONE;
    if (!read_at(fd, &head, sizeof head, 0) || head.e_ident[EI_CLASS] != NATIVE_CLASS)
        return OBJECT_OTHER;
    return elf_kind(fd, &head);
}

enum object_kind object_kind(const char *path)
{
    /* Not to wait for the writer of a pipe. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return OBJECT_NONE;
    enum object_kind kind = file_kind(fd);
    close(fd);
    return kind;
}

bool object_has_symbol(const char *path, const char *symbol)
{
    struct stat info;
    bool found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > SELFMAG) {
        size_t size = (size_t)info.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            found = memcmp(bytes, ELFMAG, SELFMAG) == 0 &&
                    memmem(bytes, size, symbol, strlen(symbol) + 1) != NULL;
            munmap(bytes, size);
        }
    }
    close(fd);
    return found;
}
