/* loan.c - maps the page with what open is given, and makes it inaccessible. */
#include "harness/prove/judge.h"

#include <sys/mman.h>

bool loan_make(struct loan *loan, const struct operations *operations, struct watch *watch)
{
    *loan = (struct loan){.watch = watch};
    struct lent *lent =
        mmap(NULL, sizeof *lent, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lent == MAP_FAILED)
        return false;
    for (size_t i = 0; i < operations->setting_count; i++) {
        lent->settings[i] = operations->settings[i];
        snprintf(lent->names[i], sizeof lent->names[i], "%s", operations->settings[i].name);
        lent->settings[i].name = lent->names[i];
    }
    lent->config = (struct tw_config){operations->capacity, operations->now, operations->horizon,
                                      operations->setting_count > 0 ? lent->settings : NULL,
                                      operations->setting_count};
    loan->lent = lent;
    return true;
}

bool loan_call_in(struct loan *loan)
{
    struct watch *watch = loan->watch;
    if (watch)
        watch->lent_pages[watch->lent_count++ % LENT_PAGES_MAX] = (uintptr_t)loan->lent;
    return mprotect(loan->lent, sizeof *loan->lent, PROT_NONE) == 0;
}

void loan_end(struct loan *loan)
{
    if (loan->lent)
        munmap(loan->lent, sizeof *loan->lent);
    loan->lent = NULL;
}
