module github.com/tributary-go/tributary/internal/release

go 1.26.0

// This module only tests: nobody requires it, and it has no releases.

require golang.org/x/mod v0.41.0
