/* digests.c - prints what each design does on three loads of the playground, and the right answers of a quiz, for comparison
 * with the browser. */
#include "labs/teach/playground/worlds.h"

static void print_quiz(int design, const char *seed)
{
    if (world_quiz_open(design, seed) != 0)
        return;
    printf("%s quiz", design_name(design));
    while (world_quiz_ask())
        printf(" '%s'", world_quiz_text(3));
    printf("\n");
    world_close(0);
}

int main(int argc, char **argv)
{
    static const struct world_load loads[] = {{1000, 500, DELAY_CONSTANT, 0, 1, 0},
                                              {700, 300, DELAY_UNIFORM, 300, 2, 0},
                                              {500, 2000, DELAY_EXPONENTIAL, 800, 3, 0}};
    for (int design = 0; argc > 1 && design < design_count(); design++)
        print_quiz(design, argv[1]);
    for (int design = 0; argc == 1 && design < design_count(); design++)
        for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
            world_forget_settings();
            if (world_open(0, design, &loads[i]) != 0) {
                printf("%s %zu refused\n", design_name(design), i);
                continue;
            }
            world_run(0, 3000);
            printf("%s %zu %08x%08x %.0f %.0f %s\n", design_name(design), i, world_digest(0, 1),
                   world_digest(0, 0), world_fired(0), world_refused(0),
                   world_check(0)[0] ? "broken" : "whole");
        }
    return 0;
}
