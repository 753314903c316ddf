#!/usr/bin/perl
# taken.pl OUT.c - write what `twbench take` gives away as a C file of string literals.
# taken.pl --headers DIR - write the contracts of designs and runners as headers of libtwtimers.
# taken.pl --log DIR - write the store wheel-log as twlog.h and twlog.c, of which libtwlog is made.
#
# Made from src/impls, labs/live/runners, labs/durable/stores, LICENSE, VERSION and labs/embed/take alone, at build time: a design or a runner with
# the headers it includes becomes one C file, its contract one header.  Everything that counts is deleted, and so are
# the points at which a proof delays threads.  What C++ would refuse in a design (a void pointer assigned, the address
# of a literal) is written as both languages take it; a runner has C11's atomics and stays C.
use strict;
use warnings;

my ($out, $directory) = @ARGV;
die "usage: taken.pl OUT.c, --headers DIR or --log DIR, at the root of the tree\n"
    unless $out && ($out =~ /\A--(?:headers|log)\z/) == defined $directory && -e 'src/impls/registry.def';

sub slurp {
    my ($path) = @_;
    open my $in, '<', $path or die "taken.pl: $path: $!\n";
    local $/;
    return scalar <$in>;
}

sub write_file {
    my ($path, $text) = @_;
    open my $file, '>', $path or die "taken.pl: $path: $!\n";
    print $file $text;
    close $file or die "taken.pl: $path: $!\n";
}

# Replaces exactly one place, or the source has changed in a way that this script does not know.
sub replace_one {
    my ($text, $what, $pattern, $with, $file) = @_;
    my $count = () = $$text =~ /$pattern/g;
    $file //= 'src/impls/backend.h';
    die "taken.pl: $file: $what: found $count times; expected once\n" if $count != 1;
    $$text =~ s/$pattern/$with/;
}

