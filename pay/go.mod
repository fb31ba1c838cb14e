module github.com/tributary-go/tributary/pay

go 1.26.0

// The root module lies next to this one, so that a clone builds without a tag.
// The release step drops the line and requires the tag instead: a published
// go.mod has no replace.
replace github.com/tributary-go/tributary => ../

require github.com/tributary-go/tributary v0.0.0-00010101000000-000000000000

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/uuid v1.6.0
)

require (
	github.com/golang-jwt/jwt/v5 v5.3.1
	github.com/hashicorp/go-retryablehttp v0.7.8
	pgregory.net/rapid v1.3.0
)

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
