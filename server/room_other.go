//go:build !linux && !darwin && !freebsd

package main

import "errors"

// room is not known on this system.
func room(string) (uint64, error) { return 0, errors.ErrUnsupported }
