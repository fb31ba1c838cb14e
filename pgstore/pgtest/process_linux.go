package pgtest

import (
	"os/exec"
	"runtime"
	"syscall"
)

// attributes run a program as the owner of the cluster. It ends when the thread
// that started it does.
func (c *Cluster) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: c.owner, Setpgid: true, Pdeathsig: syscall.SIGQUIT}
}

// start runs the program from a thread that lives as long as it, so that a test
// which is killed leaves no server behind.
func start(cmd *exec.Cmd) (*server, error) {
	s := &server{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(s.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	s.process = cmd.Process
	return s, nil
}
