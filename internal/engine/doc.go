// Package engine runs the operations of a program: one transaction each, with its events
// and receipts. It has the nouns, from affiliates to tiers, and their rules. The rooms
// beside it, such as payout and delivery, are built on it; it knows none of them.
package engine
