#include <unistd.h>

int main(void) {
	static char block[65536];
	ssize_t n;
	while ((n = read(0, block, sizeof block)) > 0)
		for (ssize_t done = 0, w; done < n; done += w)
			if ((w = write(1, block + done, n - done)) < 0) return 1;
	return n < 0;
}
