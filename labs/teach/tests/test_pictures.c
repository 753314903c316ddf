/* test_pictures.c - pictures of claims: as files say them, with their points, as data to draw. */
#include "harness/base/json.h"
#include "harness/measure/stats/growth.h"
#include "labs/teach/claims/claims.h"
#include "labs/teach/teach.h"
#include "testing.h"

#include <math.h>

/* ---- Files. ---------------------------------------------------------------------------------- */

#define HEAD                                                                                       \
    "{\"id\":\"T9\",\"statement\":\"s\",\"documents\":[\"A\"],\"test\":\"t\",\"runs\":{"           \
    "\"fill\":{\"designs\":[\"list\",\"heap\"],\"workload\":\"hold\","                             \
    "\"tasks\":[1000,2000,4000],\"measure\":\"counts\"},"                                          \
    "\"time\":{\"designs\":[\"heap\"],\"workload\":\"hold\",\"tasks\":1000,"                       \
    "\"measure\":\"times\"}},\"parts\":[{\"id\":\"p\",\"statement\":\"s\",\"kind\":\"compare\","   \
    "\"of\":{\"run\":\"fill\",\"figure\":\"visits\"},\"is\":\"above\",\"predict\":0}]"
#define X         "\"x\":{\"label\":\"timers\"}"
#define OF        "\"of\":{\"run\":\"fill\",\"phase\":\"steady\",\"figure\":\"visits / expire\"}"
#define SERIES(s) "{\"title\":\"p\",\"y\":{\"label\":\"v\",\"unit\":\"steps\"},\"series\":[" s "]}"
#define LINES(s)  "{\"title\":\"t\"," X ",\"panels\":[" SERIES(s) "]}"
#define SHARES(s) "{\"title\":\"t\",\"shape\":\"shares\"," X ",\"panels\":[" SERIES(s) "]}"

/* An experiment with these pictures, or NULL with what was said against them. */
static struct experiment *parse(const char *pictures, struct diag *diag)
{
    char text[4000];
    struct experiment *experiment = NULL;
    snprintf(text, sizeof text, HEAD ",\"pictures\":%s}", pictures);
    if (experiment_parse(text, "x.json", &experiment, diag) != DIAG_OK)
        return NULL;
    return experiment;
}

TEST(test_a_picture_is_read)
{
    struct diag diag;
    struct experiment *experiment =
        parse("[" LINES("{" OF ",\"fit\":true},{" OF ",\"name\":\"way\",\"mark\":2}") "]", &diag);
    assert_non_null(experiment);
    assert_int_equal(experiment->pictures->count, 1);
    const struct claim_picture *picture = &experiment->pictures->items[0];
    assert_int_equal(picture->shape, PICTURE_LINES);
    assert_string_equal(picture->x.label, "timers");
    assert_null(picture->x.unit);
    assert_false(picture->x.is_linear);
    const struct picture_panel *panel = &picture->panels[0];
    assert_string_equal(panel->y.unit, "steps");
    assert_int_equal(panel->series_count, 2);
    assert_true(panel->series[0].fit);
    assert_string_equal(panel->series[0].of.phase, "steady");
    assert_int_equal(panel->series[1].mark, 2);
    experiment_free(experiment);
}

