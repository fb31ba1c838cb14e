// Package payout pays affiliates: what is due, previews, runs, and the status of payouts.
package payout
