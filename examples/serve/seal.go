package serve

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"

	"github.com/tributary-go/tributary"
)

// The variables of the environment that Secure reads.
const (
	sealVariable    = "TRIBUTARY_SEAL_KEY"
	erasureVariable = "TRIBUTARY_ERASURE_KEY"
)

// Secure gives a program the keys of the environment: TRIBUTARY_SEAL_KEY seals the
// secrets of webhooks in the store, TRIBUTARY_ERASURE_KEY is for the digests of erased
// emails. Each is 64 hex digits; of the first there may be several, with commas between
// them. Without one the log says what that means. It is for stores that last.
func Secure(cfg *tributary.Config, getenv func(string) string, logger *slog.Logger) error {
	if err := seal(cfg, getenv(sealVariable), logger); err != nil {
		return err
	}
	return erasureKey(cfg, getenv(erasureVariable), logger)
}

// erasureKey reads the key for the digests of erased emails: 64 hex digits that never
// change. Without one the program's id is used, and the log says so.
func erasureKey(cfg *tributary.Config, key string, logger *slog.Logger) error {
	if key == "" {
		logger.Warn("who reads the database can try out erased emails; set " + erasureVariable + " to 64 hex digits before the first erasure, and never change them")
		return nil
	}
	raw, err := hex.DecodeString(strings.TrimSpace(key))
	if err != nil || len(raw) != 32 {
		return errors.New(erasureVariable + " must have 64 hex digits, such as openssl rand -hex 32 makes") // it never shows them
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
		logger.Warn("the secrets of webhooks are stored as plain text; set " + sealVariable + " to 64 hex digits, such as openssl rand -hex 32 makes")
		return nil
	}
	var all []cipher.AEAD
	for text := range strings.SplitSeq(keys, ",") {
		raw, err := hex.DecodeString(strings.TrimSpace(text))
		if err != nil || len(raw) != 32 {
			return errors.New(sealVariable + " must have 64 hex digits, such as openssl rand -hex 32 makes") // it never shows them
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
