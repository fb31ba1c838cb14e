package main

import (
	"bufio"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pgstore/examples/cluster"
)

// deployed is a file of the folder deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// find is what the brackets of an expression find in a text.
func find(t *testing.T, text, expression string) string {
	t.Helper()
	m := regexp.MustCompile(expression).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing is like %s", expression)
	}
	return m[1]
}

// arguments reads the exec form of a command: a list in JSON, which needs no shell.
func arguments(t *testing.T, list string) (args []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(list), &args); err != nil {
		t.Fatal(err)
	}
	return args
}

// TestContainer does what the Dockerfile says, but for the image: it builds the binary by
// its command, starts it as its user in a root that holds nothing else, and asks its
// health check while the database is there and when it has gone.
func TestContainer(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles everything anew; a release runs it")
	}
	file := deployed(t, "Dockerfile")
	root := t.TempDir()
	build := strings.ReplaceAll(find(t, file, `(?m)^RUN (.*go build .*)$`), "/out/server", filepath.Join(root, "server"))
	command := exec.CommandContext(t.Context(), "sh", "-c", build)
	command.Dir = "../../.." // WORKDIR, where COPY puts the repository
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	static(t, filepath.Join(root, "server"))

	server, err := cluster.Start(t.Context(), false)
	if cluster.Missing(err, os.Getenv("CI")) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	down := false
	defer func() {
		if !down {
			_ = server.Stop()
		}
	}()
	started := contained(t, root, file, arguments(t, find(t, file, `(?m)^ENTRYPOINT (\[.*\])$`)), network(t, server.URL()))
	lines := bufio.NewScanner(started)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "listening on http://") {
		t.Fatalf("the server says %q", lines.Text())
	}
	port := lines.Text()[strings.LastIndex(lines.Text(), ":")+1:]
	leads(t, "http://127.0.0.1:"+port, "https://shop.example/?ref=ada")
	check := arguments(t, find(t, file, `(?m)^HEALTHCHECK .*CMD (\[.*\])$`))
	check[len(check)-1] = strings.ReplaceAll(check[len(check)-1], "8080", port)
	if err := inside(t, root, file, check).Run(); err != nil {
		t.Errorf("the health check of a server that is ready: %v", err)
	}
	down = true
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); inside(t, root, file, check).Run() == nil; {
		if time.Now().After(deadline) {
			t.Fatal("the health check passes without a database")
		}
	}
}

// leads makes an affiliate, and reports a link of hers that leads elsewhere than wanted.
func leads(t *testing.T, server, want string) {
	t.Helper()
	s := &running{t: t, url: server}
	s.call("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.com","affiliateLink":"ada"}`)
	if got := s.call("GET", "/api/v1/links?affiliateEmail=ada@example.com", ""); !strings.Contains(got, `"`+want+`"`) {
		t.Errorf("the link does not lead to %s: %s", want, got)
	}
}

// TestSettings runs the lines of the page that make the settings: nobody else can read the
// file, and it has every variable that the compose file asks for.
func TestSettings(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("SKIPPED: the page makes keys with openssl")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "deploy"), 0o755); err != nil {
		t.Fatal(err)
	}
	lines, _, found := strings.Cut(find(t, deployed(t, "README.md"), "(?s)```sh\n(.*?)```"), "docker ")
	if !found {
		t.Fatal("the page does not start compose")
	}
	command := exec.CommandContext(t.Context(), "sh", "-euc", lines)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := os.ReadFile(filepath.Join(dir, "deploy", ".env"))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "deploy", ".env")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, error %v", info.Mode(), err)
	}
	for _, m := range regexp.MustCompile(`\$\{(\w+):\?`).FindAllStringSubmatch(deployed(t, "compose.yaml"), -1) {
		if !regexp.MustCompile(`(?m)^` + m[1] + `=\S{20,}$`).Match(made) {
			t.Errorf("the page sets no %s:\n%s", m[1], made)
		}
	}
}

// network returns the URL of a database, which listens on a socket outside the root of
// the container, as compose has it: over TCP.
func network(t *testing.T, store string) string {
	t.Helper()
	at, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			to, err := net.Dial("unix", filepath.Join(at.Query().Get("host"), ".s.PGSQL.5432"))
			if err != nil {
				_ = from.Close()
				continue
			}
			go pass(from, to)
			go pass(to, from)
		}
	}()
	return "postgres://" + at.Query().Get("user") + "@" + listener.Addr().String() + at.Path + "?sslmode=disable"
}

// pass copies until an end is closed, and closes both.
func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}

// static reports a binary that needs a loader or libraries, which scratch does not have.
func static(t *testing.T, name string) {
	t.Helper()
	file, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			t.Error("the binary needs a loader")
		}
	}
	if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the binary needs %v, error %v", libraries, err)
	}
}

// inside is a command in the container: as the user of the Dockerfile, with the folder
// as its root. Without the rights for both it runs as who tests.
func inside(t *testing.T, root, file string, args []string) *exec.Cmd {
	t.Helper()
	user := find(t, file, `(?m)^USER (\d+):\d+$`)
	id, err := strconv.ParseUint(user, 10, 32)
	if err != nil || id == 0 {
		t.Fatalf("the user is %s", user)
	}
	command := exec.CommandContext(t.Context(), filepath.Join(root, args[0]), args[1:]...)
	command.Env = []string{}
	if os.Geteuid() == 0 {
		if err := os.Chmod(root, 0o755); err != nil {
			t.Fatal(err)
		}
		command.Path, command.Dir = args[0], "/"
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
	}
	return command
}

// contained starts the entrypoint, on a port that the system picks, with the variables of
// the compose file.
func contained(t *testing.T, root, file string, args []string, store string) *os.File {
	t.Helper()
	compose := deployed(t, "compose.yaml")
	values := map[string]string{"TRIBUTARY_KEY": testKey, "TRIBUTARY_STORE": store, "TRIBUTARY_DESTINATION": "https://shop.example/", "TRIBUTARY_SEAL_KEY": strings.Repeat("5e", 32), "TRIBUTARY_ERASURE_KEY": strings.Repeat("e5", 32)}
	args[len(args)-1] = strings.ReplaceAll(args[len(args)-1], find(t, file, `(?m)^EXPOSE (\d+)$`), "0")
	command := inside(t, root, file, args)
	for _, m := range regexp.MustCompile(`(?m)^ +(TRIBUTARY_\w+):`).FindAllStringSubmatch(compose, -1) {
		command.Env = append(command.Env, fmt.Sprintf("%s=%s", m[1], values[m[1]]))
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = in, t.Output()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
		_ = out.Close()
	})
	return out
}
