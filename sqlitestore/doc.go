// Package sqlitestore keeps programs in one SQLite file.
package sqlitestore
