# picture.sed - what a picture of the documentation goes through (sed -E -f): gnuplot writes titles, comments, empty groups and
# blanks that nobody sees; and like the pictures of `twbench show` it follows a reader who prefers dark pages.
s#<title>(data |gnuplot_plot_)[^<]*</title>##
s#<desc>#<style>@media (prefers-color-scheme:dark){svg{filter:invert(1) hue-rotate(180deg) brightness(1.5)}}</style>\n&#
s/[[:space:]]*$//
/^$/d
