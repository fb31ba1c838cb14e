package record

import "github.com/tributary-go/tributary/internal/plaintext"

// FoldSlug returns the form under which a slug is unique and looked up.
func FoldSlug(s string) string { return plaintext.Lower(s) }

// FoldCode returns the form under which a code is unique and looked up.
func FoldCode(s string) string { return plaintext.Upper(s) }
