package app

import (
	"bufio"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/demo"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/webhooks"
)

// A tenant is a program, the key that opens it, and the sender of its webhooks.
type tenant struct {
	*tributary.Program
	key    string        // opens all of the program; empty: only the shared keys do
	shared []httpapi.Key // of the file
	sender *webhooks.Sender
}

// keys are all keys of the program.
func (t tenant) keys() []httpapi.Key {
	if t.key == "" {
		return t.shared
	}
	return append([]httpapi.Key{{Secret: t.key, Name: "owner"}}, t.shared...)
}

// checkKeys refuses keys that cannot work.
func checkKeys(set settings) error {
	for i, key := range set.keys {
		switch {
		case key == "":
			return errors.New("a key is empty")
		case slices.Contains(set.keys[:i], key):
			return errors.New("a key is given twice")
		case i > 0 && set.lasts:
			// Else the order of the keys would decide whose data each of them opens.
			return errors.New("a store that lasts has one program: give one key, or a file of keys")
		}
	}
	return nil
}

// tenants makes a program for each key, and one without for the shared keys when
// they are all. The shared keys open the first program. Links lead to page unless
// the settings say otherwise.
func tenants(ctx context.Context, store record.Store, set settings, shared []httpapi.Key,
	page string, logger *slog.Logger) ([]tenant, error) {
	var all []tenant
	keys := set.keys
	if len(keys) == 0 {
		keys = []string{""}
	}
	for i, key := range keys {
		cfg, err := configOf(i, set, page)
		if err != nil {
			return nil, err
		}
		if set.lasts {
			if err := secure(&cfg, set.getenv, logger); err != nil {
				return nil, err
			}
		}
		if set.demo && i == 0 {
			if err := demo.Fill(ctx, store, cfg, set.now()); err != nil {
				return nil, err
			}
		}
		t, err := newTenant(store, cfg, key, set, logger)
		if err == nil {
			err = t.Ping(ctx)
		}
		if err == nil && cfg.StoredSettings {
			err = t.begin(ctx, page)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			t.shared = shared
		}
		all = append(all, t)
	}
	return all, nil
}

// ProgramID is the id of the program in a store that lasts. It is the same in every
// store, so that a program can move from one to another.
const ProgramID = "0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"

// configOf returns the configuration of the i-th program.
func configOf(i int, set settings, page string) (tributary.Config, error) {
	cfg := tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}
	if set.demo && i == 0 {
		cfg = demo.Config()
	}
	if cfg.StoredSettings = set.lasts; !set.lasts && cfg.Name == "" {
		cfg.Name = fmt.Sprintf("Program %d", i+1)
	}
	cfg.Rand = set.rand
	cfg.Review = []affiliate.ReviewRule{affiliate.SelfReferral(), affiliate.Unnamed(), affiliate.Disposable(),
		affiliate.OwnDomain()} // held until somebody decides
	if !set.lasts && len(set.destinations) == 0 {
		cfg.Destinations = []affiliate.Destination{{URL: page}}
	}
	for _, url := range set.destinations {
		cfg.Destinations = append(cfg.Destinations, affiliate.Destination{URL: url})
	}
	if set.private {
		cfg.Addresses = serve.PrivateAddresses()
	}
	var err error
	switch {
	case set.lasts:
		cfg.ID, err = uuid.Parse(ProgramID)
	case cfg.ID == uuid.Nil:
		cfg.ID, err = uuid.NewRandomFromReader(set.rand)
	}
	return cfg, err
}

// begin gives a program that was not written yet a name, and links a page to lead to, which its
// operator then changes.
func (t tenant) begin(ctx context.Context, page string) error {
	is, err := t.Settings(ctx)
	if err != nil || is.Revision > 0 {
		return err
	}
	first := affiliate.SettingsUpdate{Name: affiliate.Set("Program 1")}
	if len(is.Destinations) == 0 {
		first.Destinations = affiliate.Set([]string{page})
	}
	_, err = t.By("server").UpdateSettings(ctx, first)
	return err
}

// newTenant makes a program with the clock of the settings.
func newTenant(store record.Store, cfg tributary.Config, key string, set settings,
	logger *slog.Logger) (tenant, error) {
	sender := &webhooks.Sender{Addresses: cfg.Addresses, Now: set.now, Logger: logger}
	cfg.Logger = logger
	cfg.Now, cfg.OnEvents, cfg.Send = set.now, sender.Wake, sender.Send
	program, err := tributary.New(store, cfg)
	if err != nil {
		return tenant{}, err
	}
	sender.Outbox = program.Webhooks()
	return tenant{Program: program, key: key, sender: sender}, nil
}

