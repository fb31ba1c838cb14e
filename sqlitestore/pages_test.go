package sqlitestore_test

import (
	"testing"

	"github.com/tributary-go/tributary/internal/pasted"
)

// TestPages: the blocks of the page compile as pasted.
func TestPages(t *testing.T) { pasted.Build(t, map[string]string{"README.md": ""}) }