TEST(test_pictures_refused)
{
    static const struct {
        const char *pictures, *says;
    } cases[] = {
        {"{}", "x.json: pictures: expected an array of 1 to 3"},
        {"[{" X ",\"panels\":[]}]", "x.json: pictures[0].title: missing"},
        {"[{\"title\":\"t\",\"panels\":[" SERIES("{" OF "}") "]}]",
         "x.json: pictures[0].x: expected an object"},
        {"[{\"title\":\"t\"," X "}]", "x.json: pictures[0].panels: expected an array of 1 to 6"},
        {"[{\"title\":\"t\",\"shape\":\"pie\"," X ",\"panels\":[" SERIES("{" OF "}") "]}]",
         "x.json: pictures[0].shape: 'pie', expected one of lines, bars, shares"},
        {"[{\"title\":\"t\",\"color\":\"red\"," X ",\"panels\":[" SERIES("{" OF "}") "]}]",
         "x.json: pictures[0].color: unknown key, expected one of title, shape, x, panels"},
        {"[" LINES("") "]", "x.json: pictures[0].panels[0].series: expected an array of 1 to 8"},
        {"[" LINES("{" OF ",\"fit\":1}") "]",
         "x.json: pictures[0].panels[0].series[0].fit: expected true or false"},
        {"[" LINES("{" OF ",\"name\":\"n\",\"mark\":7}") "]",
         "x.json: pictures[0].panels[0].series[0].mark: expected 1 to 6"},
        {"[" LINES("{" OF ",\"reference\":true}") "]",
         "x.json: pictures[0].panels[0].series[0]: expected \"name\" with"},
        {"[" LINES("{" OF "},{\"of\":{\"run\":\"none\",\"figure\":\"visits\"}}") "]",
         "x.json: pictures[0].panels[0].series[1].of.run: there is no run 'none'"},
        {"[" LINES("{\"of\":{\"run\":\"fill\",\"figure\":\"ns / op\"}}") "]",
         "x.json: pictures[0].panels[0].series[0].of.figure: rests on time"},
        {"[" LINES("{\"of\":{\"run\":\"time\",\"figure\":\"ns\"},\"fit\":true}") "]",
         "x.json: pictures[0].panels[0].series[0]: expected a run of at least 3 sizes"},
        {"[" SHARES("{" OF "}") "]",
         "x.json: pictures[0].panels[0].series[0].of: expected no figure"},
        {"[" SHARES("{\"of\":{\"run\":\"time\",\"phase\":\"steady\"}}") "]",
         "x.json: pictures[0].panels[0].series[0].of: expected \"phase\" and \"at\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag diag = {""};
        assert_null(parse(cases[i].pictures, &diag));
        if (strncmp(diag.text, cases[i].says, strlen(cases[i].says)) != 0)
            fail_msg("case %zu: %s", i, diag.text);
    }
}

/* ---- Points. --------------------------------------------------------------------------------- */

/* A cell whose phase "steady" has so many visits in 1000 expiries, and five calls of advance. */
static cJSON *make_cell(double visits, const char *status)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{\"status\":\"%s\",\"phases\":[{\"name\":\"steady\",\"work\":{\"visits\":%.0f},"
             "\"operations\":{\"expire\":1000,\"start\":0,\"stop\":0},"
             "\"latency_ns\":{\"advance\":{\"count\":5,\"max\":900,\"bins\":[[10,3],[50,1],"
             "[800,1]]}}}]}",
             status, visits);
    return cJSON_Parse(text);
}

struct world {
    struct experiment *experiment;
    struct evidence_cell cells[7];
    struct evidence evidence;
};

/* Visits per expiry of the list: n / 1000; of the heap 5, and at 4000 it did not end well. */
static void make_world(struct world *world, const char *pictures)
{
    struct diag diag;
    world->experiment = parse(pictures, &diag);
    assert_non_null(world->experiment);
    const struct experiment_run *fill = &world->experiment->runs[0];
    for (size_t i = 0; i < 3; i++) {
        double n = fill->points[i].x;
        world->cells[i] = (struct evidence_cell){fill, "list", n, make_cell(n, "ok")};
        world->cells[3 + i] =
            (struct evidence_cell){fill, "heap", n, make_cell(5000, i < 2 ? "ok" : "timeout")};
    }
    world->cells[6] =
        (struct evidence_cell){&world->experiment->runs[1], "heap", 1000, make_cell(1, "ok")};
    world->evidence = (struct evidence){world->cells, 7, false};
}

static void free_world(struct world *world)
{
    for (size_t i = 0; i < 7; i++)
        cJSON_Delete((cJSON *)(uintptr_t)world->cells[i].cell);
    experiment_free(world->experiment);
}

