/*
 * inline.h - the pictures of a document (plot.h), made fit to stand in a page beside each other.
 *
 * Black and grey become the page's own ink, so that light and dark follow it; the ground goes; every id
 * gets the picture's number before it; the title is that of the picture.
 */
#ifndef TWBENCH_INLINE_H
#define TWBENCH_INLINE_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>

#include <stdio.h>

struct inline_picture {
    char *svg;         /* as gnuplot drew it */
    char *title;       /* as markup */
    const char *claim; /* what of the page it stands beside (struct picture); "": nothing */
};

struct inline_pictures {
    struct inline_picture *items;
    size_t count;
    char missing[1024]; /* why there are none, though there might be: no gnuplot; "" */
};

/* Draws all pictures of the document; free them in any case.  Without gnuplot there are none and `missing`
 * says why.  DIAG_RUN without memory, or when what was drawn cannot be read. */
int inline_draw(const cJSON *document, const char *scripts_directory, struct inline_pictures *out,
                struct diag *diag);
/* Empty afterwards. */
void inline_free(struct inline_pictures *pictures);

/* Those of a claim ("": of none), each as a figure.  Errors of `out` are left to the caller. */
void inline_write(FILE *out, const struct inline_pictures *pictures, const char *claim);
size_t inline_count(const struct inline_pictures *pictures, const char *claim);

#endif
