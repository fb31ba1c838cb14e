package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// say runs a command and returns its exit code and all that it says.
func say(t *testing.T, env environment, args ...string) (int, string) {
	t.Helper()
	var out strings.Builder
	code := run(t.Context(), args, env, &out, &out)
	return code, out.String()
}

// says expects an exit code and a text.
func says(t *testing.T, code int, want string, args ...string) (out string) {
	t.Helper()
	got, out := say(t, nothing, args...)
	if got != code || !strings.Contains(out, want) {
		t.Errorf("%v: exit code %d, want %d, and %q:\n%s", args, got, code, want, out)
	}
	return out
}

// write writes files that only their owner may read.
func write(t *testing.T, text string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// statement changes a file that no server has open.
func statement(t *testing.T, path, sql string) {
	t.Helper()
	conn, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(sql + ";PRAGMA journal_mode=DELETE"); err != nil {
		t.Fatal(err)
	}
}

// TestBackupAndRestore: a copy that is made beside a server becomes a file with the same sales. A
// file that is there, or that a server has open, is not written over, not even a deleted one; and
// what is no copy makes no file.
func TestBackupAndRestore(t *testing.T) {
	t.Chdir(t.TempDir())
	s := launch(t)
	s.ada()
	s.sell("order-1")
	copyStep := func(want string) {
		t.Helper()
		if _, page := s.browse().open(""); !strings.Contains(page, want) {
			t.Errorf("no %q in the first steps:\n%s", want, page)
		}
	}
	copyStep("Make a copy: the command backup")
	out := says(t, 0, " is a copy of ", "backup", "-to", "copies")
	copyStep("Make a copy<")
	name := regexp.MustCompile(`^copies/program-\d{8}T\d{6}Z\.db\b`).FindString(out)
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%s: %v %v", out, info, err)
	}
	s.sell("order-2")
	says(t, 0, "program.db: the books hold\n", "verify")
	says(t, 1, "a server has ", "restore", name, "program.db")
	says(t, 1, "only server backup makes a copy of it", "restore", "program.db", "new.db")
	if err := os.Remove("program.db"); err != nil {
		t.Fatal(err)
	}
	says(t, 1, "a server has ", "restore", name, "program.db")
	s.stop()
	write(t, "not a copy", "text.db", "there.db")
	says(t, 1, "there.db is there", "restore", name, "there.db")
	says(t, 1, "none.db", "restore", "none.db", "new.db")
	says(t, 1, "text.db", "restore", "text.db", "new.db")
	made(t, "empty.db", "")
	says(t, 1, "empty.db: there is no program", "restore", "empty.db", "new.db")
	says(t, 1, "pg_restore", "restore", name, "postgres://localhost/shop")
	says(t, 2, "name the copy", "restore", name)
	before := files(t)
	says(t, 0, "the books hold\nnew.db has what was in "+name, "restore", name, "new.db")
	if after := files(t); after != strings.Replace(before, "empty.db", "empty.db new.db", 1) {
		t.Errorf("the folder has %s, and had %s", after, before)
	}
	s = launch(t, "-file", "new.db")
	defer s.stop()
	s.sold("order-1")
}

// TestKeep: the newest copies of the file are kept, and all that is something else.
func TestKeep(t *testing.T) {
	t.Chdir(t.TempDir())
	made(t, "shop.db", "")
	if err := os.Mkdir("copies", 0o700); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 3, 11, 3, 15, 0, 0, time.UTC)
	for i := range 3 {
		name := namesOf("shop.db").of(day.AddDate(0, 0, i))
		write(t, "a copy", filepath.Join("copies", name), filepath.Join("copies", name+partial))
	}
	others := []string{"shop-20260311.db", "shop-eu-20260101T000000Z.db", "shop-20260101T000000Z.sql", "20260101T000000Z.db"}
	for _, name := range others {
		write(t, "something else", filepath.Join("copies", name))
	}
	at := day.AddDate(0, 0, 3)
	b := backup{to: "copies", keep: 2, now: func() time.Time { return at }, stdout: t.Output()}
	flags := newFlags("backup", "", t.Output())
	b.Flags(flags)
	if err := flags.Parse([]string{"-file", "shop.db"}); err != nil {
		t.Fatal(err)
	}
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := append([]string{"shop-20260313T031500Z.db", "shop-20260313T031500Z.db.partial", "shop-20260314T031500Z.db"}, others...)
	entries, err := os.ReadDir("copies")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.Contains(strings.Join(want, " ")+" ", entry.Name()+" ") {
			t.Errorf("%s was kept", entry.Name())
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files were kept, want %d: %v", len(entries), len(want), entries)
	}
	if err := b.run(t.Context()); err == nil {
		t.Error("a copy was written over")
	}
}