// byID returns a function that finds a program by its public id, and the first one without.
func byID(all []tenant) func(context.Context, string) (*tributary.Program, error) {
	programs := map[string]*tributary.Program{"": all[0].Program}
	for _, t := range all {
		programs[t.Config().ID.String()] = t.Program
	}
	return func(_ context.Context, id string) (*tributary.Program, error) {
		if p := programs[id]; p != nil {
			return p, nil
		}
		return nil, affiliate.ErrNotFound
	}
}

// readKeys reads the keys of a file. It warns when other people on this machine
// can read the file too.
func readKeys(path string, warn io.Writer) ([]httpapi.Key, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		fmt.Fprintf(warn,
			"server: %s has mode %03o: others on this machine may read the keys; chmod 600 it\n",
			path, mode)
	}
	keys, err := parseKeys(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// parseKeys reads one key from each line: its name, its scope, and its secret or
// its hash as httpapi.Key has it. Empty lines and lines that begin with # are
// comments. No error shows a secret.
func parseKeys(r io.Reader) (keys []httpapi.Key, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 3 {
			return nil, fmt.Errorf("line %d has %d words, want NAME SCOPE SECRET", n, len(words))
		}
		key := httpapi.Key{Name: words[0], Scope: httpapi.Scope(words[1])}
		if strings.HasPrefix(words[2], "sha256:") {
			key.Hash = words[2]
		} else {
			key.Secret = words[2]
		}
		keys = append(keys, key)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("no key")
	}
	return keys, nil
}

// The variables of the environment that secure reads.
const (
	sealVariable    = "TRIBUTARY_SEAL_KEY"
	erasureVariable = "TRIBUTARY_ERASURE_KEY"
)

// secure gives a program the keys of the environment: TRIBUTARY_SEAL_KEY seals the
// secrets of webhooks in the store, TRIBUTARY_ERASURE_KEY is for the digests of erased
// emails. Each is 64 hex digits; of the first there may be several, with commas between
// them. Without one the log says what that means. It is for stores that last.
func secure(cfg *tributary.Config, getenv func(string) string, logger *slog.Logger) error {
	if err := seal(cfg, getenv(sealVariable), logger); err != nil {
		return err
	}
	return erasureKey(cfg, getenv(erasureVariable), logger)
}

// erasureKey reads the key for the digests of erased emails: 64 hex digits that never
// change. Without one the program's id is used, and the log says so.
func erasureKey(cfg *tributary.Config, key string, logger *slog.Logger) error {
	if key == "" {
		logger.Warn("who reads the database can try out erased emails; set " + erasureVariable +
			" to 64 hex digits before the first erasure, and never change them")
		return nil
	}
	raw, err := hex.DecodeString(strings.TrimSpace(key))
	if err != nil || len(raw) != 32 {
		return errors.New(erasureVariable +
			" must have 64 hex digits, such as openssl rand -hex 32 makes") // it never shows them
	}
	cfg.ErasureKey = raw
	return nil
}

// plainSecret begins a secret that was stored before there was a key.
const plainSecret = "whsec_"

// seal seals the secrets of webhooks in the database. keys are 64 hex digits each,
// separated by commas: the first one seals, and all of them open, so that a new key
// goes before the old one. Without a key secrets are stored as they are, and the log
// says so.
func seal(cfg *tributary.Config, keys string, logger *slog.Logger) error {
	if keys == "" {
		logger.Warn("the secrets of webhooks are stored as plain text; set " + sealVariable +
			" to 64 hex digits, such as openssl rand -hex 32 makes")
		return nil
	}
	var all []cipher.AEAD
	for text := range strings.SplitSeq(keys, ",") {
		raw, err := hex.DecodeString(strings.TrimSpace(text))
		if err != nil || len(raw) != 32 {
			return errors.New(sealVariable +
				" must have 64 hex digits, such as openssl rand -hex 32 makes") // it never shows them
		}
		block, err := aes.NewCipher(raw)
		if err != nil {
			return err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return err
		}
		all = append(all, aead)
	}
	cfg.Seal = func(data, boundTo []byte) ([]byte, error) { return all[0].Seal(nil, nil, data, boundTo), nil }
	cfg.Open = func(data, boundTo []byte) (plain []byte, err error) {
		if strings.HasPrefix(string(data), plainSecret) {
			return data, nil
		}
		for _, aead := range all {
			if plain, err = aead.Open(nil, nil, data, boundTo); err == nil {
				break
			}
		}
		return plain, err
	}
	return nil
}
