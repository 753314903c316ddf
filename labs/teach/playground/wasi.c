/* wasi.c - answers what designs ask of a system and WebAssembly has not. */
#include <stddef.h>

int madvise(void *start, size_t length, int advice);

/* There are no pages to choose. */
int madvise(void *start, size_t length, int advice)
{
    (void)start, (void)length, (void)advice;
    return -1;
}
