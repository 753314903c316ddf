/*
 * picture.h - one frame of a film as SVG: rings for the levels of a wheel, a tree, boxes in a row.
 *
 * The pictures of the filmstrip and of the page (show_page.h) are these.
 */
#ifndef TWBENCH_PICTURE_H
#define TWBENCH_PICTURE_H

#include "labs/teach/show/film.h"

#include <stdio.h>

/* The same for all frames of a film, so that what stands still does not move. */
struct picture {
    const struct film *film;
    unsigned width, height; /* of a frame */
    unsigned columns;       /* panels beside each other, one for each level */
    unsigned panel_width, panel_height;
};

/* Measures the frames of a film; cost O(frames x timers). */
struct picture picture_measure(const struct film *film);

/* Elements of one frame, drawn into (0, 0) .. (width, height); without the <svg> around them. */
void picture_draw(FILE *out, const struct picture *picture, const struct film_frame *frame);

/* The rules that the elements need, for a <style>: light, dark, and on paper. */
extern const char picture_style[];

#endif
