# write-bench: one C file, libc only. `make`, `make bench`, `make sweep`, `make check`.
CFLAGS ?= -O2
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-declarations
PREFIX ?= /usr/local
# Of make bench: where input and output lie, how large they are, what is to stand beside the rows,
# and more options.
DIR ?= .
SIZE ?= 256M
WITH ?= --with=cat --with='dd bs=1M'
OPTIONS ?=

all: write-bench

COMPILE = $(CC) -std=gnu11 -pthread $(WARNINGS) $(CPPFLAGS)

write-bench: write-bench.c
	$(COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ write-bench.c

# An input of noise beside the output; both are removed again, also when interrupted.
bench: write-bench
	@d=$$(mktemp -d "$(DIR)/write-bench.XXXXXX") || exit 2; \
	trap 'rm -rf "$$d"' EXIT; trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM; \
	./write-bench --generate=noise:$(SIZE) >"$$d/X" || exit 2; \
	./write-bench $(WITH) $(OPTIONS) <"$$d/X" >"$$d/Y"

# Does the size of the buffer matter, and does the compiler? From /dev/zero into wc -c, as four levels of
# optimization make the program, with head -c beside it; SIZE bytes a run, 1G where none is named. KEEP=DIR
# keeps the table and all runs there.
SWEEP_SIZE = $(if $(filter file,$(origin SIZE)),1G,$(SIZE))
SWEEP_ROWS = read+write 1,read+write 1k,read+write 1m,read+write 1g,mmap+write,splice,sendfile,pipe+splice 1m,vmsplice,vmsplice huge
KEEP ?=
sweep: write-bench
	@d=$$(mktemp -d) || exit 2; \
	trap 'rm -rf "$$d"' EXIT; trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM; \
	for o in O0 O1 O2 O3; do \
		$(COMPILE) -$$o $(LDFLAGS) -o "$$d/write-bench" write-bench.c || exit 2; \
		"$$d/write-bench" --size=$(SWEEP_SIZE) --select='$(SWEEP_ROWS)' --with='head -c $$SIZE' --into='wc -c' $(OPTIONS) \
			-f csv -o "$$d/sweep-$$o.csv" </dev/zero || exit; \
	done; \
	./write-bench --compare "$$d"/sweep-O?.csv -o "$$d/sweep.txt" && \
	sed -n 's/^# cpu: \(.*\)/Measured on \1,/p; s/^# cpus: \(.*\)/\1 CPUs,/p; s/^# memory: \(.*\)/\1 of memory./p' "$$d/sweep-O0.csv" | \
		paste -s -d' ' >>"$$d/sweep.txt" && \
	cat "$$d/sweep.txt" && if [ "$(KEEP)" ]; then cp "$$d"/sweep* "$(KEEP)"; fi

check: write-bench
	prove --directives $(PROVEFLAGS) tests/

# Tables of this machine, for results/: every DIR that is named, else here and on tmpfs.
results: write-bench
	./run-all.sh -o results $(DIRS)

install: write-bench
	mkdir -p "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	cp write-bench "$(DESTDIR)$(PREFIX)/bin/write-bench"
	./write-bench --man >"$(DESTDIR)$(PREFIX)/share/man/man1/write-bench.1"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/write-bench" "$(DESTDIR)$(PREFIX)/share/man/man1/write-bench.1"

clean:
	rm -f write-bench

.PHONY: all bench sweep check results install uninstall clean
