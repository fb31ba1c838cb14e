// Package delivery brings events to endpoints: endpoints and their secrets, claims,
// attempts, replays and trials.
package delivery
