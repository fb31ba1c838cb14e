package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/httpapi/app"
)

// TestNewcomer: the commands of the README start the program in an empty folder and record
// a sale. It is killed and started again: the sale is there, the console asks for a key,
// and a copy of the file, made beside the server, has the sale too.
func TestNewcomer(t *testing.T) {
	readme := repository(t, "server/README.md")
	command := regexp.MustCompile(`(?m)^go run -C server \. (-file) "\$PWD/(.*)"$`).FindStringSubmatch(readme)
	calls := regexp.MustCompile("(?s)```sh\n(curl .*?)```").FindStringSubmatch(readme)
	if command == nil || calls == nil {
		t.Fatal("the README has no commands")
	}
	t.Chdir(t.TempDir())
	s := spawn(t, command[1:]...)
	curl := exec.CommandContext(t.Context(), "sh", "-euc", strings.ReplaceAll(calls[1], "http://127.0.0.1:8080", s.url))
	curl.Env = append(os.Environ(), "TRIBUTARY_KEY="+testKey)
	if out, err := curl.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.kill()

	s = spawn(t) // on the same file, the default one
	s.sold("order-1042")
	s.call("POST", "/api/v1/sales", sale("order-1042")) // again, as who has no answer does
	s.sold("order-1042")
	if status, page := s.ask("", "GET", "/console/", ""); status != http.StatusForbidden || !strings.Contains(page, `type="password"`) {
		t.Errorf("the console: %d %s", status, page)
	}
	if status, page := s.ask("", "GET", "/partner/", ""); !strings.Contains(page, "<html") {
		t.Errorf("the pages for affiliates: %d %s", status, page)
	}
	out, err := process(t.Context(), "backup", "-to", ".").CombinedOutput()
	copied, _, found := strings.Cut(string(out), " is a copy of ")
	if err != nil || !found {
		t.Fatalf("%s%v", out, err)
	}
	s.stop()
	if out, err := process(t.Context(), "restore", copied, "copy.db").CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}

	s = spawn(t, "-file", "copy.db")
	defer s.stop()
	s.sold("order-1042")
}

// TestWithoutKey: the link that a server without a key prints begins a program in another currency,
// whose key opens it also when the server starts again, which prints no link then.
func TestWithoutKey(t *testing.T) {
	file := inFolder(t, "shop.db")
	s := launchKeyless(t, nothing, "-file", file)
	link := regexp.MustCompile(`\nhttp\S+/console/begin\?token=(\S{43})\n`).FindStringSubmatch(s.said.String())
	if link == nil {
		t.Fatalf("no link:\n%s", s.said)
	}
	form := url.Values{"token": {link[1]}, "name": {"Beans"}, "currency": {"EUR"}, "timeZone": {"Europe/Berlin"},
		"destinations": {"https://beans.example/"}, "commissionRate": {"20"}, "email": {"ada@beans.example"}}
	res, err := http.PostForm(s.url+"/console/begin", form)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	key := regexp.MustCompile(`tributary_\w{43}`).FindString(string(page))
	if err != nil || key == "" {
		t.Fatalf("%d %v\n%s", res.StatusCode, err, page)
	}
	s.stop()

	s = launchKeyless(t, nothing, "-file", file)
	defer s.stop()
	if strings.Contains(s.said.String(), "begin?token") || strings.Contains(s.said.String(), key) {
		t.Errorf("it says\n%s", s.said)
	}
	if status, program := s.ask(key, "GET", "/api/v1/program", ""); status != http.StatusOK || !strings.Contains(program, `"currency":"EUR"`) {
		t.Errorf("the program: %d %s", status, program)
	}
}

// TestCommandLine: the command of the client works against the server on a file.
func TestCommandLine(t *testing.T) {
	s := launch(t, "-file", inFolder(t, "program.db"))
	defer s.stop()
	s.ada()
	s.sell("order-1")
	cmd := exec.CommandContext(t.Context(), "go", "run", "-C", "..", "./client/cmd/tributary", "sales", "list", "--json")
	cmd.Env = append(os.Environ(), "TRIBUTARY_URL="+s.url, "TRIBUTARY_KEY="+testKey)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "order-1") {
		t.Errorf("%s%v", out, err)
	}
}

