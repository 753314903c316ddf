# advise: what its tests need beyond the rules of the Makefile.
SUITES_advise := labs/advise/tests/advice_format.sh labs/advise/tests/limits_format.sh
