module github.com/tributary-go/tributary/webhooks/interop

go 1.26

// This module only tests: nobody requires it, and it has no releases.

require (
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
	github.com/svix/svix-webhooks v1.44.0
	github.com/tributary-go/tributary v0.0.0
)

require (
	github.com/google/uuid v1.6.0 // indirect
	gopkg.in/validator.v2 v2.0.1 // indirect
)

replace github.com/tributary-go/tributary => ../..
