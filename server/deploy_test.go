package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

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
