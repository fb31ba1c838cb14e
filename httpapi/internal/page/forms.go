package page

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"
	"time"
)

// The hours for which a form may be sent after it was made.
const formHours = 12

// Forms makes and checks the tokens of forms. A token proves that these pages made the
// form, for the same actor, program and path.
type Forms struct{ key []byte }

// NewForms returns Forms under a key of at least 32 bytes, for a purpose. Without a key
// it makes one, and then only this process accepts its tokens.
func NewForms(key []byte, purpose string) (Forms, error) {
	if len(key) == 0 {
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails
	}
	derived, err := hkdf.Key(sha256.New, key, nil, purpose, 32)
	return Forms{derived}, err
}

// Token returns the token of a form that is made at a time, about these things.
func (f Forms) Token(at time.Time, about ...string) string {
	return f.sealed(at.Unix()/3600, about)
}

// Valid reports whether a token is for these values and was made at most 12 hours ago.
// It takes the same time for every wrong token.
func (f Forms) Valid(now time.Time, token string, about ...string) bool {
	made, _, _ := strings.Cut(token, ".")
	hour, err := strconv.ParseInt(made, 36, 64)
	same := hmac.Equal([]byte(f.sealed(hour, about)), []byte(token))
	age := now.Unix()/3600 - hour
	return same && err == nil && age >= 0 && age <= formHours
}

// Old reports whether a token was for these values and is too old.
func (f Forms) Old(now time.Time, token string, about ...string) bool {
	made, _, _ := strings.Cut(token, ".")
	hour, err := strconv.ParseInt(made, 36, 64)
	same := hmac.Equal([]byte(f.sealed(hour, about)), []byte(token))
	return same && err == nil && now.Unix()/3600-hour > formHours
}

// Once returns a token that knows its minute, for what is said once, on the page behind an action.
func (f Forms) Once(at time.Time, about ...string) string {
	minute := strconv.FormatInt(at.Unix()/60, 36)
	return minute + "~" + f.Token(at, append(about, minute)...)
}

// Told reports whether a token of [Forms.Once] is valid for these values, and whether it is new: of
// this minute or the one
// before, so that a page that is loaded again later does not say it again.
func (f Forms) Told(now time.Time, once string, about ...string) (valid, isNew bool) {
	minute, token, _ := strings.Cut(once, "~")
	made, err := strconv.ParseInt(minute, 36, 64)
	valid = f.Valid(now, token, append(about, minute)...)
	return valid, valid && err == nil && now.Unix()/60-made <= 1
}

func (f Forms) sealed(hour int64, about []string) string {
	mac := hmac.New(sha256.New, f.key)
	var n [8]byte
	write := func(v uint64) { binary.BigEndian.PutUint64(n[:], v); mac.Write(n[:]) }
	write(uint64(hour))
	for _, text := range about {
		write(uint64(len(text)))
		mac.Write([]byte(text))
	}
	return strconv.FormatInt(hour, 36) + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Digest returns what a page showed, in short.
func Digest(shown ...string) string {
	sum := sha256.New()
	for _, text := range shown {
		sum.Write(binary.AppendUvarint(nil, uint64(len(text))))
		sum.Write([]byte(text))
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16])
}

// Nonce returns a text that nobody else has: the key under which one form is done once.
func Nonce() string { return rand.Text() }

// IsNonce reports whether a text may be one.
func IsNonce(text string) bool {
	return text != "" && len(text) <= 64 &&
		!strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
