/* lent_page.c - maps the page with what open is given, and makes it inaccessible. */
#include "harness/prove/judge.h"

#include <sys/mman.h>

bool lent_make(struct lent_page *page, const struct operations *operations, struct watch *watch)
{
    *page = (struct lent_page){.watch = watch};
    struct lent *lent =
        mmap(NULL, sizeof *lent, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lent == MAP_FAILED)
        return false;
    for (size_t i = 0; i < operations->setting_count; i++) {
        lent->settings[i] = operations->settings[i];
        for (uint32_t v = lent->settings[i].count; v < TW_VALUES_MAX; v++)
            lent->settings[i].values[v] = 3; /* is of no setting */
        snprintf(lent->names[i], sizeof lent->names[i], "%s", operations->settings[i].name);
        lent->settings[i].name = lent->names[i];
    }
    lent->config = (struct tw_config){operations->capacity, operations->now, operations->horizon,
                                      operations->setting_count > 0 ? lent->settings : NULL,
                                      operations->setting_count};
    page->lent = lent;
    return true;
}

bool lent_revoke(struct lent_page *page)
{
    struct watch *watch = page->watch;
    if (watch)
        watch->lent_pages[watch->lent_count++ % LENT_PAGES_MAX] = (uintptr_t)page->lent;
    return mprotect(page->lent, sizeof *page->lent, PROT_NONE) == 0;
}

void lent_end(struct lent_page *page)
{
    if (page->lent)
        munmap(page->lent, sizeof *page->lent);
    page->lent = NULL;
}
