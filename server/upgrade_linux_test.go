package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestUpgrade runs the commands of the page on a machine without systemd: the newer binary comes into its
// place, and the copy of before, in which what was sold then is, in that of the file.
func TestUpgrade(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(repository(t, "docs/upgrades.md"), -1)
	if len(blocks) != 2 {
		t.Fatalf("the page has %d blocks", len(blocks))
	}
	dir := t.TempDir()
	bin, lib, release := filepath.Join(dir, "bin"), filepath.Join(dir, "lib"), filepath.Join(dir, "release")
	for _, folder := range []string{bin, lib, release} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(lib)
	s := launch(t)
	s.call("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","affiliateLink":"ada"}`)
	s.sell("before")
	if code := run(t.Context(), []string{"backup", "-to", "backups"}, nothing, s.said, s.said); code != 0 {
		t.Fatal(s.said)
	}
	copies, err := filepath.Glob("backups/*.db")
	if err != nil || len(copies) != 1 {
		t.Fatal(copies, err)
	}
	s.sell("since")
	program := "#!/bin/sh\n" + asCommand + "=\"$(printf '%s\\n' \"$@\")\" exec " + os.Args[0] + "\n"
	write(t, program+"# before\n", filepath.Join(bin, "tributary-server"))
	write(t, program, filepath.Join(release, "tributary-server-linux-amd64"))
	write(t, "#!/bin/sh\n", filepath.Join(bin, "systemctl"))
	write(t, "#!/bin/sh\nwhile test \"${1#*/tributary-server}\" = \"$1\"; do shift; done\n\"$@\"\n", filepath.Join(bin, "systemd-run"))
	do := func(at, commands string) {
		t.Helper()
		for old, own := range map[string]string{"/usr/local/bin": bin, "/var/lib/tributary": lib, "http://127.0.0.1:8080": s.url, "backups/program-20261129T031500Z.db": copies[0]} {
			commands = strings.ReplaceAll(commands, old, own)
		}
		sh := exec.CommandContext(t.Context(), "sh", "-euc", commands)
		sh.Dir, sh.Env = at, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		if out, err := sh.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, commands, out)
		}
	}
	do(release, "chmod 755 "+bin+"/*; sha256sum tributary-server-linux-amd64 >SHA256SUMS; echo \"$(printf '%064d' 0)  other\" >>SHA256SUMS\n")
	do(release, blocks[0][1])
	text, err := os.ReadFile(filepath.Join(bin, "tributary-server"))
	if err != nil || string(text) != program || !exists(filepath.Join(bin, "tributary-server.before")) {
		t.Errorf("the newer one is not in its place: %q, error %v", text, err)
	}
	s.stop()
	do(lib, blocks[1][1])
	back := launch(t)
	back.sold("before")
	if status, answer := back.ask(testKey, "GET", "/api/v1/sales", ""); status != 200 || strings.Contains(answer, "since") {
		t.Errorf("%d %s", status, answer)
	}
	back.stop()
	if !exists("newer/program.db") {
		t.Error("the file of the newer one is gone")
	}
}
