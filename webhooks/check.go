package webhooks

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// pieceSize is the number of bytes of a body that go through one hash before
// the next hash gets them: few enough to stay in the processor's cache.
const pieceSize = 32 << 10

// A check is the verification of one request. It begins with the headers, takes
// the body in pieces, in one pass for all secrets, and ends once.
type check struct {
	envelope
	ring *keyring
	macs [maxSecrets]*mac
}

// begin checks the headers and the time. After an error, end and drop must not
// be called.
func (c *check) begin(v *Verifier, h http.Header) (err error) {
	if c.ring, err = v.keys.of(v.Secrets); err != nil {
		return err
	}
	if v.Tolerance < 0 {
		return ErrTolerance
	}
	if err := c.envelope.read(h); err != nil {
		return err
	}
	if err := v.inWindow(c.at); err != nil {
		return err
	}
	for i := range c.ring.macs {
		c.macs[i] = c.ring.get(i)
		c.macs[i].begin(c.id, c.at)
	}
	return nil
}

// write adds the next piece of the body.
func (c *check) write(body []byte) {
	for len(body) > 0 {
		piece := body[:min(len(body), pieceSize)]
		body = body[len(piece):]
		for i := range c.ring.macs {
			c.macs[i].hash.Write(piece)
		}
	}
}

// end checks whether one of the signatures was made with one of the secrets.
func (c *check) end() (Proof, error) {
	defer c.drop()
	for i := range c.ring.macs {
		if c.signedWith(c.macs[i].signature()) {
			return Proof{ID: c.id, At: c.at, Secret: i}, nil
		}
	}
	return Proof{}, ErrSignature
}

// drop gives the hashes back.
func (c *check) drop() {
	for i := range c.ring.macs {
		c.ring.put(i, c.macs[i])
	}
}

// signedWith reports whether one of the entries is the signature. The time that
// it takes reveals nothing about the signature.
func (e *envelope) signedWith(want []byte) bool {
	found := 0
	for entry := range e.entries {
		found |= sameSignature(want, entry)
	}
	return found == 1
}

// mayHold reports whether one of the entries has the form of a signature.
// Otherwise the body need not be read.
func (e *envelope) mayHold() bool {
	for entry := range e.entries {
		if wellFormed(entry) {
			return true
		}
	}
	return false
}

// entries yields the signatures of all lines one by one. In lines that a proxy
// merged, a comma stands before the space.
func (e *envelope) entries(yield func(string) bool) {
	for _, line := range e.signatures {
		for more := true; more; {
			var entry string
			if entry, line, more = strings.Cut(line, " "); more {
				entry = strings.TrimSuffix(entry, ",")
			}
			if !yield(entry) {
				return
			}
		}
	}
}

// wellFormed reports whether an entry has this scheme, and the length and the
// alphabet of its signatures.
func wellFormed(entry string) bool {
	text, v1 := strings.CutPrefix(entry, scheme)
	if !v1 || len(text) != encodedMAC || text[encodedMAC-1] != '=' {
		return false
	}
	for i := range encodedMAC - 1 {
		if c := text[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '+' && c != '/' {
			return false
		}
	}
	return true
}

// sameSignature is 1 when the entry is "v1," and the signature, and 0
// otherwise. It compares the texts, so another spelling of the same bytes is
// not accepted.
func sameSignature(want []byte, entry string) int {
	text, v1 := strings.CutPrefix(entry, scheme)
	if !v1 || len(text) != encodedMAC {
		return 0
	}
	var got [encodedMAC]byte
	copy(got[:], text)
	return subtle.ConstantTimeCompare(want, got[:])
}