TEST(test_points_are_those_of_the_cells)
{
    struct world world;
    make_world(&world, "[" LINES("{" OF ",\"fit\":true}") "]");
    cJSON *pictures = pictures_make(world.experiment->pictures, &world.evidence);
    assert_int_equal(cJSON_GetArraySize(pictures), 1);
    const cJSON *panel = cJSON_GetArrayItem(json_get(pictures->child, "panels"), 0);
    assert_string_equal(json_get_text(panel, "basis"), "counts");
    const cJSON *list = cJSON_GetArrayItem(json_get(panel, "series"), 0);
    assert_string_equal(json_get_text(list, "name"), "list");
    assert_int_equal(cJSON_GetArraySize(json_get(list, "points")), 3);
    const cJSON *last = cJSON_GetArrayItem(json_get(list, "points"), 2);
    assert_true(json_get_number(last, "x") == 4000 && json_get_number(last, "median") == 4);
    assert_string_equal(json_get_text(list, "fit.class"), "O(n)");
    assert_true(fabs(json_get_number(list, "fit.b") - 1e-3) < 1e-9);
    assert_true(json_get_number(list, "fit.a") < 1e-6);
    /* Two sizes of the heap are there: they are drawn, and say nothing of growth. */
    const cJSON *heap = cJSON_GetArrayItem(json_get(panel, "series"), 1);
    assert_int_equal(cJSON_GetArraySize(json_get(heap, "points")), 2);
    assert_null(json_get(heap, "fit"));
    cJSON_Delete(pictures);
    free_world(&world);
}

TEST(test_pictures_without_points_are_left_out)
{
    struct world world;
    make_world(
        &world,
        "[" LINES("{\"of\":{\"run\":\"fill\",\"phase\":\"none\",\"figure\":\"visits\"}}") "]");
    cJSON *pictures = pictures_make(world.experiment->pictures, &world.evidence);
    assert_int_equal(cJSON_GetArraySize(pictures), 0);
    cJSON_Delete(pictures);
    pictures = pictures_make(NULL, &world.evidence);
    assert_int_equal(cJSON_GetArraySize(pictures), 0);
    cJSON_Delete(pictures);
    free_world(&world);
}

/* ---- Data. ----------------------------------------------------------------------------------- */

static void expect_data(const char *pictures, const char *expected)
{
    char *text = NULL;
    size_t size;
    struct world world;
    make_world(&world, pictures);
    cJSON *made = pictures_make(world.experiment->pictures, &world.evidence);
    struct pictures drawn = {.count = 0};
    cJSON *document = cJSON_Parse(
        "{\"quick\":true,\"machine\":{\"cores\":2},\"tool\":{},\"claims\":[{\"id\":\"T9\","
        "\"verdict\":\"holds\",\"statement\":\"It\\tis.\"}]}");
    cJSON_AddItemToObject(cJSON_GetObjectItem(document, "claims")->child, "pictures", made);
    claims_pictures(document, &drawn);
    assert_int_equal(drawn.count, 1);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    drawn.items[0].write(out, document, &drawn.items[0]);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    pictures_free(&drawn);
    cJSON_Delete(document);
    free_world(&world);
}

TEST(test_lines)
{
    expect_data("[" LINES("{" OF "},{\"of\":{\"run\":\"fill\",\"impl\":\"list\",\"figure\":"
                          "\"expire\"},\"name\":\"all\",\"reference\":true},"
                          "{\"of\":{\"run\":\"fill\",\"impl\":\"list\",\"figure\":\"expire\","
                          "\"at\":2000},\"name\":\"way\",\"mark\":3}") "]",
                "title\tt\nmachine\tcounts, the same on every machine; times were not taken\n"
                "blocks\t1\nseries\t4\nclaim\tT9\tholds\nstatement\tIt is.\nshape\tlines\n"
                "x\ttimers\tlog\n"
                "\n\np\tv (steps)\tlog\t2\t4\n"
                "\n\nlist\tlist\n1000\t1\t1\t1\n2000\t2\t2\t2\n4000\t4\t4\t4\n"
                "\n\n1000\t1\n2000\t2\n4000\t4\n"
                "\n\nheap\theap\n1000\t5\t5\t5\n2000\t5\t5\t5\n"
                "\n\n1000\t5\n2000\t5\n"
                "\n\nall\t#0\n1000\t1000\t1000\t1000\n2000\t1000\t1000\t1000\n"
                "4000\t1000\t1000\t1000\n"
                "\n\n1000\t1000\n2000\t1000\n4000\t1000\n"
                "\n\nway\t#3\n2000\t1000\t1000\t1000\n"
                "\n\n2000\t1000\n");
}

