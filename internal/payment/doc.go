// Package payment turns what payment providers report, in any order, into sales, refunds
// and statuses of customers.
package payment
