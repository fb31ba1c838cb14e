package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGenerated: the encoders are those of the structs as they are.
func TestGenerated(t *testing.T) {
	want, err := generate("../../affiliate")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../affiliate/" + output)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run go run ./internal/encoders (-want +got):\n%s", diff)
	}
}
