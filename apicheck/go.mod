module github.com/tributary-go/tributary/apicheck

go 1.26

require (
	github.com/getkin/kin-openapi v0.152.0
	github.com/google/uuid v1.6.0
	github.com/tributary-go/tributary v0.0.0
)

replace github.com/tributary-go/tributary => ../
