# advise: what its tests need beyond the rules of the Makefile.
SLOW_advise   := labs/advise/tests/advise.bats labs/advise/tests/from_log_to_answer.bats
SUITES_advise := labs/advise/tests/advice_format.sh
