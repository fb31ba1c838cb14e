package pgstore

import (
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// CommitUnknown reports whether an error of a transaction's last batch leaves
// the outcome of the transaction open.
func CommitUnknown(err error, atCommit, broken bool) bool {
	return errors.Is(commitFailure(err, atCommit, broken), ErrOutcomeUnknown)
}

// Overtaken reports whether a transaction that ended with an error of the server runs again.
func Overtaken(err error) bool { return overtaken(&failure{err: err}) }

// Waiting returns how many Updates of a program wait for their turn.
func (s *Store) Waiting(program uuid.UUID) int {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	return len(s.turns.lines[program])
}

// Statements returns all statements of the Store.
func (s *Store) Statements() []string {
	var all []string
	for _, t := range s.sql.tables {
		all = append(all, t.writes[:]...)
		for _, ask := range t.asks {
			all = append(all, ask.one, ask.many, ask.bare)
			if ask.linksOfOne != "" {
				all = append(all, ask.linksOfOne, ask.linksOfMany)
			}
		}
		for _, sql := range t.lists {
			all = append(all, sql)
		}
		for _, sql := range t.list {
			all = append(all, sql)
		}
	}
	return append(all, s.sql.opening, s.sql.closing, s.sql.version, s.sql.numbers)
}

// Remembered returns how many records and keys the Store remembers.
func (s *Store) Remembered() int {
	s.pictures.mu.Lock()
	defer s.pictures.mu.Unlock()
	return s.pictures.size
}

// SetCommitPatience sets how long a commit of no rows may take.
func (s *Store) SetCommitPatience(d time.Duration) { s.commitPatience = d }

// MostRows is the number of rows that one statement writes.
const MostRows = mostRows

// Pool returns the pool of the Store.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// Schema returns the schema of the Store.
func (s *Store) Schema() string { return s.cfg.Schema }
