/* dist.c - parses distributions of delays, and computes their quantiles.
 *
 * One table row per distribution: how it is written, what its arguments are, what they must
 * satisfy, and the quantile.  To add one, add a row and the functions it names.
 */
#include "harness/measure/workload/dist.h"

#include "harness/base/memory.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/measure/workload/trace.h"

#include <math.h>

enum { ARGUMENTS_MAX = 4, CHOICES_MAX = 1000 };

/* What a distribution is drawn from; each uses the part it needs. */
struct dist {
    double (*quantile)(const struct dist *dist, double p);
    double args[ARGUMENTS_MAX]; /* delays in units, or plain numbers, in the order written */
    size_t value_count;         /* choice, empirical: ascending delays ... */
    double *values;
    double *cumulative;       /* ... and the weight up to and with each */
    double within;            /* lognormal: the share that is not cut off */
    uint64_t unit_ns, factor; /* of what is drawn, and how many of them make a tick */
};

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* ---- Quantiles ------------------------------------------------------------------------------- */

static double quantile_constant(const struct dist *dist, double p)
{
    (void)p;
    return dist->args[0];
}

size_t dist_weighted(const double *cumulative, size_t count, double p)
{
    double weight = p * cumulative[count - 1];
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cumulative[middle] > weight)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double quantile_values(const struct dist *dist, double p)
{
    return dist->values[dist_weighted(dist->cumulative, dist->value_count, p)];
}

static double quantile_uniform(const struct dist *dist, double p)
{
    double min = dist->args[0], max = dist->args[1];
    return clamp(min + floor(p * (max - min + 1)), min, max);
}

static double quantile_exponential(const struct dist *dist, double p)
{
    return -dist->args[0] * same_log1p(-p);
}

static double quantile_biased(const struct dist *dist, double p)
{
    return dist->args[0] * (0.9 + 0.2 * p);
}

/* The two humps do not overlap, so the quantile is two straight lines. */
static double quantile_bimodal(const struct dist *dist, double p)
{
    double unit = dist->args[0] * 2 / 3;
    return p < 0.9 ? unit * p / 0.9 : unit * (10 + (p - 0.9) / 0.1);
}

static double quantile_triangular(const struct dist *dist, double p)
{
    return dist->args[0] * 1.5 * sqrt(p);
}

static double quantile_pareto(const struct dist *dist, double p)
{
    double min = dist->args[0], shape = dist->args[1], max = dist->args[2];
    double within = 1 - same_pow(min / max, shape);
    return min * same_pow(1 - p * within, -1 / shape);
}

static double quantile_lognormal(const struct dist *dist, double p)
{
    return dist->args[0] * same_exp(dist->args[1] * same_normal_quantile(p * dist->within));
}

/* The share of a lognormal distribution that is not cut off. */
static double lognormal_within(const double *args)
{
    return same_normal_share(same_log(args[2] / args[0]) / args[1]);
}

static double quantile_loguniform(const struct dist *dist, double p)
{
    return dist->args[0] * same_pow(dist->args[1] / dist->args[0], p);
}

/* One of the (to - from + 1) * (2 jitter + 1) points, numbered from 0; jitter runs fastest. */
static double lattice_point(const struct dist *dist, double p, double *offset)
{
    double from = dist->args[1], to = dist->args[2], jitter = dist->args[3];
    double width = 2 * jitter + 1;
    double index = floor(p * (to - from + 1) * width);
    double k = floor(index / width);
    *offset = index - k * width - jitter;
    return clamp(from + k, from, to);
}

static double quantile_lattice(const struct dist *dist, double p)
{
    double offset, k = lattice_point(dist, p, &offset);
    return k * dist->args[0] + offset;
}

static double quantile_powers(const struct dist *dist, double p)
{
    double offset, k = lattice_point(dist, p, &offset);
    return same_power(dist->args[0], k) + offset;
}

/* ---- What the arguments must satisfy: NULL, or what was expected ----------------------------- */

static const char *check_range(const double *args)
{
    return args[0] <= args[1] ? NULL : "min <= max";
}

static const char *check_pareto(const double *args)
{
    if (!(args[1] > 0 && args[1] <= 100))
        return "a shape above 0 and up to 100";
    return args[0] < args[2] ? NULL : "min < max";
}

static const char *check_lognormal(const double *args)
{
    if (!(args[1] > 0 && args[1] <= 10))
        return "a sigma above 0 and up to 10";
    return args[0] < args[2] ? NULL : "median < max";
}