# The contract without counting, and the functions by which an open reads its settings.
sub contract_split {
    my $text = slurp('src/impls/backend.h');
    replace_one(\$text, 'first line', qr{\A/\*\n \* backend\.h - [^\n]*}, "/*\n * tw_\@DESIGN\@.h - the timer design \@NAME\@ of twbench: the contract, and the table tw_\@DESIGN\@.");
    replace_one(\$text, 'second sentence', qr{This is the one header a design includes, inside the project or as a plugin\.  It states in C the\n \* model of Varghese & Lauck, "Hashed and Hierarchical Timing Wheels" \(SOSP 1987\),}, "It states in C the model of Varghese & Lauck, \"Hashed and Hierarchical Timing Wheels\"\n * (SOSP 1987),");
    replace_one(\$text, 'TIMED AND COUNTED', qr{ \* TIMED AND COUNTED\..*? \*\n(?= \* No function)}s, '');
    replace_one(\$text, 'the counters', qr{/\* The operation counters, one row each.*?#undef TW_WORK_MEMBER\n}s, "struct tw_work; /* operation counters, which this copy has not */\n");
    replace_one(\$text, 'the parts', qr{A design that has struct tw_batch defines `const struct tw_batch TW_BATCH\(design\)` and a row in parts\.def; so with the others\.}, "A design that has struct tw_batch defines `tw_NAME_batch`; declare it where you use it: `extern const struct tw_batch tw_NAME_batch;`.  So with the others.");
    replace_one(\$text, 'the work hook', qr{    /\* The counted object's counters[^\n]*\n}, "    /* NULL: this copy counts nothing. */\n");
    replace_one(\$text, 'two tables', qr{    const struct tw_backend \*timed;[^\n]*\n[^\n]*counted;[^\n]*\n}, "    const struct tw_backend *timed;   /* its table */\n    const struct tw_backend *counted; /* the same again: this copy counts nothing */\n");
    replace_one(\$text, 'the counting macros', qr{/\* ---- Counting: see.*?(?=/\* ---- Reading settings)}s, '');
    replace_one(\$text, 'the plugin page', qr{; see docs/PLUGINS\.md\.}, ', for `twbench conform --plugin`.');
    # What the header of a store has too, so that a program may include both.
    $text =~ s{^(struct (tw_param|tw_setting|tw_error) \{.*?^\};\n)}{#ifndef \U$2\E_DEFINED\n#define \U$2\E_DEFINED\n$1#endif\n}gms;
    my ($before, $reading, $after) = $text =~ m{\A(.*)(/\* ---- Reading settings.*?)(#ifdef __cplusplus\n\}\n#endif\n.*)\z}s
        or die "taken.pl: src/impls/backend.h: no section 'Reading settings' before its end\n";
    return ($before . $after, $reading);
}

# Behind a contract, which several headers bring: the table that this one is about.
sub table_declared {
    my ($guard, $table) = @_;
    return <<"END";

#ifndef $guard
#define $guard

#ifdef __cplusplus
extern "C" {
#endif

extern const $table;

#ifdef __cplusplus
}
#endif

#endif
END
}

# The contract of a runner, without the points of a proof.
sub runner_contract {
    my $text = slurp('labs/live/runners/runner.h');
    my $one = sub { replace_one(\$text, @_, 'labs/live/runners/runner.h') };
    $one->('first line', qr{\A/\*\n \* runner\.h - [^\n]*}, "/*\n * tw_\@RUNNER\@_runner.h - the runner \@RUNNER_NAME\@ of twbench: the contract, and the table tw_\@RUNNER\@_runner.");
    $one->('the design', qr{\(src/impls/backend\.h\)}, '(tw_@DESIGN@.h)');
    $one->('the files that help', qr{  This is the one header that a caller needs.*?(?=\n \*\n)}s, '');
    $one->('the clock', qr{ \(moment_now\(\)\)}, '');
    $one->('TIMED AND PROVED', qr{ \*\n \* TIMED AND PROVED\..*?(?= \*/)}s, '');
    $one->('the include', qr{#include "impls/backend\.h"}, '#include "tw_@DESIGN@.h"');
    $one->('the points', qr{/\* ---- Points\..*?\n(?=/\* The head of every seat)}s, "struct tw_points; /* of a proof, which this copy has not */\n\n");
    $one->('the points of a seat', qr{    const struct tw_points \*points; /\* NULL: none \*/\n}, "    const struct tw_points *points; /* not used here */\n");
    $one->('the count of points', qr{    uint64_t passed;\n}, "    uint64_t passed; /* not used here */\n");
    $one->('the macros', qr{#ifdef TW_PROVED\n.*?#endif\n\n}s, '');
    $one->('the points of a config', qr{    const struct tw_points \*points; /\* NULL in[^\n]*\n}, "    const struct tw_points *points; /* NULL */\n");
    $one->('two tables', qr{    const struct tw_runner \*timed;[^\n]*\n[^\n]*proved;[^\n]*\n}, "    const struct tw_runner *timed;  /* its table */\n    const struct tw_runner *proved; /* the same again: this copy has no points */\n");
    return $text;
}

# The file with each header of its folder in the place of the line that includes it, but for the contracts.
sub amalgamate {
    my ($path, $seen) = @_;
    my $text = slurp($path);
    my ($folder) = $path =~ m{\A(.*/)};
    $text =~ s{^#include "([^"]+)"\n}{
        $1 =~ m{\A(?:impls/)?(?:backend|runner|store)\.h\z} || $seen->{$1}++ ? '' : amalgamate("$folder$1", $seen)
    }gem;
    return $text;
}

# A function of which a seat is no longer used: a parameter says so, a variable goes.
sub seat_settled {
    my ($head, $body) = @_;
    $body =~ s/^    struct tw_seat \*seat = [^\n]*;\n//m if (() = $body =~ /\bseat\b/g) == 1;
    my $unused = $head =~ /struct tw_seat \*seat\b/ && $body !~ /\bseat\b/;
    return $head . ($unused ? "    (void)seat;\n" : '') . $body . "}\n";
}

# Points, and what is left of a function's names when they were all that used them.
sub delete_points {
    my ($text, $runner) = @_;
    my $path = "labs/live/runners/$runner.c";
    $text =~ s/^#if defined TW_PROVED .*?^#endif\n//msg;
    $text =~ s/^#ifdef MOMENT_OF_RUNNER\n((?:(?!^#).)*?)(?:^#else\n((?:(?!^#).)*?))?^#endif\n/$2 \/\/ ''/msge;
    $text =~ s/^[ \t]*TW_RUNNER_POINT(\((?:[^()]++|(?1))*\));\n//mg;
    $text =~ s{[ \t]*/\* NOLINT(?:(?!\*/).)*\*/}{}sg;
    $text =~ s!^(\w[^\n;=]*\((?:[^;{}])*\)\n\{\n)(.*?)^\}\n!seat_settled($1, $2)!gesm;
    die "taken.pl: $path: $1 is used in a way that cannot be deleted; expected a statement of its own\n"
        if $text =~ /\b(TW_RUNNER_POINT|TW_PROVED)\b/;
    return $text;
}

sub delete_counting {
    my ($text, $design) = @_;
    # Where counting is all that a condition is for, the condition goes too: none of them has an effect.
    my $count = qr/TW_COUNT(\((?:[^()]++|(?-1))*\));\n/;
    $text =~ s/^([ \t]*)if (\((?:[^()]++|(?2))*\))\n[ \t]*TW_COUNT(\((?:[^()]++|(?3))*\));\n[ \t]*else\n/$1if (!$2)\n/mg;
    $text =~ s/^[ \t]*(?:else[ \n]\s*)?(?:if (\((?:[^()]++|(?-1))*\))\n)?[ \t]*$count//mg;
    die "taken.pl: src/impls/$design.c: a condition has lost its statement to counting\n" if $text =~ /\belse\s*\}/;
    $text =~ s{^[ \t]*TW_WORK_FIELD[ \t]*(?:/\*(?:(?!\*/).)*\*/)?\n}{}msg;
    $text =~ s/\bTW_WORK_OF\(\w+\)/NULL/g;
    $text =~ s{\(void\)timers; /\* the timed object has no counters to show \*/}{(void)timers;}g;
    die "taken.pl: src/impls/$design.c: $1 is used in a way that cannot be deleted; expected a statement of its own\n"
        if $text =~ /\b(TW_COUNT|TW_WORK_FIELD|TW_WORK_OF)\b/;
    return $text;
}

# A helper of a shared header that this design does not call, with the comment above it; clang warns of them.
sub delete_unused {
    my ($text) = @_;
    for my $name ($text =~ /^#define (\w+)\(/mg) { # which may be all that calls one
        $text =~ s{(?:^/\*(?:(?!\*/).)*\*/\n)?^#define $name\((?:[^\n]*\\\n)*[^\n]*\n\n?}{}ms if (() = $text =~ /\b$name\b/g) == 1;
    }
    my $deleted = 1;
    while ($deleted) {
        $deleted = 0;
        (my $code = $text) =~ s{/\*.*?\*/}{}sg;
        for my $name ($text =~ /^static inline [^;{=(]*?\b(\w+)\(/mg) {
            my $uses = () = $code =~ /\b$name\b/g;
            next if $uses != 1;
            $text =~ s{(?:^/\*(?:(?!\*/).)*\*/\n)?^static inline (?:(?!\n\{).)*?\b$name\(.*?^\}\n\n?}{}ms and $deleted = 1;
        }
    }
    return $text;
}

my $allocators = qr/(?:malloc|calloc|realloc|aligned_alloc|arrays_raw|arrays_zeroed)/;

sub make_both_languages {
    my ($text) = @_;
    $text =~ s/((?:struct )?\b\w+ \*)(\w+) = ($allocators\()/$1$2 = ($1)$3/g;
    $text =~ s/((?:struct )?\b\w+ \*)(\w+) = ([^;?\n]*\? )($allocators\()/$1$2 = $3($1)$4/g;
    $text =~ s/^([ \t]*)([\w.>-]+) =(\s+)($allocators\()/$1$2 =$3(__typeof__($2))$4/mg;
    $text =~ s/((?:const )?(?:struct )?\b\w+ \*)(\w+) = ctx;/$1$2 = ($1)ctx;/g;
    $text =~ s/^([ \t]*)visit\(ctx,\s*&\(struct tw_view\)(\{(?:[^{}]++|(?2))*\})\);/$1\{\n$1    struct tw_view view = $2;\n$1    visit(ctx, &view);\n$1\}/mg;
    $text =~ s/\b_Alignas\(/alignas(/g;
    $text =~ s/\b_Static_assert\(/static_assert(/g;
    return $text;
}

sub design_source {
    my ($design, $name, $reading, $version) = @_;
    my $body = $reading . make_both_languages(delete_counting(amalgamate("src/impls/$design.c", {}), $design));
    $body = delete_unused($body);
    $body =~ s/^    \.name = "$name",/    .name = "tw-$name",/m or die "taken.pl: src/impls/$design.c: no line `.name = \"$name\",` in its table\n";
    $body =~ s/\bTW_BACKEND\($design\)/tw_$design/g;
    $body =~ s/^const struct tw_batch TW_BATCH\($design\)/extern const struct tw_batch tw_${design}_batch;\nconst struct tw_batch tw_${design}_batch/mg;
    $body =~ s/^const struct tw_slack TW_SLACK\($design\)/extern const struct tw_slack tw_${design}_slack;\nconst struct tw_slack tw_${design}_slack/mg;
    $body =~ s/^const struct tw_spot TW_SPOT\($design\)/extern const struct tw_spot tw_${design}_spot;\nconst struct tw_spot tw_${design}_spot/mg;
    $body =~ s/^(?=const struct tw_exact TW_EXACT)/#define TW_TELLS_EXACT\n/m;
    $body =~ s/^const struct tw_exact TW_EXACT\($design\)/extern const struct tw_exact tw_${design}_exact;\nconst struct tw_exact tw_${design}_exact/mg;
    return <<"END";
/*
 * tw_$design.c - the timer design $name of twbench $version, in one file.  MIT licence, see LICENSE.
 *
 * Compile it as C11 or as C++20:  cc -std=c11 -O2 -c tw_$design.c
 * It is called tw-$name, so that both fit into one table.
 * With -DTW_AS_PLUGIN it is a plugin that `twbench conform --plugin` tests: `make plugin`.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sys/mman.h: MADV_HUGEPAGE */
#endif
#include "tw_$design.h"

#include <assert.h>
#include <stdalign.h>

#if defined __cplusplus && defined __GNUC__
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* what is not named is zero, as in C */
#endif

$body
#ifdef TW_AS_PLUGIN
TW_PLUGIN(tw_$design, tw_$design);
#endif
END
}

sub runner_source {
    my ($runner, $name, $reading, $version) = @_;
    my $body = delete_unused($reading . delete_points(amalgamate("labs/live/runners/$runner.c", {}), $runner));
    $body =~ s/^    \.name = "$name",/    .name = "tw-$name",/m or die "taken.pl: labs/live/runners/$runner.c: no line `.name = \"$name\",` in its table\n";
    $body =~ s/\bTW_RUNNER\($runner\)/tw_${runner}_runner/g;
    return <<"END";
/*
 * tw_${runner}_runner.c - the runner $name of twbench $version, in one file.  MIT licence, see LICENSE.
 *
 * Compile it as C11:  cc -std=c11 -O2 -pthread -c tw_${runner}_runner.c
 * C++ takes the header.  It is called tw-$name, so that both fit into one table.
 * With -DTW_AS_PLUGIN it is a plugin that `twbench conform --plugin` proves: `make plugin`.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getcpuclockid, clock_nanosleep */
#endif
#include "tw_${runner}_runner.h"

$body
#ifdef TW_AS_PLUGIN
TW_RUNNER_PLUGIN(tw_${runner}_runner, tw_${runner}_runner);
#endif
END
}

# The header of timers with handles, bound to a design: it follows the contract in the same file.
sub layer_header {
    my $text = slurp('labs/embed/twt.h');
    my $one = sub { replace_one(\$text, @_, 'labs/embed/twt.h') };
    $one->('first line', qr{\A/\*\n \* twt\.h - timers with a handle in your object, over any exact design;}, "\n/*\n * Timers with a handle in your object, over tw_\@DESIGN\@;");
    $one->('the design of the example', qr{\{\.design = twtimers_design\("fast"\), \.now}, '{.now');
    $one->('the contract', qr{#include "impls/backend\.h"\n\n}, '');
    # Two shared objects of a process may each have a layer, over different designs.
    $one->('the symbols', qr{#ifndef TWTIMERS_API\n.*?#endif\n\n}s, "#define TWT_HIDDEN __attribute__((visibility(\"hidden\")))\n\n");
    $one->('the design', qr{/\* an exact one \*/}, '/* tw_@DESIGN@, to which this copy is bound, whatever is here */');
    $text =~ s/^TWTIMERS_API /TWT_HIDDEN /mg;
    return $text;
}

# Its source, behind that of the design in the same file: names of its own begin with twt_, so that both have room.
sub layer_source {
    my $text = slurp('labs/embed/twt.c');
    my $one = sub { replace_one(\$text, @_, 'labs/embed/twt.c') };
    $one->('first line', qr{\A/\*\n \* twt\.c - }, "\n/*\n * ");
    $one->('the includes', qr{#include "twt\.h"\n\n}, '');
    $one->('the design', qr{#ifndef TWT_DESIGN .*?^#endif\n}ms, <<'END');
#define TWT_DESIGN(what) ((void)(what), &tw_@DESIGN@)

static const struct tw_exact *exact_of(const struct tw_backend *design)
{
    (void)design;
#ifdef TW_TELLS_EXACT
    return &tw_@DESIGN@_exact;
#else
    return NULL;
#endif
}
END
    my %own = map { $_ => 1 } $text =~ /^(?:__attribute__\S+ )?static [^;{=(]*?\b(\w+)\(/mg, $text =~ /^struct (\w+) \{/mg, $text =~ /^#define (\w+)/mg;
    delete @own{grep { /^(?:twt|TWT)_/ } keys %own};
    my $names = join '|', sort { length $b <=> length $a } keys %own;
    # Neither comments nor texts.
    $text =~ s{(/\*.*?\*/|"(?:[^"\\]|\\.)*")|(?<![.>])\b($names)\b}{$1 // ($2 eq uc $2 ? "TWT_$2" : "twt_$2")}gse;
    return make_both_languages($text) =~ s/\b_Alignof\(/alignof(/gr;
}

# Pieces of a text, one for each pattern.
sub pieces {
    my ($text, @patterns) = @_;
    return map { $text =~ /($_)/ ? $1 : die "taken.pl: src/impls/backend.h: no $_\n" } @patterns;
}

# The contract of a store, with what it uses of that of a design.
sub store_contract {
    my ($contract) = @_;
    my $text = slurp('labs/durable/stores/store.h');
    my $one = sub { replace_one(\$text, @_, 'labs/durable/stores/store.h') };
    my $shared = join "\n", pieces($contract, qr{^/\* Most values of one parameter[^\n]*\n#define TW_VALUES_MAX[^\n]*\n}ms,
        map { qr{^(?:/\*[^\n]*\*/\n)?#ifndef ${_}_DEFINED\n.*?^#endif\n}ms } qw(TW_PARAM TW_SETTING TW_ERROR));
    $one->('first line', qr{\A/\*\n \* store\.h - [^\n]*}, "/*\n * tw_\@DESIGN\@.h - the store \@NAME\@ of twbench: the contract, and the table tw_\@DESIGN\@.");
    $one->('the design', qr{A design \(src/impls/backend\.h\) keeps timers in memory and loses them with the process\.  A store\n \*}, 'A store');
    $one->('the one header', qr{  This is the one header that a store has to keep\.}, '');
    $one->('the include', qr{#include "impls/backend\.h"\n}, "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n");
    $one->('the version', qr{(?=/\* Version of this contract\.)}, "$shared\n");
    return $text;
}

sub store_source {
    my ($store, $name, $contract, $reading, $version) = @_;
    my %seen = ('store_open.h' => 0);
    my $used = join "\n", pieces($contract, qr/^typedef uint64_t tw_tick;\n/ms, qr/^#define TW_CAPACITY_MAX[^\n]*\n/ms, qr/^enum tw_status \{.*?^\};\n/ms,
        qr/^struct tw_config \{.*?^\};\n/ms);
    my $body = join "\n", map { amalgamate($_, \%seen) } sort(glob "labs/durable/stores/${store}_*.c"), 'labs/durable/stores/store_company.c', "labs/durable/stores/$store.c";
    # Transactions of a group are of other stores.
    replace_one(\$body, 'the group', $_, '', 'labs/durable/stores') for qr{^/\* Group commit: calls of many.*?(?=^#endif\n)}ms, qr{^/\* ---- Group commit: who.*?^\}\n\n(?=/\*\n \* \Q$store\E\.c)}ms;
    $body = delete_unused("$used\n$reading$body");
    $body =~ s/^    \.name = "$name",/    .name = "tw-$name",/m or die "taken.pl: labs/durable/stores/$store.c: no line `.name = \"$name\",` in its table\n";
    $body =~ s/^extern const struct tw_store_backend tw_store_$store;\n//m;
    $body =~ s/\btw_store_$store\b/tw_$store/g;
    return <<"END";
/*
 * tw_$store.c - the store $name of twbench $version, in one file.  MIT licence, see LICENSE.
 *
 * Compile it as C11, with the header xxhash.h:  cc -std=c11 -O2 -pthread -c tw_$store.c
 * C++ takes the header.  It is called tw-$name, so that both fit into one table.
 * With -DTW_AS_PLUGIN it is a plugin that `twbench conform --store=./tw_$store.so` proves: `make plugin`.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fallocate */
#endif
#include "tw_$store.h"

$body
#ifdef TW_AS_PLUGIN
TW_STORE_PLUGIN(tw_$store);
#endif
END
}

# A literal of C: no quote, no trigraph, a line for each line.
sub literal {
    my ($text) = @_;
    $text =~ s/([\\"?])/\\$1/g;
    return join "\n", map { "    \"$_\\n\"" } split /\n/, $text, -1 if $text !~ /\n\z/;
    chop $text;
    return join "\n", map { "    \"$_\\n\"" } split /\n/, $text, -1;
}

my $version = slurp('VERSION');
chomp $version;
my ($header, $reading) = contract_split();
# Runners are the lab live's: without its folder there are designs alone.
my $has_runners = -e 'labs/live/runners/registry.def';

# The contracts as libtwtimers has them: without a table, because the library finds tables by name.
if ($out eq '--headers') {
    my $runner = $has_runners ? runner_contract() : '';
    $header =~ s{\A/\*\n \* [^\n]*}{/*\n * backend.h - the contract of the timer designs in libtwtimers $version.};
    $runner =~ s{\A/\*\n \* [^\n]*}{/*\n * runner.h - the contract of the runners in libtwtimers $version.};
    $runner =~ s/tw_\@DESIGN\@\.h/backend.h/g;
    my $finder = slurp('labs/embed/twtimers.h');
    replace_one(\$finder, 'the contract', qr{#include "impls/backend\.h"}, '#include "backend.h"', 'labs/embed/twtimers.h');
    $finder =~ s{^#if __has_include\(.*?\)\n(.*?)^#endif\n}{$has_runners ? $1 : ''}gems;
    $finder =~ s{"labs/live/runners/runner\.h"}{"runner.h"};
    my $layer = slurp('labs/embed/twt.h');
    write_file("$directory/twtimers.hpp", slurp('labs/embed/twtimers.hpp'));
    replace_one(\$layer, 'the contract', qr{#include "impls/backend\.h"}, '#include "backend.h"', 'labs/embed/twt.h');
    my %headers = ('backend.h' => $header, 'twtimers.h' => $finder, 'twt.h' => $layer);
    $headers{'runner.h'} = $runner if $has_runners;
    for my $name (sort keys %headers) {
        die "taken.pl: $name: a name is not filled in\n" if $headers{$name} =~ /\@[A-Z_]+\@/;
        write_file("$directory/$name", $headers{$name});
    }
    exit;
}
# A store is the lab durable's.
my $store = -e 'labs/durable/stores/store.h' ? 'wheel_log' : undef;
my $log_header = $store ? store_contract($header) . table_declared('TW_@DESIGN@_H', 'struct tw_store_backend tw_@DESIGN@') : '';
if ($out eq '--log') {
    my %files = ('twlog.h' => $log_header, 'twlog.c' => store_source($store, 'wheel-log', $header, $reading, $version));
    $files{'twlog.h'} =~ s{\A/\*\n \* [^\n]*}{/*\n * twlog.h - a log of delayed messages that survive a crash: libtwlog $version, the store wheel-log of twbench.\n *\n *     cc queue.c \$(pkg-config --cflags --libs twlog)\n *\n * tw_wheel_log, at the end, is the table of all calls.};
    $files{'twlog.h'} =~ s{\@DESIGN\@}{$store}g;
    $files{'twlog.h'} =~ s{^extern const struct tw_store_backend}{extern __attribute__((visibility("default"))) const struct tw_store_backend}m;
    $files{'twlog.c'} =~ s{#include "tw_$store\.h"}{#include "twlog.h"};
    write_file("$directory/$_", $files{$_}) for sort keys %files;
    exit;
}
my @designs = slurp('src/impls/registry.def') =~ /^TW_DESIGN\((\w+)\)/mg;
my @runners = $has_runners ? slurp('labs/live/runners/registry.def') =~ /^TW_RUNNER_ROW\((\w+)\)/mg : ();
# When each is written: with a design ALONE, with a RUNNER, with a STORE.
my @shared = (
    ['ALONE | TAKEN_RUNNER', 'tw_@DESIGN@.h', $header . table_declared('TW_@DESIGN@_H', 'struct tw_backend tw_@DESIGN@')],
    ['GROWABLE', 'tw_@DESIGN@.h', $header . table_declared('TW_@DESIGN@_H', 'struct tw_backend tw_@DESIGN@') . layer_header()],
    ['ALONE | TAKEN_RUNNER | TAKEN_STORE | TAKEN_GROWABLE', 'LICENSE', slurp('LICENSE')],
    ['RUNNER', 'tw_@RUNNER@_runner.h', ($has_runners ? runner_contract() : '') . table_declared('TW_@RUNNER@_RUNNER_H', 'struct tw_runner tw_@RUNNER@_runner')],
    map { [$_->[0], $_->[1], slurp("labs/embed/take/$_->[2]")] } ['ALONE', 'example.c', 'example.c.in'],
    ['RUNNER', 'example.c', 'runner_example.c.in'],
    ['GROWABLE', 'test.c', 'growable_test.c.in'],
    ['ALONE | TAKEN_RUNNER', 'test.c', 'test.c.in'],
    ['RUNNER', 'runner_test.c', 'runner_test.c.in'],
    ['ALONE | TAKEN_GROWABLE', 'Makefile', 'Makefile.in'],
    ['RUNNER', 'Makefile', 'runner_Makefile.in'],
    ['STORE', 'test.c', 'store_test.c.in'],
    ['STORE', 'Makefile', 'store_Makefile.in'],
);
(my $example = slurp('labs/embed/examples/delay_queue.c')) =~ s/<twlog\.h>/"tw_wheel_log.h"/;
$example =~ s/^ \*     cc [^\n]*\n/ *     make delay_queue\n/m;
(my $handles = slurp('labs/embed/examples/handles.c')) =~ s{#include <twtimers/twt\.h>\n#include <twtimers/twtimers\.h>\n}{#include "tw_\@DESIGN\@.h"\n};
$handles =~ s/^    config\.design = [^\n]*\n//m;
$handles =~ s/^ \*\n \*     cc [^\n]*\n//m;
$handles =~ s/\bhandles(\.c -|: )/example$1/g;
push @shared, ['GROWABLE', 'example.c', $handles], ['STORE', 'tw_@DESIGN@.h', $log_header], ['STORE', 'delay_queue.c', $example];

my $made = "/* Made by labs/embed/taken.pl; do not edit. */\n#include \"labs/embed/taking.h\"\n\n";
$made .= "const struct taken_file taken_shared[] = {\n";
$made .= "    {TAKEN_$_->[0], \"$_->[1]\",\n" . literal($_->[2]) . "},\n" for @shared;
$made .= "};\nconst size_t taken_shared_count = sizeof taken_shared / sizeof taken_shared[0];\n\n";
# The table of designs or runners: name, identifier, text.
sub table_of {
    my ($table, $source, @identifiers) = @_;
    my $text = "const struct taken_source taken_${table}s[] = {\n";
    for my $identifier (@identifiers) {
        (my $name = $identifier) =~ tr/_/-/;
        $text .= "    {\"$name\", \"$identifier\",\n" . literal($source->($identifier, $name, $reading, $version)) . "},\n";
    }
    return "$text    {0}};\nconst size_t taken_${table}_count = sizeof taken_${table}s / sizeof taken_${table}s[0] - 1;\n\n";
}

$made .= "const char taken_layer[] =\n" . literal(layer_source()) . ";\n\n";
$made .= table_of('design', \&design_source, @designs);
$made .= table_of('runner', \&runner_source, @runners);
$made .= table_of('store', sub { store_source($_[0], $_[1], $header, $_[2], $_[3]) }, $store // ());

open my $file, '>', "$out.new" or die "taken.pl: $out.new: $!\n";
print $file $made;
close $file or die "taken.pl: $out.new: $!\n";
rename "$out.new", $out or die "taken.pl: $out: $!\n";
