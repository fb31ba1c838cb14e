//go:build unix && !linux

package pgtest

import (
	"os/exec"
	"syscall"
)

// attributes run a program as the owner of the cluster.
func (c *Cluster) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: c.owner, Setpgid: true}
}

// start runs the program.
func start(cmd *exec.Cmd) (*server, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{process: cmd.Process, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(s.done)
	}()
	return s, nil
}
