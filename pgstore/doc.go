// Package pgstore keeps the records of affiliate programs in PostgreSQL: the
// same engine and the same answers as on memstore, for any number of processes.
package pgstore