static const char *check_points(const double *args, double first, double last)
{
    if (args[1] > args[2])
        return "from <= to";
    if (args[3] >= first)
        return "a jitter below the shortest delay";
    return last + args[3] <= (double)DIST_DELAY_MAX ? NULL : "delays up to 2^53 ticks";
}

static const char *check_lattice(const double *args)
{
    return check_points(args, args[0] * args[1], args[0] * args[2]);
}

static const char *check_powers(const double *args)
{
    if (args[0] < 2)
        return "a base of at least 2";
    return check_points(args, same_power(args[0], args[1]), same_power(args[0], args[2]));
}

/* ---- The table ------------------------------------------------------------------------------- */

/* How the arguments are written: d a delay, n a number from 0 up, r a real number; the whole list
 * of a choice is w, and the name of a trace is t. */
struct form {
    const char *name;
    const char *arguments;
    const char *usage;
    double (*quantile)(const struct dist *dist, double p);
    const char *(*check)(const double *args);
    bool in_ticks; /* drawn in ticks, however coarse they are */
};

static const struct form forms[] = {
    {"constant", "d", "constant(delay)", quantile_constant, NULL, false},
    {"choice", "w", "choice(delay:weight, ...)", quantile_values, NULL, false},
    {"uniform", "dd", "uniform(min, max)", quantile_uniform, check_range, false},
    {"exponential", "d", "exponential(mean)", quantile_exponential, NULL, false},
    {"biased", "d", "biased(mean)", quantile_biased, NULL, false},
    {"bimodal", "d", "bimodal(mean)", quantile_bimodal, NULL, false},
    {"triangular", "d", "triangular(mean)", quantile_triangular, NULL, false},
    {"pareto", "drd", "pareto(min, shape, max)", quantile_pareto, check_pareto, false},
    {"lognormal", "drd", "lognormal(median, sigma, max)", quantile_lognormal, check_lognormal,
     false},
    {"loguniform", "dd", "loguniform(min, max)", quantile_loguniform, check_range, false},
    {"lattice", "dnnn", "lattice(step, from, to, jitter)", quantile_lattice, check_lattice, true},
    {"powers", "nnnn", "powers(base, from, to, jitter)", quantile_powers, check_powers, true},
    {"empirical", "t", "empirical(trace)", quantile_values, NULL, false},
};

enum { FORM_COUNT = sizeof forms / sizeof *forms };

/* ---- Parsing --------------------------------------------------------------------------------- */

struct parser {
    const char *text, *at;
    const char *what;
    const struct dist_context *context;
    const struct dist *dist; /* that is parsed: what delays are converted to */
    struct diag *diag;
};

