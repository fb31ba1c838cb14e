package main

import (
	"net/url"
	"strconv"
	"time"
)

var endpointColumns = []column{
	{"ID", "id", 36, ident},
	{"URL", "url", 44, plain},
	{"STATUS", "status", 10, plain},
}

var deliveryColumns = []column{
	{"ID", "id", 36, ident},
	{"EVENT", "event", 22, plain},
	{"STATE", "state", 9, plain},
	{"TRIES", "attemptCount", 5, count},
	{"CREATED", "createdAt", 16, date},
}

var webhookCommands = []command{
	{
		group: "webhooks", verb: "list", what: "List webhook endpoints",
		method: "GET", path: "/webhooks", paging: inQuery, columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "get", what: "Show a webhook endpoint",
		method: "GET", path: "/webhooks", fields: fields("webhookId"), arg: "webhookId", columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "create", what: "Create a webhook endpoint; the secret is shown this once",
		method: "POST", path: "/webhooks",
		fields: fields("url", "events:l", "description", "active:b", "svixHeaders:b",
			"headers:j"), arg: "url", columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "update", what: "Change a webhook endpoint",
		method: "PUT", path: "/webhooks",
		fields: fields("webhookId", "url", "events:l", "description", "active:b",
			"svixHeaders:b", "headers:j"), arg: "webhookId",
		columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "delete", what: "Delete a webhook endpoint",
		method: "DELETE", path: "/webhooks", fields: fields("webhookId"), arg: "webhookId", ask: "delete the endpoint",
	},
	{
		group: "webhooks", verb: "rotate", what: "Give an endpoint a new secret; it is shown this once",
		method: "POST", path: "/webhooks/rotate-secret",
		fields: fields("webhookId", "gracePeriodSeconds:n"), arg: "webhookId",
		columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "test", what: "Send a test event to an endpoint",
		method: "POST", path: "/webhooks/test", fields: fields("webhookId", "event"), arg: "webhookId",
	},
	{
		group: "webhooks", verb: "replay", what: "Send a delivery again, or those of --webhook-id in a period",
		method: "POST", path: "/webhooks/replay",
		fields: fields("deliveryId", "webhookId", "since", "until"), arg: "deliveryId",
	},
	{
		group: "webhooks", verb: "deliveries",
		what: "List deliveries, or that of --delivery-id; --json has its payload", method: "GET",
		path: "/webhooks/deliveries",
		fields: fields("deliveryId", "webhookId", "eventId", "state", "event", "since",
			"until"),
		paging: inQuery, columns: deliveryColumns,
	},
}

var eventColumns = []column{
	{"OCCURRED", "occurredAt", 16, date},
	{"EVENT", "event", 18, plain},
	{"OBJECT", "objectId", 36, ident},
	{"REVISION", "revision", 8, count},
}

var eventCommands = []command{
	{
		group: "events", verb: "list",
		what:   "List events, newest first, or those after --after, oldest first; --json has their payloads",
		method: "GET", path: "/events", fields: fields("type", "objectId", "eventId", "after"),
		paging: inQuery, columns: eventColumns,
	},
	{
		group: "events", verb: "follow",
		what:   "Print events as they come, from now on or from --after, a line of JSON each",
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

// An eventWithID is an event with its eventId.
type eventWithID struct {
	id   string
	line []byte
}

func (j *job) eventsOf(query url.Values) (all []eventWithID, err error) {
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
		all = append(all, eventWithID{id, row})
	}
	return all, nil
}
