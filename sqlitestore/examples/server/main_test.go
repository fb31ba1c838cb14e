package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMain makes the test's binary the server when a test starts it as one, so that it
// can be killed.
func TestMain(m *testing.M) {
	if os.Getenv("TRIBUTARY_SERVER") != "" {
		main()
	}
	os.Exit(m.Run())
}

const key = "test-key-of-this-suite"

// serve starts the server on a file and returns its URL and its end.
func serve(t *testing.T, args ...string) (url string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "TRIBUTARY_SERVER=1", "TRIBUTARY_KEY="+key)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	t.Cleanup(kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return url, kill
		}
	}
	t.Fatal("the server does not listen")
	return "", nil
}

// call makes a request of the API and returns the answer's body.
func call(t *testing.T, method, url, body string) string {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %s %v", method, url, res.StatusCode, answer, err)
	}
	return string(answer)
}

// get returns what anybody sees.
func get(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestKilled: a sale that was answered is there after the server was killed and started
// again, with the console beside it.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	url, kill := serve(t, "-file", path)
	call(t, "POST", url+"/api/v1/affiliates", `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","affiliateLink":"ada"}`)
	var sale struct{ Sale struct{ ID int64 } }
	if err := json.Unmarshal([]byte(call(t, "POST", url+"/api/v1/sales", `{"referralId":"ada","totalEarned":100,"email":"kim@example.net","name":"Kim"}`)), &sale); err != nil {
		t.Fatal(err)
	}
	kill()

	url, _ = serve(t, "-file", path)
	if sales := call(t, "GET", url+"/api/v1/sales", ""); strings.Count(sales, `"totalEarned":100`) != 1 {
		t.Errorf("after the kill: %s", sales)
	}
	if page := get(t, url+"/console/"); !strings.Contains(page, `type="password"`) {
		t.Errorf("the console: %s", page)
	}
}

// TestReadme: the command of the README starts a server with a year of orders, and a
// second run finds them and adds none.
func TestReadme(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^go run -C sqlitestore ./examples/server (.*)$`).FindStringSubmatch(string(raw))
	if command == nil {
		t.Fatal("no command")
	}
	t.Chdir(t.TempDir())
	var first string
	for range 2 {
		url, kill := serve(t, strings.Fields(command[1])...)
		people := call(t, "GET", url+"/api/v1/affiliates", "")
		if first == "" {
			first = people
		}
		if people != first || !strings.Contains(people, `"numberOfReferredUsers"`) {
			t.Errorf("%s\n%s", first, people)
		}
		kill()
	}
}

// TestRefusedFlags: what cannot work ends at once and says why, and makes no file.
func TestRefusedFlags(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "program.db")
	for _, row := range []struct {
		want string
		args []string
	}{
		{"no file: name one with -file", nil},
		{"a store that lasts has one program", []string{"-file", path, "-key", key, "-key", key + "2"}},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-addr", "127.0.0.1:0"}, row.args...)...)
		cmd.Env = append(os.Environ(), "TRIBUTARY_SERVER=1", "TRIBUTARY_FILE=")
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), row.want) {
			t.Errorf("%v: %v\n%s", row.args, err, out)
		}
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file: %v", err)
	}
}
