package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/httpapi/serve"
)

// verifyUsage is the text of "verify -h" before the flags.
const verifyUsage = `Checks the books of the program, and the file if it is in one: server verify [flags]
It changes no record, and a server may have the file or the database open. The exit code is 1, with a
line for each breach, when they do not hold.

`

// runVerify runs the command verify and returns the exit code.
func runVerify(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	flags := newFlags("verify", verifyUsage, stderr)
	where, id := choice{env: env}, uuid.MustParse(app.ProgramID)
	where.Flags(flags)
	flags.TextVar(&id, "program", id, "`id` of the program")
	if code, goes := parsed(flags, args, 0, "it takes flags only"); !goes {
		return code
	}
	at, err := where.place()
	if err == nil {
		err = verify(ctx, at, id)
	}
	if err == nil {
		fmt.Fprintf(stdout, "%s: the books hold\n", at)
	}
	return ended(flags, err)
}

func verify(ctx context.Context, at place, id uuid.UUID) error {
	if there, err := at.there(ctx); err != nil || !there {
		return noneAt(at, err) // it would be made
	}
	store, err := at.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(store.booksHold(ctx, id), store.Close())
}

// doctorUsage is the text of "doctor -h" before the flags.
const doctorUsage = `Says what is missing for production, one line each: server doctor [flags]
Call it with the variables and the flags of the server, and the folder of the copies: that there is
one is a first step of the console, which it ticks off. A server may run. The exit code is 1 when a
line says TODO.

`

// A doctor looks at how a server is run.
type doctor struct {
	choice
	url, proxy, keyFile, backups string
	now                          func() time.Time
	room                         func(folder string) (bytes uint64, err error)
}

// runDoctor runs the command doctor and returns the exit code.
func runDoctor(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	d := doctor{choice: choice{env: env}, now: time.Now, room: room}
	flags := newFlags("doctor", doctorUsage, stderr)
	d.Flags(flags)
	flags.StringVar(&d.url, "url", env["TRIBUTARY_PUBLIC_URL"], "as of the server: the public `URL` (default: the variable)")
	flags.StringVar(&d.proxy, "proxy", env["TRIBUTARY_PROXY"], "as of the server: the `networks` of your proxies (default: the variable)")
	flags.StringVar(&d.keyFile, "key-file", "", "as of the server: the `file` of keys")
	flags.StringVar(&d.backups, "backups", "", "`folder` of server backup, or of pg_dump")
	if code, goes := parsed(flags, args, 0, "it takes flags only"); !goes {
		return code
	}
	return d.report(ctx, stdout)
}

// report writes a line for each finding, and returns the exit code.
func (d *doctor) report(ctx context.Context, w io.Writer) (code int) {
	at, err := d.place()
	copied := d.newestCopy()
	for _, f := range []finding{
		d.publicURL(), d.proxies(),
		d.hexKeys("seal key", "TRIBUTARY_SEAL_KEY", "the secrets of webhooks are plain text in the store"),
		d.hexKeys("erasure key", "TRIBUTARY_ERASURE_KEY", "who reads the store can try out erased emails"),
		d.apiKey(), d.payments(), d.mails(), copied, d.disk(at, err), d.clock(ctx, at, err, copied.todo == ""),
	} {
		mark, says := "ok  ", f.fine
		if f.todo != "" {
			mark, says, code = "TODO", f.todo, 1
		}
		fmt.Fprintf(w, "%s %s: %s\n", mark, f.of, says)
	}
	return code
}

// A finding is one line of a doctor: what is fine, or what to do.
type finding struct{ of, fine, todo string }

func (d *doctor) publicURL() finding {
	f := finding{of: "public URL", fine: d.url}
	if at, err := url.Parse(d.url); err != nil || at.Scheme != "https" || at.Host == "" {
		f.todo = "set TRIBUTARY_PUBLIC_URL to the https address under which others reach the server, " +
			"such as https://partners.shop.example, and put a proxy with a certificate before it"
	}
	return f
}

func (d *doctor) proxies() finding {
	f := finding{of: "proxy", fine: d.proxy}
	if all, err := serve.ParseProxies(d.proxy); err != nil || len(all) == 0 {
		f.todo = "set TRIBUTARY_PROXY to the networks of your proxy, such as 127.0.0.1/32: " +
			"without it all visitors count as one address, and the limits hit them together"
	}
	return f
}

// hexKeys looks at a variable with keys of 64 hex digits.
func (d *doctor) hexKeys(of, variable, without string) finding {
	f := finding{of: of, fine: "it is set; keep it elsewhere than the copies"}
	for key := range strings.SplitSeq(d.env[variable], ",") {
		if raw, err := hex.DecodeString(strings.TrimSpace(key)); err != nil || len(raw) != 32 {
			f.todo = "set " + variable + " to 64 hex digits, such as openssl rand -hex 32 makes: else " + without
		}
	}
	return f
}

// leastKey is the number of characters of the shortest key.
const leastKey = 20

