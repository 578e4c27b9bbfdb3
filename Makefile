# write-bench: one C file, libc only. `make`, `make bench`, `make check`.
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

write-bench: write-bench.c
	$(CC) -std=gnu11 -pthread $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ write-bench.c

# A random input beside the output; both are removed again, also when interrupted.
bench: write-bench
	@d=$$(mktemp -d "$(DIR)/write-bench.XXXXXX") || exit 2; \
	trap 'rm -rf "$$d"' EXIT; trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM; \
	head -c $(SIZE) /dev/urandom >"$$d/X" || exit 2; \
	./write-bench $(WITH) $(OPTIONS) <"$$d/X" >"$$d/Y"

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

.PHONY: all bench check results install uninstall clean