static void skip_space(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

/* "what: column 9", the column counted from 1. */
struct place {
    char text[400];
};

static struct place place_of(const struct parser *parser, const char *at)
{
    struct place place;
    snprintf(place.text, sizeof place.text, "%s: column %zu", parser->what,
             (size_t)(at - parser->text) + 1);
    return place;
}

static int parser_fail(const struct parser *parser, const char *found, const char *expected)
{
    return diag_usage(parser->diag, "%s: found '%.40s', expected %s",
                      place_of(parser, parser->at).text, found, expected);
}

static int expect(struct parser *parser, char wanted, const char *expected)
{
    skip_space(parser);
    if (*parser->at != wanted)
        return parser_fail(parser, *parser->at ? parser->at : "end of text", expected);
    parser->at++;
    return DIAG_OK;
}

/* One argument: what stands before the next of ",:()" or blank. */
struct token {
    char text[256];
    const char *begin;
};

static int parser_token(struct parser *parser, const char *expected, struct token *out)
{
    skip_space(parser);
    size_t length = strcspn(parser->at, ",:() \t\r\n");
    if (length == 0 || length >= sizeof out->text)
        return parser_fail(parser, *parser->at ? parser->at : "end of text", expected);
    memcpy(out->text, parser->at, length);
    out->text[length] = '\0';
    out->begin = parser->at;
    parser->at += length;
    return DIAG_OK;
}

/* A time is so many units; a bare number is ticks. */
static int token_delay(const struct parser *parser, const struct token *token, double *out)
{
    uint64_t ns, units = 0, scale = 1;
    struct diag not_a_time;
    struct place place = place_of(parser, token->begin);
    if (units_parse_time(token->text, place.text, &ns, &not_a_time) != DIAG_OK)
        scale = parser->dist->factor;
    int status =
        units_parse_ticks(token->text, parser->dist->unit_ns, place.text, &units, parser->diag);
    if (status != DIAG_OK)
        return status;
    if (units == 0 || units > DIST_DELAY_MAX / scale)
        return diag_usage(parser->diag, "%s: '%s' is a delay of %llu ticks, expected 1 .. 2^53",
                          place.text, token->text, (unsigned long long)units);
    *out = (double)(units * scale);
    return DIAG_OK;
}

static int token_number(const struct parser *parser, const struct token *token, double *out)
{
    uint64_t number;
    struct place place = place_of(parser, token->begin);
    int status = units_parse_count(token->text, place.text, &number, parser->diag);
    if (status != DIAG_OK)
        return status;
    if (number > UINT32_MAX)
        return diag_usage(parser->diag, "%s: %s is too large, expected a number below 2^32",
                          place.text, token->text);
    *out = (double)number;
    return DIAG_OK;
}

static int parse_numbers(struct parser *parser, const struct form *form, struct dist *dist)
{
    for (size_t i = 0; form->arguments[i]; i++) {
        struct token token;
        int status = i ? expect(parser, ',', form->usage) : DIAG_OK;
        if (status == DIAG_OK)
            status = parser_token(parser, form->usage, &token);
        if (status != DIAG_OK)
            return status;
        struct place place = place_of(parser, token.begin);
        if (form->arguments[i] == 'd')
            status = token_delay(parser, &token, &dist->args[i]);
        else if (form->arguments[i] == 'n')
            status = token_number(parser, &token, &dist->args[i]);
        else
            status = units_parse_real(token.text, place.text, &dist->args[i], parser->diag);
        if (status != DIAG_OK)
            return status;
    }
    const char *expected = form->check ? form->check(dist->args) : NULL;
    if (!expected && form->quantile == quantile_lognormal)
        dist->within = lognormal_within(dist->args);
    if (!expected)
        return DIAG_OK;
    return diag_usage(parser->diag, "%s: %s: expected %s", parser->what, form->usage, expected);
}

static void values_reserve(struct dist *dist, size_t count)
{
    dist->values = memory_take(count, sizeof *dist->values);
    dist->cumulative = memory_take(count, sizeof *dist->cumulative);
}

/* Insertion keeps the few values in ascending order, so that the restart table is in order too. */
static void choice_insert(struct dist *dist, double delay, double weight)
{
    size_t at = dist->value_count++;
    for (; at > 0 && dist->values[at - 1] > delay; at--) {
        dist->values[at] = dist->values[at - 1];
        dist->cumulative[at] = dist->cumulative[at - 1];
    }
    dist->values[at] = delay;
    dist->cumulative[at] = weight;
}

static int parse_weight(struct parser *parser, const char *usage, double *out)
{
    struct token token;
    int status = parser_token(parser, usage, &token);
    if (status != DIAG_OK)
        return status;
    struct place place = place_of(parser, token.begin);
    status = units_parse_real(token.text, place.text, out, parser->diag);
    if (status != DIAG_OK)
        return status;
    if (!(*out > 0 && *out <= 1e12))
        return diag_usage(parser->diag, "%s: '%s', expected a weight above 0 and up to 1e12",
                          place.text, token.text);
    return DIAG_OK;
}

static int parse_choices(struct parser *parser, const struct form *form, struct dist *dist)
{
    values_reserve(dist, CHOICES_MAX);
    for (;;) {
        struct token token;
        double delay = 0, weight = 0;
        if (dist->value_count == CHOICES_MAX)
            return parser_fail(parser, "more", "at most 1000 delays");
        int status = parser_token(parser, form->usage, &token);
        if (status == DIAG_OK)
            status = token_delay(parser, &token, &delay);
        if (status == DIAG_OK)
            status = expect(parser, ':', form->usage);
        if (status == DIAG_OK)
            status = parse_weight(parser, form->usage, &weight);
        if (status != DIAG_OK)
            return status;
        choice_insert(dist, delay, weight);
        skip_space(parser);
        if (*parser->at != ',')
            break;
        parser->at++;
    }
    for (size_t i = 1; i < dist->value_count; i++)
        dist->cumulative[i] += dist->cumulative[i - 1];
    return DIAG_OK;
}

/* The delays of a trace, in units, as values and counts. */
static int parse_trace(struct parser *parser, const struct form *form, struct dist *dist)
{
    struct token token;
    struct trace_delays delays;
    int status = parser_token(parser, form->usage, &token);
    if (status != DIAG_OK)
        return status;
    status = trace_delays_read(token.text, parser->context->directory, &delays, parser->diag);
    if (status != DIAG_OK)
        return status;
    uint64_t unit_ns = dist->unit_ns;
    values_reserve(dist, delays.count);
    for (size_t i = 0; i < delays.count; i++) {
        double units = ceil((double)delays.ticks[i] * ((double)delays.unit_ns / (double)unit_ns));
        size_t last = dist->value_count;
        if (last == 0 || dist->values[last - 1] < units)
            dist->values[dist->value_count++] = units;
        dist->cumulative[dist->value_count - 1] = (double)(i + 1);
    }
    trace_delays_free(&delays);
    return DIAG_OK;
}

static int parse_form(struct parser *parser, const struct form *form, struct dist *dist)
{
    dist->quantile = form->quantile;
    if (form->in_ticks) {
        dist->unit_ns = parser->context->tick_ns;
        dist->factor = 1;
    }
    int status = expect(parser, '(', form->usage);
    if (status != DIAG_OK)
        return status;
    if (form->arguments[0] == 'w')
        status = parse_choices(parser, form, dist);
    else if (form->arguments[0] == 't')
        status = parse_trace(parser, form, dist);
    else
        status = parse_numbers(parser, form, dist);
    return status == DIAG_OK ? expect(parser, ')', form->usage) : status;
}

static int unknown_form(struct parser *parser, const struct token *token)
{
    char known[400];
    struct text list = text_in(known, sizeof known);
    for (size_t i = 0; i < FORM_COUNT; i++)
        text_add_item(&list, ", ", "%s", forms[i].name);
    return diag_usage(parser->diag, "%s: '%.40s', expected a delay or one of %s",
                      place_of(parser, token->begin).text, token->text, known);
}

static int parse_dist(struct parser *parser, struct dist *dist)
{
    struct token token;
    int status = parser_token(parser, "a delay or a distribution such as uniform(1, 1h)", &token);
    if (status != DIAG_OK)
        return status;
    if (isdigit((unsigned char)token.text[0]) || token.text[0] == '.') {
        dist->quantile = quantile_constant;
        status = token_delay(parser, &token, &dist->args[0]);
    } else {
        size_t i = 0;
        while (i < FORM_COUNT && strcmp(forms[i].name, token.text) != 0)
            i++;
        status =
            i < FORM_COUNT ? parse_form(parser, &forms[i], dist) : unknown_form(parser, &token);
    }
    return status == DIAG_OK ? expect(parser, '\0', "nothing more") : status;
}

int dist_parse(const char *text, const char *what, const struct dist_context *context,
               struct dist **out, struct diag *diag)
{
    struct dist *dist = memory_take(1, sizeof *dist);
    struct parser parser = {text, text, what, context, dist, diag};
    dist->unit_ns = context->unit_ns ? context->unit_ns : context->tick_ns;
    dist->factor = context->tick_ns / dist->unit_ns;
    int status = parse_dist(&parser, dist);
    if (status == DIAG_OK)
        *out = dist;
    else
        dist_free(dist);
    return status;
}

void dist_free(struct dist *dist)
{
    if (!dist)
        return;
    free(dist->values);
    free(dist->cumulative);
    free(dist);
}

/* ---- Use ------------------------------------------------------------------------------------- */

struct dist_delay dist_draw(const struct dist *dist, double p)
{
    uint64_t units = (uint64_t)clamp(round(dist->quantile(dist, p)), 1, (double)DIST_DELAY_MAX);
    uint64_t ticks = units / dist->factor + (units % dist->factor != 0);
    return (struct dist_delay){ticks, (ticks * dist->factor - units) * dist->unit_ns};
}

uint64_t dist_quantile(const struct dist *dist, double p)
{
    return dist_draw(dist, p).ticks;
}

uint64_t dist_sample(const struct dist *dist, struct rng *rng)
{
    return dist_quantile(dist, rng_unit(rng));
}

static double midpoint(size_t i)
{
    return ((double)i + 0.5) / STREAM_RESTART_SIZE;
}

bool dist_restart_table(const struct dist *dist, uint32_t table[STREAM_RESTART_SIZE])
{
    for (size_t i = 0; i < STREAM_RESTART_SIZE; i++) {
        uint64_t delay = dist_quantile(dist, midpoint(i));
        if (delay > UINT32_MAX)
            return false;
        table[i] = (uint32_t)delay;
    }
    return true;
}

bool dist_restart_slack(const struct dist *dist, uint64_t table_ns[STREAM_RESTART_SIZE])
{
    uint64_t any = 0;
    for (size_t i = 0; i < STREAM_RESTART_SIZE; i++)
        any |= table_ns[i] = dist_draw(dist, midpoint(i)).slack_ns;
    return any != 0;
}

double dist_mean(const struct dist *dist)
{
    double sum = 0;
    for (size_t i = 0; i < STREAM_RESTART_SIZE; i++)
        sum += (double)dist_quantile(dist, midpoint(i));
    return sum / STREAM_RESTART_SIZE;
}
