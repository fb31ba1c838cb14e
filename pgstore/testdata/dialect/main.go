// Command dialect parses statements with the parser of CockroachDB. It is run in a
// clone of cockroachdb/cockroachdb-parser: see .ci/dialect. A file ending in .sql
// with lines is one statement a line; with semicolons, a script.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/cockroachdb/cockroachdb-parser/pkg/sql/parser"
)

func main() {
	bad := 0
	for _, file := range os.Args[1:] {
		raw, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		parts := strings.Split(strings.TrimSpace(string(raw)), "\n")
		if strings.Contains(string(raw), ";") {
			parts = []string{string(raw)}
		}
		parsed := 0
		for _, part := range parts {
			statements, err := parser.Parse(part)
			if err != nil {
				bad++
				fmt.Printf("%s: %v\n%.300s\n", file, err, part)
				continue
			}
			parsed += len(statements)
		}
		fmt.Printf("%s: %d statements parse\n", file, parsed)
	}
	if bad > 0 {
		os.Exit(1)
	}
}
