package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

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
	script, err := os.ReadFile("../../../deploy/role.sh")
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

// TestCompose: the server's role in the compose file is not the superuser's, no secret
// has a default, and each image has a digest or a release that gives it one.
func TestCompose(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../../../", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	compose := read("deploy/compose.yaml")
	store := regexp.MustCompile(`TRIBUTARY_STORE: postgres://(\w+):\$\{(\w+)\}`).FindStringSubmatch(compose)
	super := regexp.MustCompile(`POSTGRES_USER: (\w+)`).FindStringSubmatch(compose)
	if store == nil || super == nil || store[1] == super[1] || store[2] == "POSTGRES_PASSWORD" {
		t.Errorf("the server connects as %v, the superuser is %v", store, super)
	}
	for _, name := range []string{"TRIBUTARY_KEY", "TRIBUTARY_SEAL_KEY", "TRIBUTARY_ERASURE_KEY", "POSTGRES_PASSWORD", "TRIBUTARY_DATABASE_PASSWORD"} {
		if !regexp.MustCompile(`\b` + name + `: \$\{` + name + `:\?`).MatchString(compose) {
			t.Errorf("%s is not asked for", name)
		}
	}
	if check := regexp.MustCompile(`(?m)^\.ci/images -check$`); !check.MatchString(read(".ci/release")) {
		t.Error("a release does not look for the digests")
	}
}
