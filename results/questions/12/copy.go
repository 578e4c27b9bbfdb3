package main

import (
	"io"
	"os"
)

func main() {
	block := make([]byte, 65536)
	for {
		n, err := os.Stdin.Read(block)
		if n > 0 {
			if _, err := os.Stdout.Write(block[:n]); err != nil {
				os.Exit(1)
			}
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			os.Exit(1)
		}
	}
}
