package serve

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
)

// TestSeal: the first key seals, every key opens, what was stored before is read as it
// is, and no error shows a key.
func TestSeal(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	with := func(keys string) (cfg tributary.Config) {
		if err := seal(&cfg, keys, logger); err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	old, fresh := strings.Repeat("a1", 32), strings.Repeat("b2", 32)
	before, both := with(old), with(fresh+", "+old)
	secret, id := []byte("whsec_secret"), []byte("endpoint")
	for name, c := range map[string]struct{ by, with tributary.Config }{"old": {before, before}, "rotated": {before, both}, "fresh": {both, with(fresh)}} {
		sealed, err := c.by.Seal(secret, id)
		if err != nil || bytes.Contains(sealed, secret) {
			t.Fatalf("%s: %q, %v", name, sealed, err)
		}
		if got, err := c.with.Open(sealed, id); err != nil || !bytes.Equal(got, secret) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if _, err := c.with.Open(sealed, []byte("another")); err == nil {
			t.Errorf("%s: it opens for another endpoint", name)
		}
	}
	if got, err := both.Open(secret, id); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("stored before there was a key: %q, %v", got, err)
	}
	if cfg := with(""); cfg.Seal != nil || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("without a key: %s", &log)
	}
	for _, bad := range []string{"short", old + "00", old[1:] + "g", old + ","} {
		if err := seal(new(tributary.Config), bad, logger); err == nil || strings.Contains(err.Error(), bad[:5]) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestErasureKey: the key is 64 hex digits, no error shows it, and without one the log
// says so.
func TestErasureKey(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	var cfg tributary.Config
	if err := erasureKey(&cfg, "", logger); err != nil || cfg.ErasureKey != nil || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("without a key: %v, %s", err, &log)
	}
	good := strings.Repeat("a1", 32)
	if err := erasureKey(&cfg, good, logger); err != nil || len(cfg.ErasureKey) != 32 {
		t.Errorf("%v, %d bytes", err, len(cfg.ErasureKey))
	}
	for _, bad := range []string{"short", good + "00", good[1:] + "g"} {
		if err := erasureKey(new(tributary.Config), bad, logger); err == nil || strings.Contains(err.Error(), bad[:5]) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
