/*
 * pictures.h - what a claim looks like: pictures said in its file, and their data in the document.
 *
 *     "pictures": [
 *       { "title": "A start searches the list; a stop does not", "x": { "label": "timers" },
 *         "panels": [
 *           { "title": "start", "y": { "label": "work per start", "unit": "steps" },
 *             "series": [ { "of": { "run": "cancel", "phase": "start", "figure": "work / start" },
 *                           "fit": true } ] } ] } ]
 *
 * A picture has a shape: "lines" over the x of a run (if nothing else is said), "bars" (the first point of
 * each series, side by side), or "shares": how many calls of advance took at most how long, up to the
 * longest; then "of" says "at", and no figure.  An axis has a label, a unit, and "scale": "log" (if nothing
 * else is said) or "linear".  A series is one line for each design of its "of", named after it; a "name" is
 * set behind that.  A series with "mark" (1 .. PICTURE_MARKS) is not of a design but a way of doing, one
 * with "reference" a prediction: these have their name alone, and a line style that no design has.  "fit":
 * the class of growth that the points leave possible, and its curve through them.
 *
 * The document has the same with points in place of "of", so that it can be drawn again at any time.
 */
#ifndef TWBENCH_PICTURES_H
#define TWBENCH_PICTURES_H

#include "labs/teach/claims/experiment.h"
#include "labs/teach/claims/predicate.h"

#define PICTURES_MAX       3
#define PICTURE_PANELS_MAX 6
#define PICTURE_SERIES_MAX 8
#define PICTURE_MARKS      6

/* As "shape" says it. */
enum picture_shape { PICTURE_LINES, PICTURE_BARS, PICTURE_SHARES };

struct picture_axis {
    const char *label, *unit; /* unit NULL: none beyond the label */
    bool is_linear;
};

struct picture_series {
    struct experiment_selector of;
    const char *name; /* NULL: that of the design alone */
    unsigned mark;    /* 0: it is of a design */
    bool is_reference, fit;
};

/* One pair of axes; the panels of a picture share x. */
struct picture_panel {
    const char *title;
    struct picture_axis y;
    struct picture_series series[PICTURE_SERIES_MAX];
    size_t series_count;
};

/* As the file says it; texts point into the experiment's JSON. */
struct claim_picture {
    const char *title;
    enum picture_shape shape;
    struct picture_axis x;
    struct picture_panel panels[PICTURE_PANELS_MAX];
    size_t panel_count;
};

/* Texts point into the tree that was read. */
struct claim_pictures {
    struct claim_picture items[PICTURES_MAX];
    size_t count;
};

/* The "pictures" of an experiment whose runs are read already; NULL when there are none, or when one is
 * refused.  The caller frees it. */
struct claim_pictures *pictures_read(struct reader *reader, const struct experiment *experiment,
                                     const cJSON *array);

/* "pictures" of the document: those that the cells have points for.  `pictures` may be NULL. */
cJSON *pictures_make(const struct claim_pictures *pictures, const struct evidence *evidence);

#endif
