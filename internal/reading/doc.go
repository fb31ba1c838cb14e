// Package reading answers questions about what is stored: balances, statements, movements,
// reports, explanations and simulations. It writes nothing.
package reading
