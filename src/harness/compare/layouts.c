/* layouts.c - writes a program or a plugin with all that is loaded moved on by some bytes. */
#include "harness/compare/blocks.h"

#include "harness/base/file.h"
#include "harness/base/memory.h"

#include <elf.h>
#include <sys/stat.h>

/* The headers stay at the front, and everything behind them moves by the same number of bytes.  Code of x86-64 finds
 * its data by their distance, which stays; so only addresses that stand written somewhere are to be moved: in the
 * headers, the dynamic section, symbols, relocations and the words that lazy binding begins with. */
struct image {
    unsigned char *bytes;
    uint64_t size, head, shift;
};

#define PAGE       UINT64_C(4096)
#define STEP_LEAST UINT64_C(16)

/* NULL when it is not all inside. */
static void *place(const struct image *image, uint64_t offset, uint64_t count, uint64_t size)
{
    bool fits = offset % 8 == 0 && offset <= image->size && count <= (image->size - offset) / size;
    return fits ? image->bytes + offset : NULL;
}

static void move(const struct image *image, uint64_t *address)
{
    if (*address >= image->head)
        *address += image->shift;
}

static Elf64_Phdr *segments_of(const struct image *image, size_t *count)
{
    const Elf64_Ehdr *head = (const void *)image->bytes;
    *count = head->e_phnum;
    return place(image, head->e_phoff, *count, sizeof(Elf64_Phdr));
}

/* ---- Segments. ------------------------------------------------------------------------------- */

/* A segment may come to begin on the page that the one before ends on.  The loader then maps that page for the later
 * one: it must hold the same bytes of the file, and allow what both need. */
static bool share_page(const Elf64_Phdr *before, Elf64_Phdr *after)
{
    if ((before->p_vaddr + before->p_memsz - 1) / PAGE < after->p_vaddr / PAGE)
        return true;
    after->p_flags |= before->p_flags & (PF_R | PF_X);
    return !(before->p_flags & PF_W) &&
           before->p_vaddr - before->p_offset == after->p_vaddr - after->p_offset;
}

static bool move_segments(const struct image *image)
{
    size_t count;
    Elf64_Phdr *segments = segments_of(image, &count), *before = NULL;
    for (size_t i = 0; i < count; i++) {
        Elf64_Phdr *segment = &segments[i];
        bool is_first = segment->p_type == PT_LOAD && !before;
        if (is_first && (segment->p_offset != 0 || segment->p_vaddr != 0))
            return false;
        if (is_first) {
            segment->p_filesz += image->shift;
            segment->p_memsz += image->shift;
        } else {
            move(image, &segment->p_offset);
            move(image, &segment->p_vaddr);
            move(image, &segment->p_paddr);
        }
        if (segment->p_type != PT_LOAD)
            continue;
        if (segment->p_memsz == 0 || (before && !share_page(before, segment)))
            return false;
        before = segment;
    }
    return before != NULL;
}

/* ---- Tables. --------------------------------------------------------------------------------- */

static bool is_address(int64_t tag)
{
    static const int64_t tags[] = {
        DT_PLTGOT,      DT_HASH,        DT_STRTAB,     DT_SYMTAB,     DT_RELA,          DT_INIT,
        DT_FINI,        DT_JMPREL,      DT_INIT_ARRAY, DT_FINI_ARRAY, DT_PREINIT_ARRAY, DT_GNU_HASH,
        DT_TLSDESC_PLT, DT_TLSDESC_GOT, DT_VERSYM,     DT_VERDEF,     DT_VERNEED};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (tags[i] == tag)
            return true;
    return false;
}

static void move_dynamic(const struct image *image, Elf64_Dyn *entries, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (is_address(entries[i].d_tag))
            move(image, &entries[i].d_un.d_ptr);
}

static void move_symbols(const struct image *image, Elf64_Sym *symbols, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_shndx < SHN_LORESERVE &&
            ELF64_ST_TYPE(symbols[i].st_info) != STT_TLS)
            move(image, &symbols[i].st_value);
}

/* The word at an address that has moved already. */
static uint64_t *loaded_word(const struct image *image, uint64_t address)
{
    size_t count;
    const Elf64_Phdr *segments = segments_of(image, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t inside = address - segments[i].p_vaddr;
        if (segments[i].p_type == PT_LOAD && inside < segments[i].p_filesz)
            return place(image, segments[i].p_offset + inside, 1, sizeof(uint64_t));
    }
    return NULL;
}

static bool move_relocations(const struct image *image, Elf64_Rela *entries, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t type = ELF64_R_TYPE(entries[i].r_info), to = (uint64_t)entries[i].r_addend;
        move(image, &entries[i].r_offset);
        if (type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE) {
            move(image, &to);
            entries[i].r_addend = (int64_t)to;
        }
        if (type != R_X86_64_JUMP_SLOT)
            continue;
        uint64_t *first = loaded_word(image, entries[i].r_offset);
        if (!first)
            return false;
        move(image, first);
    }
    return true;
}

