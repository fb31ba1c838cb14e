package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tributary-go/tributary/client"
)

type reply = client.Answer

// list prints a page, or with --all every page, each before the next is asked
// for: memory does not grow with the list.
func (j *job) list() error {
	cursor, n := j.cursor, 0
	for page := 0; ; page++ {
		answer, err := j.call(cursor)
		if err != nil {
			return err
		}
		if j.json && !j.all {
			return j.printJSON(answer.Body)
		}
		rows, err := rowsOf(answer.Body, j.rows)
		if err != nil {
			return err
		}
		if page == 0 && !j.json {
			j.header()
		}
		for _, row := range rows {
			if err := j.one(row, n); err != nil {
				return err
			}
			n++
		}
		next := j.next(answer)
		switch {
		case next == "":
		case !j.all:
			j.say("there are more: --all, or --cursor %s", next)
		case next == cursor:
			return fmt.Errorf("the server answers the same page again and again")
		default:
			cursor = next
			if err := j.stdout.Flush(); err != nil {
				return err
			}
			continue
		}
		return j.end(n)
	}
}

// one prints a record of a list.
func (j *job) one(row json.RawMessage, n int) error {
	if j.json {
		before := ",\n"
		if n == 0 {
			before = "["
		}
		j.stdout.WriteString(before)
		_, err := j.stdout.Write(row)
		return err
	}
	r, err := read(row)
	if err != nil {
		return err
	}
	j.row(r)
	return nil
}

// end prints what follows the last record.
func (j *job) end(n int) error {
	switch {
	case j.json && n == 0:
		return j.printJSON([]byte("[]"))
	case j.json:
		return j.printJSON([]byte("]"))
	}
	return nil
}

// table prints records that are no page.
func (j *job) table(rows []json.RawMessage) error {
	j.header()
	for n, row := range rows {
		if err := j.one(row, n); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf returns the records of an answer: an array, or one in a field of it. A
// single record is a list of one.
func rowsOf(body []byte, field string) ([]json.RawMessage, error) {
	switch {
	case string(body) == "null":
		return nil, nil
	case field != "" && body[0] == '{':
		var in map[string]json.RawMessage
		if err := decode(body, &in); err != nil {
			return nil, err
		}
		if body = in[field]; len(body) == 0 {
			return nil, fmt.Errorf("the answer has no %s", field)
		}
	case body[0] == '{':
		return []json.RawMessage{body}, nil
	}
	var rows []json.RawMessage
	return rows, decode(body, &rows)
}

// next returns the cursor of the next page; empty when there is none.
func (j *job) next(answer reply) string {
	if j.paging != inBody {
		return answer.Next
	}
	var in struct{ Next string }
	_ = json.Unmarshal(answer.Body, &in)
	return in.Next
}

// progress says on standard error how far a job in steps is.
func (j *job) progress(r entry) {
	raw, _ := json.Marshal(r)
	if terminal(j.stdin) {
		fmt.Fprintf(j.stderr, "\r%s\x1b[K", cut(string(escape(raw)), 79))
		return
	}
	if now := time.Now(); now.Sub(j.told) >= time.Second {
		j.told = now
		j.say("%s", raw)
	}
}
