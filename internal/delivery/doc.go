// Package delivery sends events to endpoints: endpoints and their secrets, claims,
// attempts, replays and tests.
package delivery
