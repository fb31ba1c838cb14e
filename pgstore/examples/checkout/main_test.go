package main

import (
	"os"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/pgstore/internal/cluster"
)

// TestRun runs the example and compares what it prints.
func TestRun(t *testing.T) {
	const want = `preview: valid true, 16 off 80
orders: 1
sale: order-1 of 64, 9.6 for Ada
the books hold
`
	var out strings.Builder
	err := run(t.Context(), os.Getenv("TRIBUTARY_TEST_DATABASE_URL"), &out)
	if cluster.Missing(err, os.Getenv("CI")) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil || out.String() != want {
		t.Errorf("error %v, output:\n%s\nwant:\n%s", err, out.String(), want)
	}
}
