/* fuzz_script.c - any bytes as a script of `twbench show`; what parses is played and drawn nowhere. */
#include "impls/registry.h"
#include "labs/teach/show/script.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte chooses the design.  A script of very many steps is only parsed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script *script;
    struct film *film;
    struct diag diag;
    uint64_t steps = 0;
    if (size == 0 ||
        script_parse("fuzz", (const char *)data + 1, size - 1, 0, &script, &diag) != DIAG_OK)
        return 0;
    for (size_t i = 0; i < script->statement_count; i++)
        steps += script->statements[i].verb == SCRIPT_TICK ? script->statements[i].amount : 1;
    const struct tw_backend *design = registry[data[0] % registry_count].counted;
    struct player_request request = {.design = design, .script = script};
    if (steps <= 200 && script->longest_ticks <= 4096 &&
        player_run(&request, &film, &diag) == DIAG_OK) {
        if (film->broken[0])
            __builtin_trap();
        film_free(film);
    }
    script_free(script);
    return 0;
}
