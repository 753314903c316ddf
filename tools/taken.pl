#!/usr/bin/perl
# taken.pl OUT.c - write what `twbench take` gives away as a C file of string literals.
#
# Made from src/impls, LICENSE, VERSION and tools/take alone, at build time: a design with the headers
# it includes becomes one C file, its contract one header.  Everything that counts is deleted, and what
# C++ would refuse (a void pointer assigned, the address of a literal) is written as both languages take it.
use strict;
use warnings;

my ($out) = @ARGV;
die "usage: taken.pl OUT.c, at the root of the tree\n" unless $out && -e 'src/impls/registry.def';

sub slurp {
    my ($path) = @_;
    open my $in, '<', $path or die "taken.pl: $path: $!\n";
    local $/;
    return scalar <$in>;
}

# Replaces exactly one place, or the source has changed in a way that this script does not know.
sub replace_one {
    my ($text, $what, $pattern, $with) = @_;
    my $count = () = $$text =~ /$pattern/g;
    die "taken.pl: src/impls/backend.h: $what: found $count times; expected once\n" if $count != 1;
    $$text =~ s/$pattern/$with/;
}

# The contract without counting, and the functions by which an open reads its settings.
sub contract_split {
    my $text = slurp('src/impls/backend.h');
    replace_one(\$text, 'first line', qr{\A/\*\n \* backend\.h - [^\n]*}, "/*\n * tw_\@DESIGN\@.h - the timer design \@NAME\@ of twbench: the contract, and the table tw_\@DESIGN\@.");
    replace_one(\$text, 'second sentence', qr{This is the one header a design includes, inside the project or as a plugin\.  It states}, 'It states');
    replace_one(\$text, 'TIMED AND COUNTED', qr{ \* TIMED AND COUNTED\..*? \*\n(?= \* No function)}s, '');
    replace_one(\$text, 'the counters', qr{/\* The operation counters, one row each.*?#undef TW_WORK_MEMBER\n}s, "struct tw_work; /* operation counters, which this copy has not */\n");
    replace_one(\$text, 'the work hook', qr{    /\* The counted object's counters[^\n]*\n}, "    /* NULL: this copy counts nothing. */\n");
    replace_one(\$text, 'two tables', qr{    const struct tw_backend \*timed;[^\n]*\n[^\n]*counted;[^\n]*\n}, "    const struct tw_backend *timed;   /* its table */\n    const struct tw_backend *counted; /* the same again: this copy counts nothing */\n");
    replace_one(\$text, 'the counting macros', qr{/\* ---- Counting: see.*?(?=/\* ---- Reading settings)}s, '');
    replace_one(\$text, 'the plugin page', qr{; see docs/PLUGINS\.md\.}, ', for `twbench conform --plugin`.');
    my ($before, $reading, $after) = $text =~ m{\A(.*)(/\* ---- Reading settings.*?)(#ifdef __cplusplus\n\}\n#endif\n.*)\z}s
        or die "taken.pl: src/impls/backend.h: no section 'Reading settings' before its end\n";
    my $table = <<'END';

#ifndef TW_@DESIGN@_H
#define TW_@DESIGN@_H

#ifdef __cplusplus
extern "C" {
#endif

extern const struct tw_backend tw_@DESIGN@;

#ifdef __cplusplus
}
#endif

#endif
END
    return ($before . $after . $table, $reading);
}

# The file with each header of its folder in the place of the line that includes it.
sub amalgamate {
    my ($path, $seen) = @_;
    my $text = slurp($path);
    $text =~ s{^#include "([^"]+)"\n}{
        $1 eq 'backend.h' || $seen->{$1}++ ? '' : amalgamate("src/impls/$1", $seen)
    }gem;
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
    my $deleted = 1;
    while ($deleted) {
        $deleted = 0;
        for my $name ($text =~ /^static inline [^;{=(]*?\b(\w+)\(/mg) {
            my $uses = () = $text =~ /\b$name\(/g;
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
    $text =~ s/^([ \t]*)([\w.>-]+) = ($allocators\()/$1$2 = (__typeof__($2))$3/mg;
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
my @designs = slurp('src/impls/registry.def') =~ /^TW_DESIGN\((\w+)\)/mg;
my @shared = (
    ['tw_@DESIGN@.h', $header],
    ['LICENSE', slurp('LICENSE')],
    map { [$_->[0], slurp("tools/take/$_->[1]")] } ['example.c', 'example.c.in'],
    ['test.c', 'test.c.in'], ['Makefile', 'Makefile.in'],
);

my $made = "/* Made by tools/taken.pl; do not edit. */\n#include \"harness/ask/take/taken.h\"\n\n";
$made .= "const struct taken_file taken_shared[] = {\n";
$made .= "    {\"$_->[0]\",\n" . literal($_->[1]) . "},\n" for @shared;
$made .= "};\nconst size_t taken_shared_count = sizeof taken_shared / sizeof taken_shared[0];\n\n";
$made .= "const struct taken_design taken_designs[] = {\n";
for my $design (@designs) {
    (my $name = $design) =~ tr/_/-/;
    $made .= "    {\"$name\", \"$design\",\n" . literal(design_source($design, $name, $reading, $version)) . "},\n";
}
$made .= "};\nconst size_t taken_design_count = sizeof taken_designs / sizeof taken_designs[0];\n";

open my $file, '>', "$out.new" or die "taken.pl: $out.new: $!\n";
print $file $made;
close $file or die "taken.pl: $out.new: $!\n";
rename "$out.new", $out or die "taken.pl: $out: $!\n";
