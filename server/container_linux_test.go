package main

import (
	"bufio"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// match is what the brackets of an expression find in a text.
func match(t *testing.T, text, expression string) string {
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
// its command, and starts it as its user in a root that holds nothing else but the folder
// of the file, where alone it may write. It stops in order at SIGTERM, and is killed, and
// what it answered is there. With a database in place of the file, the health check passes
// while the database is there and fails when it has gone.
func TestContainer(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles everything anew; a release runs it")
	}
	c := newContainer(t)
	s := c.start("")
	s.leads("https://shop.example/?ref=ada")
	s.sell("order-1")
	if err := c.probe(s).Run(); err != nil {
		t.Errorf("the health check of a server that is ready: %v", err)
	}
	s.stop()
	s = c.start("")
	s.large()
	s.sell("order-2")
	s.kill()
	s = c.start("")
	s.sold("order-1", "order-2")
	backup := c.inside(append(slices.Clone(c.entrypoint), "backup", "-to", "."))
	if out, err := backup.CombinedOutput(); err != nil {
		t.Errorf("the copy: %s%v", out, err)
	}
	s.stop()

	db := newCluster(t, false)
	s = c.start(network(t, db.URL()))
	s.ada()
	if err := db.Stop(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); c.probe(s).Run() == nil; {
		if time.Now().After(deadline) {
			t.Fatal("the health check passes without a database")
		}
	}
	s.kill()

	if os.Geteuid() != 0 {
		return // the folder would not be another user's
	}
	if err := os.Chown(filepath.Join(c.root, "data"), 0, 0); err != nil {
		t.Fatal(err)
	}
	if out, err := c.inside(c.entrypoint).CombinedOutput(); err == nil || !strings.Contains(string(out), "/data/program.db") {
		t.Errorf("in a folder where it may not write: %s%v", out, err)
	}
}

// A container is a folder with the binary, and what the Dockerfile says about it.
type container struct {
	t          *testing.T
	root, file string

	entrypoint, command []string
}

// newContainer builds the binary by the command of the Dockerfile.
func newContainer(t *testing.T) *container {
	t.Helper()
	c := &container{t: t, root: t.TempDir(), file: deployed(t, "Dockerfile")}
	c.entrypoint = arguments(t, match(t, c.file, `(?m)^ENTRYPOINT (\[.*\])$`))
	c.command = arguments(t, match(t, c.file, `(?m)^CMD (\[.*\])$`))
	build := strings.ReplaceAll(match(t, c.file, `(?m)^RUN (.*go build .*)$`), "/out/server", filepath.Join(c.root, "server"))
	command := exec.CommandContext(t.Context(), "sh", "-c", build)
	command.Dir = ".." // WORKDIR, where COPY puts the repository
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	static(t, filepath.Join(c.root, "server"))
	data := filepath.Join(c.root, match(t, c.file, `(?m)^WORKDIR (/data)$`))
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		user := c.user()
		if err := errors.Join(os.Chmod(c.root, 0o755), os.Chown(data, user, user)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// user is the user of the Dockerfile, and owns the folder of the file.
func (c *container) user() int {
	c.t.Helper()
	user := match(c.t, c.file, `(?m)^USER (\d+):\d+$`)
	if owner := match(c.t, c.file, `(?m)^COPY .*--chown=(\d+):\d+ /out/data /data$`); owner != user {
		c.t.Errorf("the folder belongs to %s, the user is %s", owner, user)
	}
	id, err := strconv.Atoi(user)
	if err != nil || id == 0 {
		c.t.Fatalf("the user is %s", user)
	}
	return id
}

// inside is a command in the container: as its user, with the folder as its root. Without
// the rights for both it runs as who tests.
func (c *container) inside(args []string) *exec.Cmd {
	c.t.Helper()
	command := exec.CommandContext(c.t.Context(), filepath.Join(c.root, args[0]), args[1:]...)
	command.Dir = filepath.Join(c.root, "data")
	command.Env = []string{"SQLITE_TMPDIR=" + filepath.Join(c.root, match(c.t, c.file, `(?m)^ENV SQLITE_TMPDIR=(.*)$`))}
	if os.Geteuid() == 0 {
		id := uint32(c.user())
		command.Path, command.Dir = args[0], match(c.t, c.file, `(?m)^WORKDIR (/data)$`)
		command.Env = []string{match(c.t, c.file, `(?m)^ENV (SQLITE_TMPDIR=.*)$`)}
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: c.root, Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
	return command
}

// start starts the entrypoint, on a port that the system picks, with the variables of the
// compose file. Those without a value are not set.
func (c *container) start(store string) *runningServer {
	c.t.Helper()
	values := map[string]string{
		"TRIBUTARY_KEY": testKey, "TRIBUTARY_STORE": store, "TRIBUTARY_DESTINATION": "https://shop.example/", "TRIBUTARY_PUBLIC_URL": "https://partners.shop.example",
		"TRIBUTARY_SEAL_KEY": strings.Repeat("5e", 32), "TRIBUTARY_ERASURE_KEY": strings.Repeat("e5", 32),
	}
	args := append(slices.Clone(c.entrypoint), c.command...)
	args[len(args)-1] = strings.ReplaceAll(args[len(args)-1], match(c.t, c.file, `(?m)^EXPOSE (\d+)$`), "0")
	command := c.inside(args)
	for _, m := range regexp.MustCompile(`(?m)^ +(TRIBUTARY_\w+):(.*)$`).FindAllStringSubmatch(deployed(c.t, "compose.yaml"), -1) {
		if m[2] != "" || values[m[1]] != "" {
			command.Env = append(command.Env, m[1]+"="+values[m[1]])
		}
	}
	return started(c.t, command, syscall.SIGTERM)
}

// probe is the health check of a server.
func (c *container) probe(s *runningServer) *exec.Cmd {
	c.t.Helper()
	check := arguments(c.t, match(c.t, c.file, `(?m)^HEALTHCHECK .*CMD (\[.*\])$`))
	check[len(check)-1] = strings.ReplaceAll(check[len(check)-1], "8080", s.url[strings.LastIndex(s.url, ":")+1:])
	return c.inside(check)
}

// large makes transactions that are larger than what SQLite keeps in memory.
func (s *runningServer) large() {
	s.t.Helper()
	id := func(path, body string) string {
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(s.call("POST", "/api/v1"+path, body)), &made); err != nil {
			s.t.Fatal(err)
		}
		return made.ID
	}
	coupon := id("/coupons", `{"name":"spring","percentOff":10}`)
	grace := id("/affiliates", `{"firstName":"Grace","lastName":"H","email":"grace@example.com"}`)
	codes := `{"couponId":"` + coupon + `","affiliateId":"` + grace + `","codeStructure":{"randomChars":true},"randomCharsLength":12,"count":2000}`
	var all sync.WaitGroup
	for range 12 { // at once, so that they share commits, each behind a savepoint
		all.Go(func() {
			if status, body := s.ask(testKey, "POST", "/api/v1/promotional-codes/generate", codes); status != http.StatusOK {
				s.t.Errorf("a large transaction: %d %.200s", status, body)
			}
		})
	}
	all.Wait()
}

// leads makes an affiliate, and reports a link of hers that leads elsewhere than wanted.
func (s *runningServer) leads(want string) {
	s.t.Helper()
	s.ada()
	if got := s.call("GET", "/api/v1/links?affiliateEmail=ada@example.com", ""); !strings.Contains(got, `"`+want+`"`) {
		s.t.Errorf("the link does not lead to %s: %s", want, got)
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
	lines, _, found := strings.Cut(match(t, deployed(t, "README.md"), "(?s)```sh\n(.*?)```"), "docker ")
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
	for _, m := range regexp.MustCompile(`\$\{(\w+):\?`).FindAllStringSubmatch(deployed(t, "compose.yaml")+deployed(t, "compose.postgres.yaml"), -1) {
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

// maxMemory is what the command may take for a million rows.
const maxMemory = 256 << 20

// TestImportKilled: the command is killed twice, or TRIBUTARY_IMPORT_KILLS times, and run
// again. In the end each row is there once, and the command never took more
// than 256 MiB, whatever TRIBUTARY_IMPORT_ROWS says.
func TestImportKilled(t *testing.T) {
	rows, kills := number(t, "TRIBUTARY_IMPORT_ROWS", 4_000), number(t, "TRIBUTARY_IMPORT_KILLS", 2)
	folder := export(t, rows)
	t.Run("file", func(t *testing.T) { importKilled(t, folder, rows, kills, "-file", inFolder(t, "program.db")) })
	t.Run("database", func(t *testing.T) {
		url := database(t)
		importKilled(t, folder, rows, kills, "-store", url, "-schema", dropped(t, url, "killed"))
	})
}

func importKilled(t *testing.T, folder string, rows, kills int, place ...string) {
	var peak int64
	for i := range kills {
		memory, out := command(t, place, folder, rows*(i+1)/(kills+1), "-verify=false")
		if peak = max(peak, memory); out != "" {
			t.Errorf("run %d was over before it was killed:\n%s", i, out)
		}
	}
	memory, out := command(t, place, folder, 0, "-verify=false")
	peak = max(peak, memory)
	t.Logf("%d rows, %d kills, at most %d MiB", rows, kills, peak>>20)
	if peak > maxMemory {
		t.Errorf("%d MiB\n%s", peak>>20, out)
	}
	_, again := command(t, place, folder, 0, "-verify")
	if want := fmt.Sprintf("created:\nexisting: affiliates %d payouts ", affiliatesOf(rows)); !strings.HasPrefix(again, want) || !strings.Contains(again, fmt.Sprintf(" sales %d\n", rows)) {
		t.Errorf("the last run:\n%s", again)
	}
	if !strings.HasSuffix(again, "the books hold\n") {
		t.Errorf("the books after the last run:\n%s", again)
	}
	if want := fmt.Sprintf("stored USD: sales %d.00, refunds 0.00, commission %d.00,", 10*rows, 2*rows); !strings.Contains(again, want) {
		t.Errorf("the last run, want %s:\n%s", want, again)
	}
}

func affiliatesOf(rows int) int { return max(1, rows/1000) }

// export writes an export with so many sales, a third of them paid.
func export(t *testing.T, rows int) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, header string, n int, line func(i int) string) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out := bufio.NewWriter(f)
		fmt.Fprintln(out, header)
		for i := range n {
			fmt.Fprintln(out, line(i))
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	partners, customers := affiliatesOf(rows), max(1, rows/20)
	write("affiliates.csv", "ref,name,email,slug", partners, func(i int) string {
		return fmt.Sprintf("a%d,Partner %[1]d,p%[1]d@example.com,partner-%[1]d", i)
	})
	write("referrals.csv", "ref,email,affiliate", customers, func(i int) string {
		return fmt.Sprintf("c%d,c%[1]d@example.net,a%d", i, i%partners)
	})
	write("sales.csv", "ref,customer,total,commission,status,createdAt,paidAt,externalId", rows, func(i int) string {
		status, paid := "ACCEPTED", ""
		if i%3 == 0 {
			status, paid = "PAID", fmt.Sprintf("2025-%02d-05", 1+i/3%12)
		}
		return fmt.Sprintf("s%d,c%d,10.00,2.00,%s,2024-12-%02d,%s,ch_%d", i, i%customers, status, 1+i%28, paid, i)
	})
	same := func(fields ...string) map[string]string {
		columns := map[string]string{}
		for _, f := range fields {
			columns[f] = f
		}
		return columns
	}
	mapping, err := json.Marshal([]map[string]any{
		{"file": "affiliates.csv", "kind": "affiliates", "columns": same("ref", "name", "email", "slug")},
		{"file": "referrals.csv", "kind": "referrals", "columns": same("ref", "email", "affiliate")},
		{"file": "sales.csv", "kind": "sales", "columns": same("ref", "customer", "total", "commission", "status", "createdAt", "paidAt", "externalId")},
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "mapping.json"), mapping, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// command runs the command in a process of its own, and kills it after so many
// sales, unless that is 0. It returns the most memory that the process had, and
// what it printed.
func command(t *testing.T, place []string, folder string, killAfter int, verify string) (memory int64, out string) {
	t.Helper()
	cmd := process(t.Context(), append(append([]string{"import"}, place...), "-write", verify, folder)...)
	var stdout strings.Builder
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	killed := false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		var done string
		fmt.Sscanf(lines.Text(), "sales %s", &done)
		n, _ := strconv.Atoi(strings.ReplaceAll(done, ",", ""))
		if killAfter > 0 && n >= killAfter && !killed {
			killed = true
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, _ = io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil && !killed {
		t.Errorf("%v\n%s", err, stdout.String())
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, stdout.String()
}
