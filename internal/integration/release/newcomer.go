package main

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed testdata/partners/main.go
var partners embed.FS

// own is the path of the newcomer's module.
const own = "example.com/newcomer"

// serverKey is the key of the server that the newcomer starts.
const serverKey = "a-key-of-the-rehearsal"

// flags are those of every go command of the newcomer. What is compiled does not name the
// temporary folder, so that the build cache has it for the next rehearsal.
const flags = "-modcacherw -trimpath"

// A newcomer is somebody with an empty folder, an empty module cache and a proxy.
type newcomer struct {
	*release
	home string // of the new module
	env  []string
}

// newcomer makes the folder of a new module. What other projects publish comes from the
// module cache of this machine, if it is there, or from the proxy that the
// environment names. Its sums are those of the go.sum files of this repository.
func (r *release) newcomer(ctx context.Context, work, proxy string) (newcomer, error) {
	settings, err := command(ctx, "", nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return newcomer{}, err
	}
	cache, others, _ := strings.Cut(strings.TrimSpace(settings), "\n")
	n := newcomer{release: r, home: filepath.Join(work, "home")}
	n.env = []string{
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" +
			filepath.ToSlash(filepath.Join(cache, "cache", "download")) + "," + others,
		"GOMODCACHE=" + filepath.Join(work, "cache"), "GOBIN=" + filepath.Join(work, "bin"),
		"GOFLAGS=" + flags, "GOWORK=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOPRIVATE=", "GONOPROXY=",
	}
	if err := os.MkdirAll(n.home, 0o755); err != nil {
		return newcomer{}, err
	}
	var sums strings.Builder
	for _, m := range r.modules {
		text, err := os.ReadFile(filepath.Join(r.dir, m.dir, "go.sum"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return newcomer{}, err
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, r.modules[0].path()) {
				sums.WriteString(line)
			}
		}
	}
	return n, n.write("go.sum", sums.String())
}

func (n newcomer) write(name, text string) error {
	to := filepath.Join(n.home, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, []byte(text), 0o644)
}

// A step is one thing that the newcomer does.
type step struct {
	name string
	do   func(context.Context) (said string, err error)
}

func (n newcomer) steps() []step {
	return []step{
		{"go mod init, go get, go mod tidy", n.begin},
		{"the program of the README", n.readme},
		{"the fake: go test ./fake", n.fake},
		{"go install …/examples/server", n.install},
		{"go run ./partners: a client and a receiver", n.talk},
		{"go get the nested modules", n.nested},
		{"a copy of every example builds", n.examples},
		{"every package and command builds", n.build},
		{"the tagged modules build from a clone", n.clone},
	}
}

func (n newcomer) run(ctx context.Context, name string, args ...string) (string, error) {
	out, err := command(ctx, n.home, n.env, name, args...)
	return strings.TrimSpace(out), err
}

// begin makes a module with the newcomer's sources and requires the root module.
func (n newcomer) begin(ctx context.Context) (string, error) {
	if _, err := n.run(ctx, "go", "mod", "init", own); err != nil {
		return "", err
	}
	said, err := n.get(ctx, n.modules[:1])
	if err != nil {
		return "", err
	}
	if err := n.sources(); err != nil {
		return "", err
	}
	_, err = n.run(ctx, "go", "mod", "tidy")
	return said, err
}

// sources writes what the newcomer has: the program of the README, the example of the
// fake with its test, both as they stand in the release, and a client with a receiver.
func (n newcomer) sources() error {
	readme, err := os.ReadFile(filepath.Join(n.dir, "README.md"))
	if err != nil {
		return err
	}
	pasted := program.FindSubmatch(readme)
	if pasted == nil {
		return errors.New("the README has no program to paste")
	}
	if err := n.write("main.go", string(pasted[1])); err != nil {
		return err
	}
	talk, err := partners.ReadFile("testdata/partners/main.go")
	if err != nil {
		return err
	}
	if err := n.write("partners/main.go", string(talk)); err != nil {
		return err
	}
	example, err := filepath.Glob(filepath.Join(n.dir, "examples/fake/*.go"))
	if err != nil || len(example) == 0 {
		return fmt.Errorf("no examples/fake: %w", err)
	}
	for _, name := range example {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		mine := strings.ReplaceAll(string(text), n.modules[0].path()+"/examples/fake", own+"/fake")
		if err := n.write("fake/"+filepath.Base(name), mine); err != nil {
			return err
		}
	}
	return nil
}

