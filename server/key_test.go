package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestKeyCommand: a key that the command makes opens the API and the console of a server that runs, until
// the command revokes it, and is shown once. What cannot be made or revoked is said, and nothing is made
// where no program is.
func TestKeyCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	env := environment{"TRIBUTARY_SEAL_KEY": strings.Repeat("0f", 32), "TRIBUTARY_ERASURE_KEY": strings.Repeat("1e", 32)}
	command := func(code int, args ...string) string {
		t.Helper()
		var out strings.Builder
		if got := run(t.Context(), append([]string{"key"}, args...), env, &out, &out); got != code {
			t.Fatalf("%q: exit code %d: %s", args, got, out.String())
		}
		return out.String()
	}
	if said := command(1, "-make", "shop"); !strings.Contains(said, "program.db") || len(files(t)) != 0 {
		t.Errorf("without a program: %s, %v", said, files(t))
	}
	s := launchIn(t, env)
	defer s.stop()
	if said := command(0); said != "" {
		t.Errorf("there are keys: %s", said)
	}
	if said := command(1, "-scope", "read"); !strings.Contains(said, "-scope goes with -make") {
		t.Errorf("a scope of nothing: %s", said)
	}
	secret := strings.TrimSpace(command(0, "-make", "shop", "-scope", "read"))
	if !regexp.MustCompile(`^tributary_\w{43}$`).MatchString(secret) {
		t.Fatalf("it prints %q", secret)
	}
	if status, _ := s.ask(secret, "GET", "/api/v1/program", ""); status != http.StatusOK {
		t.Errorf("it does not open: %d", status)
	}
	if said := command(0); !regexp.MustCompile(`^shop read …` + secret[len(secret)-4:] + `, made by the command key, last used \S+Z\n$`).MatchString(said) {
		t.Errorf("the list: %s", said)
	}
	for _, bad := range [][]string{{"-make", "shop"}, {"-make", "owner"}, {"-make", "a b"}, {"-make", "till", "-scope", "root"}, {"-make", "till", "-revoke", "shop"}, {"-revoke", "till"}} {
		if said := command(1, bad...); !strings.HasPrefix(said, "key: ") || strings.Contains(said, "affiliate: ") || strings.Contains(said, "tributary_") {
			t.Errorf("%q: %s", bad, said)
		}
	}
	command(0, "-revoke", "shop")
	if status, _ := s.ask(secret, "GET", "/api/v1/program", ""); status != http.StatusUnauthorized {
		t.Errorf("revoked, and it opens: %d", status)
	}
	write(t, "till full a-secret-of-32-characters-or-so\n", "keys")
	if said := command(1, "-make", "till", "-key-file", "keys"); !strings.Contains(said, "name is taken") {
		t.Errorf("a name of the file: %s", said)
	}
	command(1, "-make", "till", "-key-file", "none")
	command(0, "-make", "desk", "-key-file", "keys")
	delete(env, "TRIBUTARY_SEAL_KEY")
	for _, args := range [][]string{nil, {"-make", "till"}} {
		if said := command(1, args...); !strings.Contains(said, "sealed") || strings.Contains(said, "tributary_") {
			t.Errorf("without the seal key: %s", said)
		}
	}
}
