/* fuzz_nginx_config.c - any text as nginx's configuration; what is left of it has no error_log and no daemon. */
#include "labs/traces/record/nginx_config.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each copy has no byte to spare, so that one too many is found. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    size_t room = strlen(text) + 1;
    char *once = malloc(room), *twice = NULL;
    if (once) {
        size_t length = nginx_config_strip(text, once);
        if (length >= room || length != strlen(once))
            __builtin_trap();
        twice = malloc(length + 1);
        if (twice && (nginx_config_strip(once, twice) != length || strcmp(once, twice) != 0))
            __builtin_trap();
    }
    free(text);
    free(once);
    free(twice);
    return 0;
}
