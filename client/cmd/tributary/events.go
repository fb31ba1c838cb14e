package main

import (
	"net/url"
	"strconv"
	"time"
)

var eventColumns = []column{
	{"OCCURRED", "occurredAt", 16, date},
	{"EVENT", "event", 18, plain},
	{"OBJECT", "objectId", 36, ident},
	{"REVISION", "revision", 8, count},
}

var eventCommands = []command{
	{
		group: "events", verb: "list", what: "List events, newest first, or those after --after, oldest first; --json has their payloads",
		method: "GET", path: "/events", fields: fields("type", "objectId", "eventId", "after"), paging: inQuery, columns: eventColumns,
	},
	{
		group: "events", verb: "follow", what: "Print events as they come, from now on or from --after, a line of JSON each",
		method: "GET", path: "/events", fields: fields("after"), run: followEvents,
	},
}

const (
	followBatch = "100"       // how many events follow asks for at a time
	followPoll  = time.Second // how often it asks when there are none
)

// followEvents prints the events after a position until it is interrupted.
func followEvents(j *job) error {
	position := j.text("after", "")
	if position == "" {
		newest, err := j.eventsOf(url.Values{"limit": {"1"}})
		if err != nil {
			return err
		}
		if position = "start"; len(newest) > 0 {
			position = newest[0].id
		}
	}
	for {
		events, err := j.eventsOf(url.Values{"after": {position}, "limit": {followBatch}})
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := j.printJSON(e.line); err != nil {
				return err
			}
			position = e.id
		}
		if err := j.stdout.Flush(); err != nil {
			return err
		}
		if full, _ := strconv.Atoi(followBatch); len(events) == full {
			continue
		}
		select {
		case <-time.After(followPoll):
		case <-j.ctx.Done():
			return j.ctx.Err()
		}
	}
}

// A told is an event with its eventId.
type told struct {
	id   string
	line []byte
}

func (j *job) eventsOf(query url.Values) (all []told, err error) {
	answer, err := j.client.Do(j.ctx, "GET", "/events", query, nil)
	if err != nil {
		return nil, err
	}
	body, err := j.clean(answer.Body)
	if err != nil {
		return nil, err
	}
	rows, err := rowsOf(body, "")
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		r, err := read(row)
		if err != nil {
			return nil, err
		}
		id, _ := r["eventId"].(string)
		all = append(all, told{id, row})
	}
	return all, nil
}
