//go:build !linux

package sqlitestore_test

import "errors"

func limitFiles(uint64) error { return errors.ErrUnsupported }
