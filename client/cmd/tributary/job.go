package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// A job is a command with its input.
type job struct {
	*app
	*command
	input map[string]any // of fields, and those that the verb sets

	json, all, yes, dry bool
	fail                bool // bad news is an exit code
	limit               int
	cursor              string
	key                 string // the idempotency key of a write
	sent                bool

	file  string     // an argument that is a file
	query url.Values // of the command api; nil: another command
	plain []string   // what stands without a flag in it
	told  time.Time  // when progress was last told
}

// do runs a job.
func (j *job) do() error {
	if err := j.connect(j.patient); err != nil {
		return err
	}
	if j.dry {
		for name, value := range j.preview {
			j.input[name] = value
		}
		if j.dryPath != "" {
			preview := *j.command
			preview.path, preview.columns, preview.again, preview.rows, preview.paging = j.dryPath,
				j.dryColumns, nil, "lines", inBody
			j.command = &preview
		}
	} else if err := j.confirm(); err != nil {
		return err
	}
	if j.key == "" {
		j.key = strings.ToLower(rand.Text())
	}
	if j.command.run != nil {
		return j.command.run(j)
	}
	if j.steps {
		return j.inSteps()
	}
	if j.paging != whole || j.rows != "" {
		return j.list()
	}
	answer, err := j.call("")
	for err == nil && j.again != nil {
		var r entry
		if r, err = read(answer.Body); err != nil || !j.again(r) {
			break
		}
		j.progress(r)
		answer, err = j.callWith("", "")
	}
	if err != nil {
		return err
	}
	return j.show(answer)
}

// unsure reports whether a failure leaves open what the server did.
func (j *job) unsure() bool { return j.writes() && !j.dry }

// confirm asks before an action that cannot be undone.
func (j *job) confirm() error {
	if j.ask == "" || j.yes {
		return nil
	}
	if !terminal(j.stdin) {
		return usage("this would %s; say --yes", j.ask)
	}
	fmt.Fprintf(j.stderr, "This will %s %s. Type yes: ", j.ask, inert(j.blank(j.named())))
	said := make(chan string, 1)
	go func() { // a read of a terminal does not end with a context
		line, _ := bufio.NewReader(io.LimitReader(j.stdin, 1024)).ReadString('\n')
		said <- strings.TrimSpace(line)
	}()
	select {
	case line := <-said:
		if line == "yes" {
			return nil
		}
		return usage("nothing was done")
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
}

// named returns what the argument of a command names.
func (j *job) named() string {
	switch v := j.input[j.arg].(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, ", ")
	}
	return ""
}

// terminal reports whether somebody can be asked.
func terminal(r io.Reader) bool {
	if t, ok := r.(interface{ Terminal() bool }); ok { // of tests
		return t.Terminal()
	}
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// call makes the call of a job, from a cursor on.
func (j *job) call(cursor string) (client.Answer, error) { return j.callWith(cursor, j.key) }

// callWith is call with another idempotency key; empty: a random one.
func (j *job) callWith(cursor, key string) (client.Answer, error) {
	query, body, err := j.request(cursor)
	if err != nil {
		return client.Answer{}, err
	}
	j.sent = true
	answer, err := j.client.Keyed(affiliate.Once{Key: key}).Do(j.ctx, j.method, j.path, query, body)
	if err == nil {
		answer.Body, err = j.clean(answer.Body)
	}
	return answer, err
}

// clean returns an answer without the API key, in which no character acts on a
// terminal.
func (a *app) clean(body []byte) ([]byte, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return []byte("null"), nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, body); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	return escape([]byte(a.blank(compact.String()))), nil
}

// request returns what is sent.
func (j *job) request(cursor string) (url.Values, json.RawMessage, error) {
	page := map[string]any{}
	if j.paging != whole {
		page["limit"] = json.Number(strconv.Itoa(j.limit))
		if cursor != "" {
			page["cursor"] = cursor
		}
	}
	if j.query != nil {
		raw, _ := j.input[""].(json.RawMessage)
		return j.query, raw, nil
	}
	if j.writes() {
		body := map[string]any{}
		for _, part := range []map[string]any{j.fixed, j.input, page} {
			for name, value := range part {
				body[name] = value
			}
		}
		raw, err := json.Marshal(body)
		return nil, raw, err
	}
	query := url.Values{}
	for _, part := range []map[string]any{j.input, page} {
		for name, value := range part {
			query.Set(name, fmt.Sprint(value))
		}
	}
	return query, nil, nil
}
