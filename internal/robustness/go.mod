module github.com/tributary-go/tributary/internal/robustness

go 1.26.0

// This module only tests: nobody requires it, and it has no releases.
replace (
	github.com/tributary-go/tributary => ../../
	github.com/tributary-go/tributary/pgstore => ../../pgstore
)

require (
	github.com/anishathalye/porcupine v1.3.0
	github.com/google/uuid v1.6.0
	github.com/tributary-go/tributary v0.0.0-00010101000000-000000000000
)

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
)
