/* expression.c - parses an arithmetic expression and evaluates it. */
#include "labs/teach/claims/quantity.h"

#include <math.h>

/* Parentheses in parentheses: deeper than anybody writes, and far from the end of the stack. */
#define DEPTH_MAX 32

struct parser {
    const char *text, *at, *what;
    expression_value_fn *value_of;
    void *ctx;
    int status, depth;
    struct diag *diag;
};

static double parse_sum(struct parser *parser);

static double refuse(struct parser *parser, const char *at, const char *problem)
{
    if (parser->status == DIAG_OK)
        parser->status = diag_usage(parser->diag, "%s: column %zu: %s", parser->what,
                                    (size_t)(at - parser->text) + 1, problem);
    return NAN;
}

static char peek(struct parser *parser)
{
    parser->at += strspn(parser->at, " ");
    return *parser->at;
}

static double parse_inner(struct parser *parser)
{
    if (++parser->depth > DEPTH_MAX)
        return refuse(parser, parser->at, "too many parentheses in parentheses");
    double value = parse_sum(parser);
    parser->depth--;
    if (parser->status == DIAG_OK && peek(parser) != ')')
        return refuse(parser, parser->at, "expected ')'");
    parser->at++;
    return value;
}

static double apply(struct parser *parser, const char *name, const char *at)
{
    parser->at++;
    double argument = parse_inner(parser);
    if (strcmp(name, "log2") == 0)
        return log2(argument);
    if (strcmp(name, "ceil") == 0)
        return ceil(argument);
    if (strcmp(name, "floor") == 0)
        return floor(argument);
    return refuse(parser, at, "no such function; expected log2, ceil or floor");
}

static double parse_name(struct parser *parser)
{
    char name[EXPRESSION_NAME_SIZE], problem[EXPRESSION_NAME_SIZE + 32];
    const char *begin = parser->at;
    while (isalnum((unsigned char)*parser->at) || (*parser->at && strchr("_.", *parser->at)))
        parser->at++;
    size_t length = (size_t)(parser->at - begin);
    if (length >= sizeof name)
        return refuse(parser, begin, "a name that is too long");
    memcpy(name, begin, length);
    name[length] = '\0';
    if (peek(parser) == '(')
        return apply(parser, name, begin);
    double value = NAN;
    if (parser->value_of(parser->ctx, name, &value))
        return value;
    snprintf(problem, sizeof problem, "no figure '%s'", name);
    return refuse(parser, begin, problem);
}

static double parse_factor(struct parser *parser)
{
    char first = peek(parser);
    if (parser->status != DIAG_OK)
        return NAN;
    if (first == '(') {
        parser->at++;
        return parse_inner(parser);
    }
    if (isalpha((unsigned char)first))
        return parse_name(parser);
    if (!isdigit((unsigned char)first))
        return refuse(parser, parser->at, "expected a number, a figure or '('");
    char *end;
    double value = strtod(parser->at, &end);
    parser->at = end;
    return value;
}

static double divide(double left, double right)
{
    return right < 0 || right > 0 ? left / right : NAN;
}

static double parse_product(struct parser *parser)
{
    double value = parse_factor(parser);
    for (char sign = peek(parser); parser->status == DIAG_OK && (sign == '*' || sign == '/');
         sign = peek(parser)) {
        parser->at++;
        double factor = parse_factor(parser);
        value = sign == '*' ? value * factor : divide(value, factor);
    }
    return value;
}

static double parse_sum(struct parser *parser)
{
    double value = parse_product(parser);
    for (char sign = peek(parser); parser->status == DIAG_OK && (sign == '+' || sign == '-');
         sign = peek(parser)) {
        parser->at++;
        double term = parse_product(parser);
        value += sign == '+' ? term : -term;
    }
    return value;
}

int expression_evaluate(const char *text, const char *what, expression_value_fn *value_of,
                        void *ctx, double *out, struct diag *diag)
{
    struct parser parser = {
        .text = text, .at = text, .what = what, .value_of = value_of, .ctx = ctx, .diag = diag};
    double value = parse_sum(&parser);
    if (parser.status == DIAG_OK && peek(&parser) != '\0')
        refuse(&parser, parser.at, "expected an operator, or the end");
    if (parser.status == DIAG_OK)
        *out = value;
    return parser.status;
}
