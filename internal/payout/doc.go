// Package payout pays affiliates: what is due, previews, runs, and what became of a payout.
package payout