/* Three of five calls took less than 50 ns, four less than 800 ns; the dearest took 900 ns. */
TEST(test_shares)
{
    expect_data("[" SHARES("{\"of\":{\"run\":\"time\",\"phase\":\"steady\",\"at\":1000}}") "]",
                "title\tt\nmachine\tunknown processor, 2 cores; \n"
                "blocks\t1\nseries\t1\nclaim\tT9\tholds\nstatement\tIt is.\nshape\tshares\n"
                "x\ttimers\tlog\n"
                "\n\np\tv (steps)\tlog\t2\t1\n"
                "\n\nheap\theap\n2.5\t50\t50\t50\n5\t800\t800\t800\n100000\t900\t900\t900\n"
                "\n\n2.5\t50\n5\t800\n100000\t900\n");
}

TEST(test_names)
{
    struct pictures drawn = {.count = 0};
    static const char *const names[] = {"T09", "T12", "F01", "F01-2", "T_03"};
    cJSON *document = cJSON_Parse(
        "{\"claims\":[{\"id\":\"T9\",\"pictures\":[{}]},{\"id\":\"T12\",\"pictures\":[{}]},"
        "{\"id\":\"F1\",\"pictures\":[{},{}]},{\"id\":\"T/3\",\"pictures\":[{}]}]}");
    claims_pictures(document, &drawn);
    assert_int_equal(drawn.count, 5);
    for (size_t i = 0; i < drawn.count; i++)
        assert_string_equal(drawn.items[i].name, names[i]);
    pictures_free(&drawn);
    cJSON_Delete(document);
}

/* ---- Curves. --------------------------------------------------------------------------------- */

TEST(test_curves)
{
    static const struct {
        double y[4]; /* at 2, 4, 8, 16 */
        enum tw_growth class;
        double a, b;
    } cases[] = {{{7, 7, 7, 7}, TW_O_1, 7, 0},
                 {{5, 8, 11, 14}, TW_O_LOG_N, 2, 3},
                 {{9, 13, 21, 37}, TW_O_N, 5, 2},
                 {{0, 8, 16, 32}, TW_O_N, 0, 2}, /* 0 has no relative error */
                 {{4, 4, 2, 2}, TW_O_N, -1, 0}}; /* it falls: a constant, whichever */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct growth_point points[4];
        struct growth_curve curve;
        for (size_t p = 0; p < 4; p++) {
            double y = cases[i].y[p];
            points[p] = (struct growth_point){(double)(2 << p), y, y, y};
        }
        assert_true(growth_curve_fit(points, 4, cases[i].class, &curve));
        assert_true(cases[i].a < 0 || fabs(curve.a - cases[i].a) < 1e-6);
        assert_true(fabs(curve.b - cases[i].b) < 1e-6);
        assert_true(curve.a >= 0);
        if (cases[i].a >= 0)
            assert_true(fabs(growth_curve_at(&curve, 16) - cases[i].y[3]) < 1e-5);
    }
    struct growth_point one[2] = {{1, 3, 3, 3}, {2, 0, 0, 0}};
    struct growth_curve curve;
    assert_false(growth_curve_fit(one, 2, TW_O_N, &curve));
}

TEST_MAIN(NULL, NULL)
