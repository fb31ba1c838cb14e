package uuid7

import "github.com/google/uuid"

const hexDigits = "0123456789abcdef"

// AppendJSON appends an id in quotes.
func AppendJSON(dst []byte, id uuid.UUID) []byte {
	dst = append(dst, '"')
	dst = Append(dst, id)
	return append(dst, '"')
}

// Append appends an id as its 36 characters.
func Append(dst []byte, id uuid.UUID) []byte {
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}

// AppendHex appends an id as its 32 hex digits.
func AppendHex(dst []byte, id uuid.UUID) []byte {
	for _, b := range id {
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}
