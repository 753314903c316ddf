module twbench/originals/timers

go 1.19
