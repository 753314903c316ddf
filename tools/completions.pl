#!/usr/bin/perl
# completions.pl TWBENCH bash|zsh|fish - print what completes twbench's command line in that shell.
#
# Made from the rows of `TWBENCH list --flags` alone: commands, their flags with what each takes, the parameters of
# designs, and the words that --impl and --runner take.
use strict;
use warnings;

my ($twbench, $shell) = @ARGV;
my %writers = (bash => \&write_bash, zsh => \&write_zsh, fish => \&write_fish);
die "usage: completions.pl TWBENCH bash|zsh|fish\n" unless $shell && $writers{$shell};

my (@commands, %summary, %flags, %words, %takes_parameters);
open my $rows, '-|', $twbench, 'list', '--flags' or die "completions.pl: $twbench: $!\n";
my @parameters;
while (my $row = <$rows>) {
    chomp $row;
    my ($kind, @fields) = split /\t/, $row, -1;
    # "lab grade": the first word completes, with the flags of all that follow it.
    $fields[0] =~ s/ .*// if $kind =~ /^(?:command|flag|parameters)$/;
    if ($kind eq 'command') {
        push @commands, $fields[0] unless $summary{$fields[0]};
        $summary{$fields[0]} = $fields[2];
    } elsif ($kind eq 'flag') {
        push @{$flags{$fields[0]}}, [@fields[1 .. 3]];
    } elsif ($kind eq 'parameter') {
        push @parameters, [@fields[1 .. 3]] unless grep { $_->[0] eq $fields[1] } @parameters;
    } elsif ($kind eq 'parameters') {
        $takes_parameters{$fields[0]} = 1;
    } elsif ($kind eq 'word') {
        push @{$words{$fields[0]}}, $fields[1];
    }
}
close $rows or die "completions.pl: '$twbench list --flags' failed\n";
die "completions.pl: '$twbench list --flags' has no commands or no words\n" unless @commands && %words;
for my $command (grep { $takes_parameters{$_} } @commands) {
    for my $parameter (@parameters) {
        push @{$flags{$command}}, $parameter unless grep { $_->[0] eq $parameter->[0] } @{$flags{$command}};
    }
}

# What stands behind a flag: none, file, directory, words (separated by commas), or other.
sub kind_of {
    my ($name, $value) = @_;
    return 'none' if $value eq '';
    return 'file' if $value =~ /^(?:FILE|RESULT)/;
    return 'directory' if $value =~ /^DIR/;
    return words_of($name, $value) ? 'words' : 'other';
}

# Those of the registries, and what is in small letters in the value itself: "A,B|all", "off,on".
sub words_of {
    my ($name, $value) = @_;
    return (@{$words{$name} // []}, grep { /^[a-z][a-z-]*$/ } split /[,|]/, $value);
}

sub write_bash {
    print "# twbench.bash - completes the command line of twbench in bash.  Made by tools/completions.pl.\n\n";
    print "_twbench_flags() {\n    case \$1 in\n";
    print "    $_) echo '", join(' ', map { "--$_->[0]" . ($_->[1] eq '' ? '' : '=') } @{$flags{$_}}), "' ;;\n" for @commands;
    print "    esac\n}\n\n# Words, or the kind of what stands behind the flag.\n_twbench_value() {\n    case \$1 in\n";
    for my $command (@commands) {
        for my $flag (@{$flags{$command}}) {
            my $kind = kind_of(@$flag[0, 1]);
            my $what = $kind eq 'words' ? join(' ', words_of(@$flag[0, 1])) : "\@$kind";
            print "    $command/$flag->[0]) echo '$what' ;;\n" if $kind =~ /words|file|directory/;
        }
    }
    print "    esac\n}\n\n";
    print <<"END";
_twbench() {
    local line=\${COMP_LINE:0:COMP_POINT} current command="" word flag values before
    current=\${line##* }
    for word in \${line% *}; do
        case \$word in
        @{[join '|', @commands]}) command=\${command:-\$word} ;;
        esac
    done
    COMPREPLY=()
    case \$current in
    --*=*)
        flag=\${current%%=*} word=\${current#*=}
        values=\$(_twbench_value "\${command:-run}/\${flag#--}")
        case \$values in
        \@directory) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "\$word") ;;
        \@file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "\$word") ;;
        *)
            before=""
            [[ \$word == *,* ]] && before=\${word%,*},
            compopt -o nospace 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -P "\$before" -W "\$values" -- "\${word##*,}") ;;
        esac ;;
    -*)
        mapfile -t COMPREPLY < <(compgen -W "\$(_twbench_flags "\${command:-run}")" -- "\$current")
        [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null ;;
    *)
        if [ -z "\$command" ]; then
            mapfile -t COMPREPLY < <(compgen -W "@commands help version" -- "\$current")
        else
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "\$current")
        fi ;;
    esac
    return 0
}
complete -F _twbench twbench
END
}