func (d *doctor) apiKey() finding {
	f := finding{of: "API key", fine: "it is set"}
	if d.keyFile != "" {
		info, err := os.Stat(d.keyFile)
		if f.fine = "in " + d.keyFile; err != nil || info.Size() == 0 || info.Mode().Perm()&0o077 != 0 {
			f.todo = fmt.Sprintf("make the file %s, which only the user of the server may read: chmod 600", d.keyFile)
		}
		return f
	}
	switch key := d.env["TRIBUTARY_KEY"]; {
	case key == "":
		f.fine = "no variable has one: people and the keys of the console open the program"
	case len(key) < leastKey:
		f.todo = fmt.Sprintf("set TRIBUTARY_KEY to %d characters or more, such as openssl rand -hex 32 makes", leastKey)
	}
	return f
}

func (d *doctor) payments() finding {
	f := finding{of: "payments", fine: "no variable connects a provider; the console has those that were connected there"}
	if err := d.env.checkPayments(); err != nil {
		f.todo = "correct the variables: " + err.Error()
		return f
	}
	var on []string
	for _, p := range providers() {
		if d.env[p.variable(secretName)] != "" {
			on = append(on, p.name)
		}
	}
	f.fine = cmp.Or(strings.Join(on, ", "), f.fine)
	return f
}

func (d *doctor) mails() finding {
	f := finding{of: "mail"}
	switch m, err := d.env.mailer(); {
	case err != nil:
		f.todo = "correct the variables: " + err.Error()
	case m == nil:
		f.todo = "set " + smtpVariable + " and " + fromVariable +
			": without them affiliates cannot sign in by a mailed link, and hear of nothing"
	default:
		f.fine = strings.TrimPrefix(m.said, "mail: ") + "; try it with server mail ADDRESS"
	}
	return f
}

// stale is the age of the newest copy from which on it counts as missing: one is made each day.
const stale = 26 * time.Hour

// newestCopy looks at the files in the folder of copies, of server backup or another program. An
// empty one, and a part of one, are no copies.
func (d *doctor) newestCopy() finding {
	f := finding{of: "backup"}
	if d.backups == "" {
		f.todo = "name the folder of your copies with -backups, and make one each day: server backup -to FOLDER -keep 14"
		return f
	}
	entries, err := os.ReadDir(d.backups)
	var newest time.Time
	for _, entry := range entries {
		info, infoErr := entry.Info()
		if infoErr == nil && info.Mode().IsRegular() && info.Size() > 0 && !strings.HasSuffix(entry.Name(), partial) &&
			info.ModTime().After(newest) {
			newest, f.fine = info.ModTime(), filepath.Join(d.backups, entry.Name())
		}
	}
	switch age := d.now().Sub(newest); {
	case err != nil:
		f.todo = "make the folder " + d.backups + ", and a copy each day: server backup -to FOLDER -keep 14"
	case newest.IsZero():
		f.todo = "make a copy each day: there is none in " + d.backups
	case age > stale:
		f.todo = fmt.Sprintf("look why no copy is made: the newest, %s, is %d hours old", f.fine, int(age.Hours()))
	}
	return f
}

// leastRoom is the room on a disk that is always needed, in bytes.
const leastRoom = 1 << 30

// disk looks whether the disk of a file has room for a copy and for some months of growth.
func (d *doctor) disk(at place, err error) finding {
	f := finding{of: "disk"}
	switch {
	case err != nil:
		f.todo = "name the file or the database: " + err.Error()
		return f
	case at.database != nil:
		f.fine = "look at that of the database where it runs"
		return f
	}
	need := uint64(leastRoom)
	if info, err := os.Stat(at.file); err == nil {
		need = max(need, 2*uint64(info.Size()))
	}
	left, err := d.room(filepath.Dir(at.file))
	switch f.fine = fmt.Sprintf("%d MB are free", left>>20); {
	case errors.Is(err, errors.ErrUnsupported):
		f.fine = "look yourself: the room cannot be seen on this system"
	case err != nil:
		f.todo = "make the folder of the file: " + err.Error()
	case left < need:
		f.todo = fmt.Sprintf("make room: %d MB are free beside %s, and %d MB are needed", left>>20, at.file, need>>20)
	}
	return f
}

// clock compares the clock with the time of the newest event, which the past has, and notes in the
// program if there is a copy of it.
func (d *doctor) clock(ctx context.Context, at place, err error, copied bool) finding {
	f := finding{of: "clock", fine: "no event is newer than it"}
	if err == nil {
		var newest affiliate.List[affiliate.Event]
		if newest, err = newestEvent(ctx, at, copied); err == nil && len(newest.Items) > 0 {
			if ahead := newest.Items[0].OccurredAt.Time().Sub(d.now()); ahead > time.Minute {
				f.todo = fmt.Sprintf("set the clock, and let NTP keep it: the newest event is %s after it", ahead.Round(time.Second))
			}
			return f
		}
	}
	if err != nil {
		f.todo = "start the server, and look again: " + err.Error()
	}
	return f
}

func newestEvent(ctx context.Context, at place, copied bool) (newest affiliate.List[affiliate.Event], err error) {
	if there, err := at.there(ctx); err != nil || !there {
		return newest, noneAt(at, err)
	}
	store, err := at.open(ctx)
	if err != nil {
		return newest, err
	}
	defer store.Close()
	id := uuid.MustParse(app.ProgramID)
	if err := store.usable(ctx, id); err != nil {
		return newest, err
	}
	if copied {
		if err := store.noteCopy(ctx); err != nil {
			return newest, err
		}
	}
	program, err := programIn(store, id)
	if err != nil {
		return newest, err
	}
	return program.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: 1})
}
