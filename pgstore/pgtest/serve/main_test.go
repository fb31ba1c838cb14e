package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/pgstore/pgtest"
)

// TestServe: the server answers until the input ends, and leaves nothing.
func TestServe(t *testing.T) {
	hold, end := io.Pipe()
	answer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- serve(t.Context(), hold, out)
		out.Close()
	}()
	url, err := bufio.NewReader(answer).ReadString('\n')
	if err != nil {
		if failed := <-done; pgtest.Missing(failed, os.Getenv("CI")) {
			t.Skip("SKIPPED: ", failed)
		}
		t.Fatal(err)
	}
	url = strings.TrimSpace(url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close(context.Background())
	end.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(cfg.Host, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
