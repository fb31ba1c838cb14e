module github.com/tributary-go/tributary/httpapi/browsertest

go 1.26.0

// This module only tests: nobody requires it, and it has no releases.

// The root module lies next to this one, so that a clone builds without a tag.
replace github.com/tributary-go/tributary => ../../

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/google/go-cmp v0.7.0
	github.com/google/uuid v1.6.0
	github.com/tributary-go/tributary v0.0.0-00010101000000-000000000000
)

require github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
