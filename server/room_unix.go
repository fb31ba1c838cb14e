//go:build linux || darwin || freebsd

package main

import "syscall"

// room returns how many bytes a user may still write in a folder.
func room(folder string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil {
		return 0, err
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize), nil
}
