package importer

import "crypto/sha256"

// shortOf returns 16 bytes that stand for a ref.
func shortOf(ref string) (short [16]byte) {
	sum := sha256.Sum256([]byte(ref))
	copy(short[:], sum[:])
	return short
}