// nested requires the other modules.
func (n newcomer) nested(ctx context.Context) (string, error) { return n.get(ctx, n.modules[1:]) }

// examples copies every example of every module into the newcomer's module, as people do,
// and builds the copies. They can import only what is public.
func (n newcomer) examples(ctx context.Context) (string, error) {
	var copied []string
	for _, m := range n.modules {
		from := filepath.Join(n.dir, m.dir, "examples")
		entries, err := os.ReadDir(from)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		for _, entry := range entries {
			name := entry.Name()
			if _, err := os.Stat(filepath.Join(from, name, "go.mod")); err == nil || !entry.IsDir() {
				continue // the guides are a module, which has more requirements than the newcomer
			}
			if err := os.CopyFS(filepath.Join(n.home, "copied", m.dir, name), os.DirFS(filepath.Join(from, name))); err != nil {
				return "", err
			}
			copied = append(copied, name)
		}
	}
	if len(copied) == 0 {
		return "", errors.New("there are no examples")
	}
	_, err := n.run(ctx, "go", "build", "./copied/...")
	return strings.Join(copied, " "), err
}

// get requires modules at the version of the release.
func (n newcomer) get(ctx context.Context, modules []mod) (string, error) {
	get := []string{"get"}
	for _, m := range modules {
		get = append(get, m.path()+"@"+n.version)
	}
	if _, err := n.run(ctx, "go", get...); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(n.home, "go.mod"))
	if err != nil {
		return "", err
	}
	for _, m := range modules {
		if !strings.Contains(string(text), m.path()+" "+n.version) {
			return "", fmt.Errorf("the new module does not require %s", m.path())
		}
	}
	return fmt.Sprint(len(modules), " at ", n.version), nil
}

// The program of the README, and what the README says that it prints.
var (
	program = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")
	prints  = regexp.MustCompile("It prints `([^`]+)`")
)

// readme runs the program of the README.
func (n newcomer) readme(ctx context.Context) (string, error) {
	text, err := os.ReadFile(filepath.Join(n.dir, "README.md"))
	if err != nil {
		return "", err
	}
	want := prints.FindSubmatch(text)
	if want == nil {
		return "", errors.New("the README does not say what its program prints")
	}
	got, err := n.run(ctx, "go", "run", ".")
	if err == nil && got != string(want[1]) {
		err = fmt.Errorf("it prints %q, and the README says %q", got, want[1])
	}
	return got, err
}

func (n newcomer) fake(ctx context.Context) (string, error) {
	_, err := n.run(ctx, "go", "test", "-count=1", "./fake")
	return "", err
}

// install installs the server as the README does. Go refuses to install a program by its
// path when the go.mod of its module has a replace.
func (n newcomer) install(ctx context.Context) (string, error) {
	_, err := n.run(ctx, "go", "install", n.modules[0].path()+"/examples/server@"+n.version)
	return "", err
}

// talk starts the server and runs a program that calls it and receives its events.
func (n newcomer) talk(ctx context.Context) (said string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := exec.CommandContext(ctx, filepath.Join(filepath.Dir(n.home), "bin", "server"),
		"-addr", "127.0.0.1:0", "-demo", "-allow-private-webhooks")
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.Env = append(os.Environ(), "TRIBUTARY_KEY="+serverKey)
	out, err := server.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	defer func() {
		cancel()
		_ = server.Wait() // says that it was cancelled
	}()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url, found := strings.CutPrefix(lines.Text(), "listening on "); found {
			return n.run(ctx, "go", "run", "./partners", url, serverKey)
		}
	}
	return "", errors.New("the server did not say where it listens")
}

// build builds everything that the modules have, for the newcomer's own program.
func (n newcomer) build(ctx context.Context) (string, error) {
	build := []string{"build"}
	for _, m := range n.modules {
		build = append(build, m.path()+"/...")
	}
	_, err := n.run(ctx, "go", build...)
	return "", err
}

// clone looks at each module in a clone of its tag: it finds what it and its tests
// import, by its own go.mod and go.sum, with nothing of this machine.
func (n newcomer) clone(ctx context.Context) (string, error) {
	for _, m := range n.modules {
		dir := filepath.Join(n.dir, m.dir)
		if _, err := command(ctx, dir, append(n.env, "GOFLAGS="+flags+" -mod=readonly"), "go", "list", "-test", "-deps", "./..."); err != nil {
			return "", fmt.Errorf("%s: %w", m.tag(n.version), err)
		}
	}
	return "", nil
}