/* A section where it lies now; `section` says where it lay. */
static bool move_section(const struct image *image, const Elf64_Shdr *section)
{
    uint64_t size = section->sh_type == SHT_RELA     ? sizeof(Elf64_Rela)
                    : section->sh_type == SHT_DYNSYM ? sizeof(Elf64_Sym)
                                                     : sizeof(Elf64_Dyn);
    uint64_t offset = section->sh_offset, count = section->sh_size / size;
    move(image, &offset);
    if (section->sh_type == SHT_REL || section->sh_type == SHT_RELR)
        return false;
    if (section->sh_type != SHT_RELA && section->sh_type != SHT_DYNSYM &&
        section->sh_type != SHT_DYNAMIC)
        return true;
    void *table = place(image, offset, count, size);
    if (!table)
        return false;
    if (section->sh_type == SHT_RELA)
        return move_relocations(image, table, count);
    if (section->sh_type == SHT_DYNSYM)
        move_symbols(image, table, count);
    else
        move_dynamic(image, table, count);
    return true;
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static const Elf64_Shdr *sections_of(const struct layout_file *file, size_t *count)
{
    const Elf64_Ehdr *head = (const void *)file->bytes;
    const struct image image = {.bytes = (unsigned char *)file->bytes, .size = file->size};
    *count = head->e_shnum;
    return place(&image, head->e_shoff, *count, sizeof(Elf64_Shdr));
}

/* What is loaded, and no more of it; sections are not. */
static void cut(struct image *image)
{
    Elf64_Ehdr *head = (void *)image->bytes;
    size_t count;
    uint64_t end = image->head;
    const Elf64_Phdr *segments = segments_of(image, &count);
    for (size_t i = 0; i < count; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset + segments[i].p_filesz > end)
            end = segments[i].p_offset + segments[i].p_filesz;
    head->e_shoff = 0;
    head->e_shnum = head->e_shstrndx = 0;
    image->size = end < image->size ? end : image->size;
}

/* False when it cannot be moved; image->bytes is the caller's to free. */
static bool shift_image(const struct layout_file *file, uint64_t shift, struct image *image)
{
    const Elf64_Ehdr *old = (const void *)file->bytes;
    uint64_t front = sizeof *old + (uint64_t)old->e_phnum * sizeof(Elf64_Phdr);
    size_t count;
    const Elf64_Shdr *sections = sections_of(file, &count);
    *image = (struct image){.size = file->size + shift, .head = front, .shift = shift};
    if (!sections || front > file->size)
        return false;
    image->bytes = memory_take(image->size, 1);
    memcpy(image->bytes, file->bytes, front);
    memcpy(image->bytes + front + shift, file->bytes + front, file->size - front);
    Elf64_Ehdr *head = (void *)image->bytes;
    move(image, &head->e_entry);
    bool moved = move_segments(image);
    for (size_t i = 0; i < count && moved; i++)
        if (sections[i].sh_flags & SHF_ALLOC)
            moved = move_section(image, &sections[i]);
    cut(image);
    return moved;
}

/* What data ask for, each by its section; code runs anywhere.  0: more than a page. */
static uint64_t step_of(const struct layout_file *file)
{
    size_t count;
    uint64_t step = STEP_LEAST;
    const Elf64_Shdr *sections = sections_of(file, &count);
    for (size_t i = 0; sections && i < count; i++)
        if ((sections[i].sh_flags & SHF_ALLOC) && !(sections[i].sh_flags & SHF_EXECINSTR) &&
            sections[i].sh_addralign > step)
            step = sections[i].sh_addralign;
    return step < PAGE ? step : 0;
}

static bool is_movable(const struct layout_file *file)
{
    const Elf64_Ehdr *head = (const void *)file->bytes;
    struct image image;
    if (file->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64 ||
        head->e_type != ET_DYN || head->e_phoff != sizeof *head ||
        head->e_phentsize != sizeof(Elf64_Phdr) || head->e_shentsize != sizeof(Elf64_Shdr) ||
        step_of(file) == 0)
        return false;
    bool moved = shift_image(file, PAGE - step_of(file), &image);
    free(image.bytes);
    return moved;
}

int layout_read(struct layout_file *file, const char *path, struct diag *diag)
{
    *file = (struct layout_file){.step = 0};
    int status = file_read(path, &file->bytes, &file->size, diag);
    if (status == DIAG_OK && is_movable(file))
        file->step = step_of(file);
    return status;
}

void layout_free(struct layout_file *file)
{
    free(file->bytes);
    file->bytes = NULL;
}

int layout_write(const struct layout_file *file, uint64_t steps, const char *path,
                 struct diag *diag)
{
    struct image image;
    bool written = shift_image(file, steps % (PAGE / file->step) * file->step, &image);
    /* A new file, so that its pages lie elsewhere too. */
    FILE *out = written && (unlink(path) == 0 || errno == ENOENT) ? fopen(path, "wbx") : NULL;
    written = out && fwrite(image.bytes, image.size, 1, out) == 1 && fchmod(fileno(out), 0700) == 0;
    if (out && fclose(out) != 0)
        written = false;
    int why = errno;
    free(image.bytes);
    return written ? DIAG_OK : diag_run(diag, "%s: writing a layout: %s", path, strerror(why));
}