# Text in single quotes.
sub quoted {
    my ($text) = @_;
    $text =~ s/'/'\\''/g;
    return "'$text'";
}

sub write_zsh {
    my $escaped = sub { my ($text) = @_; $text =~ s/([\\\[\]:])/\\$1/g; $text };
    print "#compdef twbench\n# _twbench - completes the command line of twbench in zsh.  Made by tools/completions.pl.\n\n";
    print "local -a commands\nlocal command= word\ncommands=(\n";
    print '    ', quoted("$_:$summary{$_}"), "\n" for @commands;
    print ")\nfor word in \${words[2,CURRENT-1]}; do\n    case \$word in\n    (@{[join '|', @commands]}) command=\${command:-\$word} ;;\n    esac\ndone\n";
    print "if [[ -z \$command && \${words[CURRENT]} != -* ]]; then\n    _describe -t commands 'command' commands\n    return\nfi\n";
    print "case \${command:-run} in\n";
    for my $command (@commands) {
        print "($command)\n    _arguments -S";
        for my $flag (@{$flags{$command}}) {
            my ($name, $value, $help) = @$flag;
            my $kind = kind_of($name, $value);
            my $action = {none => undef, file => '_files', directory => '_files -/', other => ' ',
                words => "_values -s , $name " . join(' ', words_of($name, $value))}->{$kind};
            my $spec = "*--$name" . ($kind eq 'none' ? '' : '=') . '[' . $escaped->($help) . ']';
            $spec .= ':' . $escaped->($value) . ":$action" if $kind ne 'none';
            print " \\\n        ", quoted($spec);
        }
        print " \\\n        '*:file:_files' ;;\n";
    }
    print "esac\n";
}

sub write_fish {
    print "# twbench.fish - completes the command line of twbench in fish.  Made by tools/completions.pl.\n\n";
    print "function __twbench_command\n    set -l words (commandline -opc)\n    for word in \$words[2..-1]\n";
    print "        contains -- \$word @commands; and echo \$word; and return\n    end\n    return 1\nend\n";
    print "function __twbench_is\n    set -l command (__twbench_command; or echo run)\n    contains -- \$command \$argv\nend\n\n";
    print "complete -c twbench -n 'not __twbench_command' -f -a $_ -d ", fish_quoted($summary{$_}), "\n" for @commands;
    # One line for all commands in which a flag is the same.
    my (%users, @order);
    for my $command (@commands) {
        for my $flag (@{$flags{$command}}) {
            my $key = join "\t", @$flag;
            push @order, $key unless $users{$key};
            push @{$users{$key}}, $command;
        }
    }
    for my $key (@order) {
        my ($name, $value, $help) = split /\t/, $key, -1;
        my $kind = kind_of($name, $value);
        print "complete -c twbench -n '__twbench_is @{$users{$key}}' -l $name ";
        print '-r ' if $kind eq 'file';
        print "-x -a '(__fish_complete_directories)' " if $kind eq 'directory';
        print '-x ' if $kind eq 'other';
        print "-x -a '(__fish_append , @{[words_of($name, $value)]})' " if $kind eq 'words';
        print '-d ', fish_quoted($help), "\n";
    }
}

sub fish_quoted {
    my ($text) = @_;
    $text =~ s/([\\'])/\\$1/g;
    return "'$text'";
}

$writers{$shell}->();
