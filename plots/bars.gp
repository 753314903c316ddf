# bars.gp - designs side by side on one workload or trace: time per operation, and memory.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/bars.gp bars-nginx.tsv bars-nginx.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/bars.gp bars-nginx.tsv                     (text, on the terminal)
#
# Data: a block per panel; first line its title and unit, then name of the design, median, low, high.
# A panel whose values differ by more than thirty times has a logarithmic axis and says so; it shows points, because a
# bar stands for its length from 0.

data = ARG1
out = ARG2

heading = "Designs side by side on "
load "sidebyside.gp"