// TestTwoRuns: a server started again knows what the first one stored, in a file and in a
// database, and each sale is delivered to a receiver on this machine.
func TestTwoRuns(t *testing.T) {
	t.Run("file", func(t *testing.T) { twoRuns(t, "-file", inFolder(t, "program.db")) })
	t.Run("database", func(t *testing.T) {
		url := database(t)
		twoRuns(t, "-store", url, "-schema", dropped(t, url, "server"))
	})
}

func twoRuns(t *testing.T, place ...string) {
	delivered := make(chan string, 2)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		delivered <- string(body)
	}))
	defer receiver.Close()
	orders := []string{"order-1", "order-2"}
	for i, order := range orders {
		s := launch(t, append(place, "-allow-private-webhooks")...)
		if i == 0 {
			s.ada()
			s.call("POST", "/api/v1/webhooks", `{"url":"`+receiver.URL+`","events":["sale.created"]}`)
		}
		s.sell(order)
		if got := <-delivered; !strings.Contains(got, order) {
			t.Errorf("delivered %s, want %s", got, order)
		}
		s.call("POST", "/api/affiliates/add-click", `{"programId":"`+app.ProgramID+`","referralCode":"ada"}`)
		s.sold(orders[:i+1]...)
		if status, body := s.ask("", "GET", "/api/v1/x/../sales", ""); status != http.StatusNotFound {
			t.Errorf("a path with .. in it: %d %s", status, body)
		}
		s.stop()
	}
}

