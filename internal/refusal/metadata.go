package refusal

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/tributary-go/tributary/internal/jsontext"
)

const (
	maxMetadata      = 16_384 // bytes in compact form
	maxMetadataDepth = 32
)

// validMetadata returns raw without white space, and the field error, if any.
// Metadata must be a JSON object that every store keeps unchanged: valid UTF-8,
// no lone surrogates, no U+0000, no repeated key in one object (compared after
// unescaping), at most 32 levels deep. The limit of maxMetadata has a message
// of its own and is not checked here.
func validMetadata(raw []byte) (compact []byte, bad Refusal) {
	var b bytes.Buffer
	if !utf8.Valid(raw) || json.Compact(&b, raw) != nil {
		return nil, FieldNotAnObject
	}
	compact = b.Bytes()
	r := jsontext.Reader{MaxDepth: maxMetadataDepth, Strict: true, NoZero: true}
	switch fault := r.Read(compact, nil); {
	case compact[0] != '{':
		return nil, FieldNotAnObject
	case fault == jsontext.Escape:
		return nil, FieldBadCharacters
	case fault != jsontext.OK:
		return nil, FieldNotAnObject
	}
	return compact, Refusal{}
}
