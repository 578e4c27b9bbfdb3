#include <stdlib.h>
#include <unistd.h>

static char block[65536];

int main(void) {
	ssize_t n;
	while ((n = read(0, block, sizeof block)) > 0)
		for (ssize_t written = 0, w; written < n; written += w)
			if ((w = write(1, block + written, n - written)) < 0) return EXIT_FAILURE;
	return n ? EXIT_FAILURE : EXIT_SUCCESS;
}
