/* teach.h - the commands of the lab, and the pages and pictures of their documents. */
#ifndef TWBENCH_TEACH_H
#define TWBENCH_TEACH_H

#include "harness/command/command.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plot.h"
#include "harness/tell/result/document.h"

extern const struct command cmd_show, cmd_claims, cmd_lab_receipt;

void page_show(struct page *page, const cJSON *document);
void page_claims(struct page *page, const cJSON *document);
/* DIAG_USAGE unless each verdict is the worst of the claim's parts. */
int claims_check(const cJSON *document, const char *what, struct diag *diag);
/* Of each claim that has some (claims_plot.c). */
void claims_pictures(const cJSON *document, struct pictures *out);

#endif