// TestBreach: verify ends with the exit code 1 and the breaches when the books do not hold or the file
// is damaged, and restore makes nothing of a copy of them.
func TestBreach(t *testing.T) {
	t.Chdir(t.TempDir())
	s := launch(t)
	s.ada()
	s.sell("order-1")
	s.stop()
	says(t, 0, "the books hold", "verify", "-file", "program.db")
	text, err := os.ReadFile("program.db")
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0 // one of the places where the email is belongs to an index, which no longer agrees
	for at, email := 0, []byte("c@example.net"); ; at++ {
		next := bytes.Index(text[at:], email)
		if next < 0 {
			break
		}
		at += next
		write(t, string(text[:at])+"x"+string(text[at+1:]), "damaged.db")
		if code, out := say(t, nothing, "verify", "-file", "damaged.db"); code == 1 && strings.Contains(out, "the file is damaged") {
			damaged++
		}
	}
	if damaged == 0 {
		t.Error("no damage was seen")
	}
	statement(t, "program.db", "UPDATE tributary_movements SET amount = amount + 1")
	says(t, 1, "the books do not hold:\n", "verify")
	says(t, 1, "the books do not hold:\n", "restore", "program.db", "new.db")
	if exists("new.db") || exists("new.db.restoring") {
		t.Error("a file was made")
	}
	says(t, 1, "there is no program", "verify", "-file", "none.db")
	says(t, 2, "it takes flags only", "verify", "program.db")
}

// TestVerifyDatabase is verify in a database.
func TestVerifyDatabase(t *testing.T) {
	url := database(t)
	schema := dropped(t, url, "verify")
	says(t, 1, "there is no program", "verify", "-store", url, "-schema", schema)
	s := launch(t, "-store", url, "-schema", schema)
	defer s.stop()
	s.ada()
	says(t, 0, "the books hold", "verify", "-store", url, "-schema", schema)
	says(t, 1, "pg_dump --format=custom --schema="+schema, "backup", "-store", url, "-schema", schema, "-to", t.TempDir())
}

