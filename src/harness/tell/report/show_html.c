/* show_html.c - writes films as a page to step through. */
#include "harness/tell/report/show_page.h"

#include "harness/tell/report/picture.h"
#include "harness/tell/report/xml.h"

#include <inttypes.h>

static const char page_style[] =
    ":root{color-scheme:light dark;--ink:#1d232b;--ground:#ffffff;--slot:#eef1f5;--line:#8993a0}"
    "@media (prefers-color-scheme:dark){:root{--ink:#e8ebef;--ground:#15191e;--slot:#242b33}}"
    "*{box-sizing:border-box}body{margin:0 "
    "auto;padding:1rem;max-width:60rem;background:var(--ground);"
    "color:var(--ink);font:16px/1.45 system-ui,sans-serif}h1{font-size:1.25rem;margin:0 0 .5rem}"
    "h2{font-size:1.05rem;margin:1rem 0 .25rem}h3{font-size:1rem;margin:0}"
    "figure{margin:0 0 1rem}svg{display:block;width:100%;height:auto;max-height:75vh}"
    "ul{list-style:none;margin:.25rem 0;padding:0;min-height:1.5em;"
    "font:14px ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}"
    "code{font:14px ui-monospace,Menlo,Consolas,monospace}"
    "nav{position:sticky;bottom:0;display:flex;gap:.4rem;align-items:center;padding:.5rem 0;"
    "background:var(--ground);flex-wrap:wrap}"
    "button{font:inherit;min-width:2.75rem;min-height:2.75rem;border:1px solid var(--line);"
    "border-radius:.4rem;background:var(--slot);color:inherit}"
    "input[type=range]{flex:1;min-width:8rem;min-height:2rem}.stepping figure{display:none}"
    ".stepping figure.shown{display:block}nav{display:none}.stepping nav{display:flex}"
    "@media print{.stepping figure{display:block;break-inside:avoid}.stepping nav{display:none}}";

/* Each film steps for itself; the keys go to the one that was used last. */
static const char page_script[] =
    "'use strict';let active=null,chief=null;"
    "document.querySelectorAll('.film').forEach(film=>{"
    "const frames=[...film.querySelectorAll('figure')],slider=film.querySelector('input'),"
    "label=film.querySelector('output');let at=0,timer=0;"
    "const go=n=>{at=Math.max(0,Math.min(frames.length-1,n));active=api;"
    "frames.forEach((f,i)=>f.classList.toggle('shown',i===at));slider.value=at;"
    "label.textContent=(at+1)+' / '+frames.length};"
    "const halt=()=>{clearInterval(timer);timer=0;play.textContent='play';"
    "play.setAttribute('aria-label','play')};"
    "const play=film.querySelector('[data-go=play]');"
    "const toggle=()=>{if(timer)return halt();if(at===frames.length-1)go(0);"
    "play.textContent='pause';play.setAttribute('aria-label','pause');"
    "timer=setInterval(()=>{go(at+1);if(at===frames.length-1)halt()},800)};"
    "const api={next:()=>{halt();go(at+1)},back:()=>{halt();go(at-1)},first:()=>{halt();go(0)},"
    "last:()=>{halt();go(frames.length-1)},play:toggle};"
    "film.querySelectorAll('button').forEach(b=>b.onclick=()=>api[b.dataset.go]());"
    "slider.max=frames.length-1;slider.oninput=()=>{halt();go(+slider.value)};"
    "film.classList.add('stepping');go(0);chief=chief||api});"
    "active=chief;document.addEventListener('keydown',e=>{"
    "if(e.target.matches('input,button')&&e.key===' ')return;if(e.target.matches('input'))return;"
    "const word={ArrowRight:'next',ArrowLeft:'back',Home:'first',End:'last',' ':'play'}[e.key];"
    "if(!word||e.ctrlKey||e.altKey||e.metaKey)return;e.preventDefault();"
    "active[word]()});";

static void write_frame(FILE *out, const struct picture *picture, const struct film_frame *frame)
{
    const struct film *film = picture->film;
    char text[400];
    film_format_tick(film, frame->now, text, sizeof text);
    fprintf(out, "<figure><figcaption><h3>now %s", text);
    if (frame->statement[0]) {
        fprintf(out, " <code>");
        xml_text(out, frame->statement);
        fprintf(out, "</code>");
    }
    fprintf(out, "</h3><ul>");
    for (size_t i = 0; i < frame->event_count; i++) {
        film_format_event(film, &frame->events[i], text, sizeof text);
        fprintf(out, "<li>%c ", film_event_sign(frame->events[i].kind));
        xml_text(out, text);
        fprintf(out, "</li>");
    }
    fprintf(out, "</ul></figcaption>\n<svg viewBox=\"0 0 %u %u\" role=\"img\">\n", picture->width,
            picture->height);
    picture_draw(out, picture, frame);
    fprintf(out, "</svg></figure>\n");
}

static void write_film(FILE *out, const struct film *film)
{
    struct picture picture = picture_measure(film);
    bool all = film->frame_count <= SHOW_HTML_FRAMES;
    fprintf(out, "<section class=\"film\"><h2>%s %s</h2>\n", film->design, film->settings);
    for (size_t i = 0; i < film->frame_count; i++)
        if (all || film_is_key(film, i))
            write_frame(out, &picture, &film->frames[i]);
    fprintf(
        out,
        "<nav><button data-go=\"first\" aria-label=\"first step\">|&lt;</button>"
        "<button data-go=\"back\" aria-label=\"step back\">&lt;</button>"
        "<button data-go=\"play\" aria-label=\"play\">play</button>"
        "<button data-go=\"next\" aria-label=\"next step\">&gt;</button>"
        "<button data-go=\"last\" aria-label=\"last step\">&gt;|</button>"
        "<input type=\"range\" min=\"0\" value=\"0\" aria-label=\"step\"><output></output></nav>"
        "</section>\n");
}

void show_html(FILE *out, const struct show_page *page)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
    xml_text(out, page->title);
    fprintf(out, "</title>\n<style>%s%s</style></head>\n<body><h1>", picture_style, page_style);
    xml_text(out, page->title);
    fprintf(out, "</h1>\n");
    for (size_t i = 0; i < page->film_count; i++)
        write_film(out, page->films[i]);
    for (size_t i = 0; i < page->line_count; i++) {
        fprintf(out, "<p>");
        xml_text(out, page->lines[i]);
        fprintf(out, "</p>\n");
    }
    if (page->film_count > 0)
        fprintf(out,
                "<p>+ starts &#160; v goes down a level &#160; * fires &#160; - stops. Keys: left, "
                "right, home, end, space.</p>\n<script>%s</script>",
                page_script);
    fprintf(out, "</body></html>\n");
}
