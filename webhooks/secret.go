package webhooks

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// Errors of secrets. They do not show any part of a secret.
var (
	// ErrSecret means that a text is not a secret: it is not strict standard
	// base64, or it is not 24 to 64 bytes long.
	ErrSecret = errors.New("webhooks: not a secret")

	// ErrSecretCount means that there is no secret, or more than ten.
	ErrSecretCount = errors.New("webhooks: want 1 to 10 secrets")
)

const (
	secretPrefix = "whsec_"
	minKey       = 24 // bytes of a key
	maxKey       = 64
	newKey       = 32
	maxSecrets   = 10
	asciiSpace   = " \t\r\n\v\f"
)

// NewSecret makes a secret of 32 bytes from rand. Use crypto/rand.Reader; a
// test may use a source of its own.
//
// Errors: the error of rand.
//
// Source: Standard Webhooks, secrets.
func NewSecret(rand io.Reader) (affiliate.Secret, error) {
	var key [newKey]byte
	if _, err := io.ReadFull(rand, key[:]); err != nil {
		return "", fmt.Errorf("draw secret: %w", err)
	}
	return encodeSecret(key[:]), nil
}

// ParseSecret reads a secret from a text such as the content of a file: white
// space around it is removed, and the prefix whsec_ may be missing. It returns
// the form of [NewSecret]. Asymmetric keys (whsk_, whpk_) and URL-safe base64
// are refused.
//
// Errors: [ErrSecret].
//
// Source: Standard Webhooks, secrets. The strictness is ours, because a lenient
// decoder here and a strict one elsewhere would read different keys from one
// text.
func ParseSecret(s string) (affiliate.Secret, error) {
	key, err := keyOf(affiliate.Secret(s))
	if err != nil {
		return "", err
	}
	return encodeSecret(key), nil
}

func encodeSecret(key []byte) affiliate.Secret {
	return affiliate.Secret(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

// keyOf returns the key that a secret stands for.
func keyOf(s affiliate.Secret) ([]byte, error) {
	text := strings.Trim(s.Reveal(), asciiSpace)
	if strings.HasPrefix(text, "whsk_") || strings.HasPrefix(text, "whpk_") {
		return nil, fmt.Errorf("%w: an asymmetric key", ErrSecret)
	}
	text = strings.TrimPrefix(text, secretPrefix)
	if strings.ContainsAny(text, "\r\n") { // the decoder would skip them
		return nil, fmt.Errorf("%w: a newline inside", ErrSecret)
	}
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: not standard base64", ErrSecret)
	}
	if len(key) < minKey || len(key) > maxKey {
		return nil, fmt.Errorf("%w: %d bytes, want %d to %d", ErrSecret, len(key), minKey, maxKey)
	}
	return key, nil
}

// keysOf returns the keys of one to ten secrets.
func keysOf(secrets []affiliate.Secret) ([][]byte, error) {
	if len(secrets) == 0 || len(secrets) > maxSecrets {
		return nil, fmt.Errorf("%w, not %d", ErrSecretCount, len(secrets))
	}
	keys := make([][]byte, len(secrets))
	for i, s := range secrets {
		key, err := keyOf(s)
		if err != nil {
			return nil, fmt.Errorf("secret %d: %w", i, err)
		}
		keys[i] = key
	}
	return keys, nil
}