// TestDoctor: each line says what is fine, or what to do; without a TODO the exit code is 0.
func TestDoctor(t *testing.T) {
	t.Chdir(t.TempDir())
	now := time.Now()
	s := launch(t)
	s.ada()
	s.stop()
	if err := os.Mkdir("none.d", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, "a copy", "copy.db")
	write(t, "", "none.d/empty.dump")
	write(t, "half a copy", "none.d/copy.db"+partial)
	key := strings.Repeat("0f", 32)
	good := environment{"TRIBUTARY_PUBLIC_URL": "https://partners.shop.example", "TRIBUTARY_PROXY": "127.0.0.1/32",
		"TRIBUTARY_SEAL_KEY": key + "," + key, "TRIBUTARY_ERASURE_KEY": key, "TRIBUTARY_KEY": testKey, "TRIBUTARY_POLAR_SECRET": "a-secret-of-polar-24-long",
		smtpVariable: "smtp://beans:secret@mail.beans.example", fromVariable: "partners@beans.example"}
	look := func(t *testing.T, change func(*doctor)) (code int, out string) {
		d := doctor{choice: choice{env: environment{}}, backups: ".", now: func() time.Time { return now },
			room: func(string) (uint64, error) { return leastRoom, nil }}
		for name, value := range good {
			d.env[name] = value
		}
		d.url, d.proxy = d.env["TRIBUTARY_PUBLIC_URL"], d.env["TRIBUTARY_PROXY"]
		d.Flags(newFlags("doctor", "", t.Output()))
		change(&d)
		var text strings.Builder
		code = d.report(t.Context(), &text)
		return code, text.String()
	}
	code, out := look(t, func(*doctor) {})
	if lines := strings.Count(out, "\nok   ") + 1; code != 0 || lines != 10 || strings.Contains(out, key) || strings.Contains(out, testKey) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	for name, row := range map[string]struct {
		change func(*doctor)
		want   string
	}{
		"no public URL":       {func(d *doctor) { d.url = "" }, "public URL: set TRIBUTARY_PUBLIC_URL"},
		"http":                {func(d *doctor) { d.url = "http://shop.example" }, "public URL: set TRIBUTARY_PUBLIC_URL"},
		"no proxy":            {func(d *doctor) { d.proxy = "" }, "proxy: set TRIBUTARY_PROXY"},
		"a proxy by name":     {func(d *doctor) { d.proxy = "caddy" }, "proxy: set TRIBUTARY_PROXY"},
		"no seal key":         {func(d *doctor) { delete(d.env, "TRIBUTARY_SEAL_KEY") }, "seal key: set TRIBUTARY_SEAL_KEY to 64 hex digits"},
		"a broken seal key":   {func(d *doctor) { d.env["TRIBUTARY_SEAL_KEY"] = key + ",0f" }, "seal key: set TRIBUTARY_SEAL_KEY to 64 hex digits"},
		"no erasure key":      {func(d *doctor) { delete(d.env, "TRIBUTARY_ERASURE_KEY") }, "erasure key: set TRIBUTARY_ERASURE_KEY"},
		"a short key":         {func(d *doctor) { d.env["TRIBUTARY_KEY"] = "short" }, "API key: set TRIBUTARY_KEY to 20 characters"},
		"no file of keys":     {func(d *doctor) { d.keyFile = "none" }, "API key: make the file none"},
		"an unknown provider": {func(d *doctor) { d.env["TRIBUTARY_POLER_SECRET"] = key }, "payments: correct the variables: TRIBUTARY_POLER_SECRET"},
		"no mail server":      {func(d *doctor) { delete(d.env, smtpVariable) }, "mail: correct the variables"},
		"no folder named":     {func(d *doctor) { d.backups = "" }, "backup: name the folder"},
		"no folder":           {func(d *doctor) { d.backups = "none" }, "backup: make the folder none"},
		"no copy":             {func(d *doctor) { d.backups = "none.d" }, "backup: make a copy each day"},
		"an old copy":         {func(d *doctor) { d.now = func() time.Time { return now.Add(27 * time.Hour) } }, "backup: look why no copy is made"},
		"a full disk":         {func(d *doctor) { d.room = func(string) (uint64, error) { return leastRoom - 1, nil } }, "disk: make room: 1023 MB are free"},
		"two places":          {func(d *doctor) { d.env[fileVariable], d.env[storeVariable] = "a", "b" }, "disk: name the file or the database"},
		"a clock behind":      {func(d *doctor) { d.now = func() time.Time { return now.Add(-time.Hour) } }, "clock: set the clock"},
		"no program":          {func(d *doctor) { d.env[fileVariable] = "none.db" }, "clock: start the server"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out := look(t, row.change)
			if code != 1 || !strings.Contains(out, "TODO "+row.want) || strings.Contains(out, key) || exists("none.db") {
				t.Errorf("exit code %d, want %q:\n%s", code, row.want, out)
			}
		})
	}
	if left, err := room("."); err != nil || left == 0 {
		t.Errorf("the room: %d, %v", left, err)
	}
	if code, out := say(t, good, "doctor", "-backups", "."); code > 1 || strings.Count(out, "\n") != 10 {
		t.Errorf("the command: exit code %d:\n%s", code, out)
	}
}

// TestKeepIt runs the commands of the README, but for the names of the folder and of the copy.
func TestKeepIt(t *testing.T) {
	readme := repository(t, "server/README.md")
	t.Chdir(t.TempDir())
	s := launch(t)
	s.ada()
	s.stop()
	_, section, _ := strings.Cut(readme, "## Keep it")
	section, _, _ = strings.Cut(section, "\n## ")
	commands := regexp.MustCompile(`(?m)^go run -C server \. (.*)$`).FindAllStringSubmatch(section, -1)
	if len(commands) != 4 {
		t.Errorf("the README has %d commands", len(commands))
	}
	for _, line := range commands {
		args := strings.Fields(strings.ReplaceAll(line[1], "/backups", "backups"))
		code := 0
		switch args[0] {
		case "restore":
			made, err := filepath.Glob("backups/*")
			if err != nil || len(made) != 1 {
				t.Fatal(made, err)
			}
			args[1] = made[0]
		case "doctor":
			code = 1 // nothing is set
		}
		says(t, code, "", args...)
	}
	if !exists("restored.db") {
		t.Error("nothing was restored")
	}
}
