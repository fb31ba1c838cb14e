// Package scripts makes the click script of package httpapi as small as it is served.
//
//	go test -C internal/integration ./scripts -update
package scripts
