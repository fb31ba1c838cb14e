module github.com/tributary-go/tributary/internal/languages

go 1.26.0

// This module only tests: nobody requires it, and it has no releases.

// The root module lies next to this one, so that a clone builds without a tag.
replace github.com/tributary-go/tributary => ../../

require github.com/tributary-go/tributary v0.0.0

require github.com/google/uuid v1.6.0 // indirect
