#!/usr/bin/perl
# patches.pl LIST ROOM DIR - makes DIR/NAME.patch of each fault of a list: blocks of
#
#     = NAME | RULES | PART | SETTINGS   "/" between rules; what does not apply is left out
#     ; what is wrong with it
#     @ FILE                             of the room, with the lines that go (-), come (+) and stay ( ); together they
#                                        stand there once, the last one perhaps in part
#
# Says of which the lines are not there, and fails.
use strict;
use warnings;

my ($list, $room, $out) = @ARGV;
my %text;
my $status = 0;
sub read_file { open my $file, '<', $_[0] or die "$_[0]: $!\n"; local $/; my $text = <$file>; return $text }

for my $block (split /^= /m, read_file($list) =~ s/\A(#[^\n]*\n)*= //r) {
    my ($head, @changes) = split /^@ /m, $block;
    my ($name, $rules, $part, $settings) = map { s/^\s+|\s+$//gr } split /(?<=\s)\|(?=\s|$)/, $head =~ s/\n.*//sr;
    my $patch = "Rule: " . $rules =~ s{/}{|}gr . "\n";
    $patch .= "Part: $part\n" if $part;
    $patch .= "Set: $settings\n" if $settings;
    my %changed;
    for (@changes) {
        my ($path, $lines) = /^([^\n]*)\n(.*)\z/s;
        $path = "$room/$path";
        my $source = $changed{$path} // ($text{$path} //= read_file($path));
        chomp(my $old = join '', $lines =~ /^[- ](.*\n)/mg);
        chomp(my $new = join '', $lines =~ /^[+ ](.*\n)/mg);
        my $at = index $source, $old;
        if ($old eq '' || $at < 0 || index($source, $old, $at + 1) >= 0) {
            print "$name no longer applies to $path: bring it up to date\n";
            $status = 1;
            next;
        }
        my ($start, $end) = (rindex($source, "\n", $at) + 1, index($source, "\n", $at + length $old));
        my ($before, $behind) = (substr($source, $start, $at - $start), substr $source, $at + length $old, $end - $at - length $old);
        my @goes = split /\n/, "$before$old$behind", -1;
        my @comes = "$before$new$behind" eq '' ? () : split /\n/, "$before$new$behind", -1;
        $changed{$path} = substr($source, 0, $start) . join('', map { "$_\n" } @comes) . substr $source, $end + 1;
        my $line = 1 + (substr($source, 0, $start) =~ tr/\n//);
        $patch .= "--- a/$path\n+++ b/$path\n\@\@ -$line," . @goes . " +" . ($line - !@comes) . "," . @comes . " \@\@\n" .
            join '', (map { "-$_\n" } @goes), (map { "+$_\n" } @comes);
    }
    open my $file, '>', "$out/$name.patch" or die "$out/$name.patch: $!\n";
    print $file $patch;
}
exit $status;