// TestTwoServers: two servers on one file see each other's sales, and an order that both
// report counts once.
func TestTwoServers(t *testing.T) {
	path := inFolder(t, "program.db")
	a, b := spawn(t, "-file", path), spawn(t, "-file", path)
	a.ada()
	a.sell("order-1")
	b.sell("order-2")
	done := make(chan int, 20)
	for i := range cap(done) {
		go func() {
			status, _ := []*runningServer{a, b}[i%2].ask(testKey, "POST", "/api/v1/sales", sale("order-3"))
			done <- status
		}()
	}
	for range cap(done) {
		if status := <-done; status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	a.kill()
	b.sold("order-1", "order-2", "order-3")
	b.stop()
}

// TestStoreDown: a wrong key and a refused code change nothing. While the database is
// down, the answers say so and nothing of the inside; the same server goes on with it, and
// the order that was sent again counts once.
func TestStoreDown(t *testing.T) {
	db := newCluster(t, true)
	s := launch(t, "-store", db.URL())
	defer s.stop()
	s.ada()
	if status, body := s.ask("another-key-of-this-suite", "POST", "/api/v1/sales", sale("order-1")); status != 401 {
		t.Errorf("a wrong key: %d %s", status, body)
	}
	if status, body := s.ask(testKey, "POST", "/api/v1/sales", `{"promoCode":"NONE","totalEarned":50}`); status != 400 || !strings.Contains(body, "Promo code not found") {
		t.Errorf("a code that does not exist: %d %s", status, body)
	}

	if err := db.Kill(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/api/v1/sales": 500, "/readyz": 503, "/healthz": 200} {
		method, body := "GET", ""
		if path == "/api/v1/sales" {
			method, body = "POST", sale("order-1")
		}
		status, text := s.ask(testKey, method, path, body)
		if status != want || strings.Contains(text, "postgres") || strings.Contains(text, db.Dir()) {
			t.Errorf("%s without a database: %d %s", path, status, text)
		}
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, body := s.ask(testKey, "POST", "/api/v1/sales", sale("order-1"))
	for tries := 0; status == 500 && tries < 10; tries++ { // connections of before are broken
		status, body = s.ask(testKey, "POST", "/api/v1/sales", sale("order-1"))
	}
	if status != 200 {
		t.Errorf("with the database again: %d %s", status, body)
	}
	s.ask(testKey, "POST", "/api/v1/sales", sale("order-1"))
	s.sold("order-1")
}

// TestRole runs role.sh as the image of PostgreSQL does, but for the name of the role,
// which is the superuser's here, and starts the server as the role that it makes: it
// can make its tables, and it is no superuser.
func TestRole(t *testing.T) {
	if os.Getenv("TRIBUTARY_TEST_DATABASE_URL") != "" {
		t.Skip("SKIPPED: role.sh makes a role, so it wants a server of its own")
	}
	at, err := url.Parse(database(t))
	if err != nil {
		t.Fatal(err)
	}
	q := at.Query()
	if _, err := exec.LookPath("psql"); err != nil {
		t.Skip("SKIPPED: role.sh needs psql")
	}
	script, err := os.ReadFile("../deploy/role.sh")
	if err != nil {
		t.Fatal(err)
	}
	const role = "lowly"
	command := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(string(script), "tributary", role))
	command.Env = append(os.Environ(), "TRIBUTARY_DATABASE_PASSWORD=it's-a-password", "POSTGRES_USER="+q.Get("user"), "PGHOST="+q.Get("host"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	q.Set("user", role)
	q.Set("password", "it's-a-password")
	at.Path, at.RawQuery = "/"+role, q.Encode()
	s := launch(t, "-store", at.String())
	defer s.stop()
	s.call("POST", "/api/v1/coupons", `{"name":"spring","percentOff":10}`)
	conn, err := pgx.Connect(t.Context(), at.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var mighty, others bool
	row := conn.QueryRow(t.Context(), `SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls,
		EXISTS (SELECT FROM pg_database, aclexplode(datacl) WHERE datname = current_database() AND grantee = 0) FROM pg_roles WHERE rolname = current_user`)
	if err := row.Scan(&mighty, &others); err != nil || mighty || others {
		t.Errorf("the role may do more than it must: %t; everybody may connect: %t; %v", mighty, others, err)
	}
}

// deployed is a file of the folder deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	return repository(t, filepath.Join("deploy", name))
}

func repository(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCompose: the server's role in the database is not the superuser's, no secret has a
// default, a variable that is not set does not reach the server empty, and a release looks
// for the digests of all images.
func TestCompose(t *testing.T) {
	file, database := deployed(t, "compose.yaml"), deployed(t, "compose.postgres.yaml")
	store := regexp.MustCompile(`TRIBUTARY_STORE: postgres://(\w+):\$\{(\w+)\}`).FindStringSubmatch(database)
	super := regexp.MustCompile(`POSTGRES_USER: (\w+)`).FindStringSubmatch(database)
	if store == nil || super == nil || store[1] == super[1] || store[2] == "POSTGRES_PASSWORD" {
		t.Errorf("the server connects as %v, the superuser is %v", store, super)
	}
	for _, name := range []string{"TRIBUTARY_KEY", "TRIBUTARY_SEAL_KEY", "TRIBUTARY_ERASURE_KEY", "TRIBUTARY_PUBLIC_URL"} {
		asked(t, file, name)
	}
	for _, name := range []string{"POSTGRES_PASSWORD", "TRIBUTARY_DATABASE_PASSWORD"} {
		asked(t, database, name)
	}
	if !regexp.MustCompile(`(?m)^ +TRIBUTARY_STORE:$`).MatchString(file) {
		t.Error("TRIBUTARY_STORE is not passed on as it is")
	}
	if check := regexp.MustCompile(`(?m)^\.ci/images -check$`); !check.MatchString(repository(t, ".ci/release")) {
		t.Error("a release does not look for the digests")
	}
	if files := regexp.MustCompile(`(?m)^files="deploy/Dockerfile deploy/compose.postgres.yaml"$`); !files.MatchString(repository(t, ".ci/images")) {
		t.Error(".ci/images does not look at all files with images")
	}
}

// asked reports a variable without which a compose file starts.
func asked(t *testing.T, compose, name string) {
	t.Helper()
	if !regexp.MustCompile(`\b` + name + `: \$\{` + name + `:\?`).MatchString(compose) {
		t.Errorf("%s is not asked for", name)
	}
}

// TestRefused: what cannot work ends at once and says why, shows no password, and makes no
// file, so that a program never begins anew because a name is wrong.
func TestRefused(t *testing.T) {
	const secret = "hunter2"
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("text.db", strings.Repeat("no database, but long enough for a header of one. ", 100))
	made(t, "good.db", "")
	made(t, "newer.db", "INSERT INTO tributary_migrations (version_id, is_applied) VALUES (99, 1);")
	down := "postgres://nobody:" + secret + "@127.0.0.1:1/none"
	before := files(t)
	for _, row := range []struct {
		name      string
		args      []string
		variables map[string]string
		code      int
		want      string
	}{
		{"no folder", []string{"-file", "none/program.db"}, nil, 1, "none/program.db: no such file or directory"},
		{"a folder", []string{"-file", "."}, nil, 1, "is a directory"},
		{"no database", []string{"-file", "text.db"}, nil, 1, "not a database"},
		{"a newer file", []string{"-file", "newer.db"}, nil, 1, "a newer version"},
		{"empty flag", []string{"-file", ""}, nil, 1, "-file is set and empty"},
		{"empty flag of a database", []string{"-store", ""}, nil, 1, "-store is set and empty"},
		{"empty variable", nil, map[string]string{fileVariable: ""}, 1, "TRIBUTARY_FILE is set and empty"},
		{"empty variable of a database", nil, map[string]string{storeVariable: ""}, 1, "TRIBUTARY_STORE is set and empty"},
		{"two flags", []string{"-file", "program.db", "-store", down}, nil, 1, "-file and -store are both set"},
		{"two variables", nil, map[string]string{fileVariable: "program.db", storeVariable: down}, 1, "TRIBUTARY_FILE and TRIBUTARY_STORE are both set"},
		{"an empty one beside a flag", []string{"-file", "none/program.db"}, map[string]string{storeVariable: ""}, 1, "none/program.db"},
		{"a URL as a file", []string{"-file", down}, nil, 1, "-file: it is no path"},
		{"a file as a database", []string{"-store", "program.db"}, nil, 1, "-store: it is no connection string"},
		{"a broken URL", []string{"-store", "postgres://u:" + secret + "%zz@h/d"}, nil, 1, "-store: it is no connection string"},
		{"a URL with a slash in its password", []string{"-store", "postgres://u:" + secret + "/x@h/d"}, nil, 1, "-store: it is no connection string"},
		{"a broken port", []string{"-store", "host=h port=" + secret + " password=" + secret}, nil, 1, "-store: it is no connection string"},
		{"database down", []string{"-store", down}, nil, 1, "127.0.0.1:1"},
		{"database of a variable down", nil, map[string]string{storeVariable: down}, 1, "127.0.0.1:1"},
		{"no schema", []string{"-store", down, "-schema", "a b"}, nil, 1, "Config.Schema"},
		{"-normal of a database", []string{"-store", down, "-normal"}, nil, 1, "-normal is for a file"},
		{"copy of a database", []string{"backup", "-store", down, "-to", "."}, nil, 1, "pg_dump"},
		{"copy of nothing", []string{"backup", "-to", "."}, nil, 1, "there is no program"},
		{"copy to nowhere", []string{"backup", "-file", "good.db"}, nil, 1, "name the folder with -to"},
		{"copy to a folder in one that is not there", []string{"backup", "-file", "good.db", "-to", "none/copies"}, nil, 1, "none/copies: no such file"},
		{"copy to a file", []string{"backup", "-file", "good.db", "-to", "text.db"}, nil, 1, "text.db/"},
		{"fewer copies than none", []string{"backup", "-file", "good.db", "-to", ".", "-keep", "-1"}, nil, 1, "-keep is below 0"},
		{"help of backup", []string{"backup", "-h"}, nil, 0, "-keep"},
		{"an empty secret", nil, map[string]string{"TRIBUTARY_STRIPE_SECRET": ""}, 1, "TRIBUTARY_STRIPE_SECRET is set and empty"},
		{"an API key as a secret", nil, map[string]string{"TRIBUTARY_STRIPE_SECRET": "sk_live_" + secret}, 1, "TRIBUTARY_STRIPE_SECRET: pay: configuration refused: a secret does not begin with whsec_"},
		{"a secret that is no base64", nil, map[string]string{"TRIBUTARY_GENERIC_SECRET": secret}, 1, "TRIBUTARY_GENERIC_SECRET: "},
		{"a secret of nobody", nil, map[string]string{"TRIBUTARY_STRIP_SECRET": secret}, 1, "TRIBUTARY_STRIP_SECRET is no variable of the server; the secrets of payment providers are TRIBUTARY_STRIPE_SECRET, "},
		{"an option of nobody", nil, map[string]string{"TRIBUTARY_POLAR_SECRET": secret, "TRIBUTARY_POLAR_TEST": "true"}, 1, "TRIBUTARY_POLAR_TEST is no variable"},
		{"an option of one that is off", nil, map[string]string{"TRIBUTARY_SHOPIFY_SHOP": "a.myshopify.com"}, 1, "TRIBUTARY_SHOPIFY_SHOP is set without TRIBUTARY_SHOPIFY_SECRET"},
		{"an old secret alone", nil, map[string]string{"TRIBUTARY_PADDLE_OLD_SECRET": secret}, 1, "TRIBUTARY_PADDLE_OLD_SECRET is set without TRIBUTARY_PADDLE_SECRET"},
		{"an empty option", nil, map[string]string{"TRIBUTARY_SHOPIFY_SECRET": secret, "TRIBUTARY_SHOPIFY_SHOP": ""}, 1, "TRIBUTARY_SHOPIFY_SHOP is set and empty"},
		{"neither true nor false", nil, map[string]string{"TRIBUTARY_CREEM_SECRET": secret, "TRIBUTARY_CREEM_TEST": "yes"}, 1, "TRIBUTARY_CREEM_TEST must be true or false"},
		{"a shop that cannot be", nil, map[string]string{"TRIBUTARY_WOOCOMMERCE_SECRET": secret, "TRIBUTARY_WOOCOMMERCE_SHOP": "EU"}, 1, "TRIBUTARY_WOOCOMMERCE_SHOP: pay: configuration refused: Shop"},
		{"a key of checkouts that is none", nil, map[string]string{carryKeysVariable: secret}, 1, "TRIBUTARY_CARRY_KEYS must have 64 hex digits"},
		{"two programs", []string{"-key", testKey, "-key", testKey + "2"}, nil, 1, "a store that lasts has one program"},
		{"unknown flag", []string{"-nothing"}, nil, 2, "-nothing"},
		{"argument", []string{"here"}, nil, 2, `unexpected argument "here"`},
		{"help", []string{"-h"}, nil, 0, "-store"},
		{"import without a folder", []string{"import"}, nil, 2, "name the folder"},
		{"import from a folder that is not there", []string{"import", "export"}, nil, 1, "import: "},
		{"import into a database that is down", []string{"import", "-store", down, "export"}, nil, 1, "127.0.0.1:1"},
		{"import into nothing", []string{"import", "-store", "", "export"}, nil, 2, "-store is set and empty"},
		{"help of import", []string{"import", "-h"}, nil, 0, "-discount"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			args := row.args
			if len(args) == 0 || strings.HasPrefix(args[0], "-") {
				args = append([]string{"-addr", "127.0.0.1:0"}, args...)
			}
			code := run(t.Context(), args, row.variables, &out, &out)
			if code != row.code || !strings.Contains(out.String(), row.want) || strings.Contains(out.String(), secret) || strings.Contains(out.String(), "listening") {
				t.Errorf("exit code %d, want %d, and %q:\n%s", code, row.code, row.want, out.String())
			}
			if after := files(t); after != before {
				t.Errorf("the folder has %s, and had %s", after, before)
			}
		})
	}
}

// files lists the working directory.
func files(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// made makes a file with tables, and changes it by a statement.
func made(t *testing.T, path, sql string) {
	t.Helper()
	at := place{file: path}
	store, err := at.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(sql + "PRAGMA journal_mode=DELETE"); err != nil { // no file beside it
		t.Fatal(err)
	}
}

// TestUnits: systemd finds nothing to complain about in the units, but for the program that is not
// at its place here.
func TestUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("SKIPPED: systemd-analyze is not here")
	}
	dir := t.TempDir()
	args := []string{"verify"}
	for _, name := range []string{"tributary.service", "tributary-backup.service", "tributary-backup.timer"} {
		path := filepath.Join(dir, name)
		write(t, strings.ReplaceAll(deployed(t, name), "/usr/local/bin/tributary-server", os.Args[0]), path)
		args = append(args, path)
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s%v", out, err)
	}
	if timer := match(t, deployed(t, "tributary-backup.timer"), `(?m)^OnCalendar=(.*)$`); timer != "*-*-* 03:15:00" {
		t.Errorf("the timer: %s", timer)
	}
}

// TestVariables: each variable that the server reads is in the list of the page or on that of payment
// providers, and compose brings it to the container: from deploy/.env, those of providers from the file.
func TestVariables(t *testing.T) {
	variable := regexp.MustCompile(`TRIBUTARY_[A-Z_]+[A-Z]`)
	_, settings, found := strings.Cut(deployed(t, "README.md"), "## Settings")
	listed := variable.FindAllString(settings, -1)
	compose := regexp.MustCompile(`(?m)^      (TRIBUTARY_[A-Z_]+):`).FindAllStringSubmatch(deployed(t, "compose.yaml"), -1)
	if !found || len(listed) < 14 || len(compose) < 14 {
		t.Fatalf("listed %q, in compose %q", listed, compose)
	}
	var passed []string
	for _, m := range compose {
		if passed = append(passed, m[1]); !slices.Contains(listed, m[1]) {
			t.Errorf("%s is in compose and not on the page", m[1])
		}
	}
	payments := repository(t, "docs/payments-server.md")
	sources, err := filepath.Glob("../httpapi/app/*.go")
	own, err2 := filepath.Glob("*.go")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	read := 0
	for _, path := range append(sources, own...) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, name := range regexp.MustCompile(`"(TRIBUTARY_[A-Z_]+[A-Z])"`).FindAllStringSubmatch(repository(t, filepath.Join("server", path)), -1) {
			read++
			switch {
			case name[1] == fileVariable, name[1] == receiverVariable: // the volume has the file; receivers read the other
			case strings.Contains(payments, name[1]):
			case !slices.Contains(passed, name[1]):
				t.Errorf("%s reads %s, which compose does not bring", path, name[1])
			}
		}
	}
	if read < 20 {
		t.Errorf("the server reads %d variables", read)
	}
	for _, name := range listed {
		if !slices.Contains(passed, name) && !strings.Contains(payments, name) {
			t.Errorf("compose does not bring %s", name)
		}
	}
}

// TestCaddyfile: Caddy understands the sample.
func TestCaddyfile(t *testing.T) {
	if _, err := exec.LookPath("caddy"); err != nil {
		t.Skip("SKIPPED: caddy is not here")
	}
	command := exec.CommandContext(t.Context(), "caddy", "validate", "--adapter", "caddyfile", "--config", "../deploy/Caddyfile")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s%v", out, err)
	}
}
