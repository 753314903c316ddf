/* hugepages.h - maps memory in pages of 2 MiB, and counts how much of it really is.
 *
 * Transparent huge pages of Linux: nothing has to be set aside by an administrator, but the kernel need
 * not give any - they can be switched off, or no 2 MiB be free in one piece.  So whoever asks for them
 * counts afterwards.
 */
#ifndef TWBENCH_HUGEPAGES_H
#define TWBENCH_HUGEPAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HUGEPAGES_BYTES ((size_t)1 << 21)

/* Does the kernel give huge pages to who asks for them?  False when it is set to `never`, or has none
 * at all.  `root` is put before the path, see sysfile.h. */
bool hugepages_are_there(const char *root);

/* Zeroed memory that begins on a boundary of HUGEPAGES_BYTES, with the wish for huge pages (`huge`) or
 * for none, whatever the system's default is; NULL without memory.  Up to 4 MiB of address space more
 * than `bytes` are taken: a gap behind it keeps the kernel from counting a neighbour with it. */
void *hugepages_map(size_t bytes, bool huge);
/* Gives back what hugepages_map(bytes, ...) answered. */
void hugepages_unmap(void *memory, size_t bytes);

/* This process gets none from now on, whoever asks for them. */
void hugepages_refuse(void);

/* What of this process lies in huge pages by now, in bytes; false when /proc/self/smaps_rollup cannot
 * be read.  Costs a walk over its page tables: milliseconds for gigabytes. */
bool hugepages_of_process(uint64_t *huge);

/* Of `bytes` bytes mapped by hugepages_map: how many are there (touched), and how many of these lie in
 * huge pages.  Added to what *touched and *huge hold.  Costs a reading of /proc/self/smaps; false when
 * that cannot be read. */
bool hugepages_count(const void *memory, size_t bytes, uint64_t *touched, uint64_t *huge);

#endif
