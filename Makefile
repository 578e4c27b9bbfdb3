# write-bench: one C file, libc only. `make`, `make bench`, `make sweep`, `make check`, `make check-full`.
CFLAGS ?= -O2
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-declarations
PREFIX ?= /usr/local
# Of make bench: where input and output lie, commands beside the rows, more options. SIZE: 256M, of sweep 16M.
DIR ?= .
WITH ?= --with=cat --with='dd bs=1M'
OPTIONS ?=

# Where this is a checkout: its commit, for --version and reports; made anew when that changes.
COMMIT = $(patsubst %, (%),$(shell git --git-dir=.git describe --always --dirty 2>/dev/null))
COMPILE = $(CC) -std=gnu11 -pthread $(WARNINGS) -DCOMMIT='"$(COMMIT)"' -DFLAGS='" $(subst ",,$(subst ',,$(CFLAGS)))"' $(CPPFLAGS)

all: write-bench
write-bench: write-bench.c $(wildcard .git/logs/HEAD)
	$(COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ write-bench.c -lrt

# A directory d, removed again at the end, also when interrupted.
scratch = d=$$(mktemp -d $(1)) || exit 2; trap 'rm -rf "$$d"' EXIT; \
	trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM

# An input of noise beside the output.
bench: write-bench
	@$(call scratch,"$(DIR)/write-bench.XXXXXX"); \
	./write-bench --generate=noise:$(or $(SIZE),256M) >"$$d/X" || exit 2; \
	./write-bench $(WITH) $(OPTIONS) <"$$d/X" >"$$d/Y"

# Sizes of buffers, /dev/zero into wc -c, beside head -c, by four optimizations; KEEP=DIR keeps table and runs.
SWEEP = read+write 1,stdio 1,read+write 1k,read+write 1m,read+write 1g,mmap+write,splice,pipe+splice 1m,sendfile,vmsplice,vmsplice huge,vmsplice+splice
sweep:
	@$(call scratch); k="$(or $(KEEP),$$d)"; \
	for o in O0 O1 O2 O3; do $(COMPILE) -$$o $(LDFLAGS) -o "$$d/$$o" write-bench.c -lrt && \
	"$$d/$$o" -z $(or $(SIZE),16M) -s '$(SWEEP)' --with='head -c $$SIZE' --into='wc -c' $(OPTIONS) \
		-q -o "$$k/sweep-$$o.csv" </dev/zero || exit; done; \
	"$$d/O2" --compare -o "$$k/sweep.txt" "$$k"/sweep-O?.csv

# The tests, JOBS files at once, those first that have most to do; what takes minutes is in check-full.
JOBS ?= 6
LONGEST = $(patsubst %,tests/%.t,run-all faults-matrix interrupt commands copy sanitizers machines headers fuzz soak examples tee odd uml refused statistics clock outputs gate report rows pipes network)
TESTS ?= $(LONGEST) $(filter-out $(LONGEST),$(shell ls -S tests/*.t))
check: write-bench
	@prove --directives --jobs $(JOBS) $(PROVEFLAGS) $(TESTS)
check-full: export FULL = 1
check-full: check

# Tables and pictures of this machine, in results/CPU-KERNEL/: of DIRS, else of all file systems that can be made.
results: write-bench
	./run-all.sh $(DIRS)

SHARE = "$(DESTDIR)$(PREFIX)/share"
install: write-bench
	install -D write-bench "$(DESTDIR)$(PREFIX)/bin/write-bench"
	./write-bench --man | install -D -m 644 /dev/stdin $(SHARE)/man/man1/write-bench.1
uninstall:
	cd "$(DESTDIR)$(PREFIX)" && rm -f bin/write-bench share/man/man1/write-bench.1
clean:
	rm -f write-bench

.PHONY: all bench sweep check check-full results install uninstall clean
