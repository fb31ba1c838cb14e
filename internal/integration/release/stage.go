package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A release is a clone of the repository that gets the commit and the tags.
type release struct {
	dir     string
	version string
	modules []mod
	dirty   bool // it has what is not committed
}

// stage clones a repository and brings the clone to the files of its working tree.
func stage(ctx context.Context, repository, dir string) (*release, error) {
	status, err := command(ctx, repository, nil, "git", "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if _, err := command(ctx, "", nil, "git", "clone", "-q", "--shared", repository, dir); err != nil {
		return nil, err
	}
	r := &release{dir: dir, dirty: status != ""}
	if r.dirty {
		if err := overlay(ctx, repository, dir); err != nil {
			return nil, err
		}
	}
	changelog, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	if r.version, err = versionOf(string(changelog)); err != nil {
		return nil, err
	}
	r.modules, err = modules(dir)
	return r, err
}

// overlay copies what is not committed into a clone: files that git would add, and
// files that are gone.
func overlay(ctx context.Context, repository, dir string) error {
	list, err := command(ctx, repository, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		if err := copyFile(filepath.Join(repository, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a file. A file that is gone is removed from the copy.
func copyFile(from, to string) error {
	source, err := os.Open(from)
	if os.IsNotExist(err) {
		return os.RemoveAll(to)
	}
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		_ = target.Close()
		return err
	}
	return target.Close()
}

// tag commits the release module by module, makes the tags, and writes the proxy. A
// module's go.sum has the sums of the modules of this repository that it requires, so
// they are committed first.
func (r *release) tag(ctx context.Context, proxy string) error {
	var sums strings.Builder
	for _, m := range r.modules {
		if err := m.publish(r.dir, r.version, r.modules); err != nil {
			return err
		}
		if err := r.addSums(m, sums.String()); err != nil {
			return err
		}
		if err := r.commit(ctx, "release "+m.tag(r.version)); err != nil {
			return err
		}
		of, err := serve(proxy, r.dir, m, r.version)
		if err != nil {
			return err
		}
		sums.WriteString(of)
	}
	for _, m := range r.modules {
		if _, err := command(ctx, r.dir, nil, "git", "tag", m.tag(r.version)); err != nil {
			return err
		}
	}
	return nil
}

// addSums adds the lines of go.sum about what a module requires of this repository.
func (r *release) addSums(m mod, sums string) error {
	name := filepath.Join(r.dir, m.dir, "go.sum")
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for line := range strings.Lines(sums) {
		about, _, _ := strings.Cut(line, " ")
		for _, required := range m.file.Require {
			if required.Mod.Path == about {
				text = append(text, line...)
			}
		}
	}
	if len(text) == 0 {
		return nil
	}
	return os.WriteFile(name, text, 0o644)
}

// commit commits everything, also when nothing changed.
func (r *release) commit(ctx context.Context, message string) error {
	if _, err := command(ctx, r.dir, nil, "git", "add", "-A"); err != nil {
		return err
	}
	author := []string{"-c", "user.name=release", "-c", "user.email=release@tributary.invalid",
		"-c", "commit.gpgsign=false"}
	_, err := command(ctx, r.dir, nil, "git", append(author, "commit", "-q", "--allow-empty", "-m", message)...)
	return err
}

// command runs a program in a folder, with variables beside those of this process, and
// returns what it prints. Its error has what it said.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, said.String())
	}
	return string(out), nil
}
