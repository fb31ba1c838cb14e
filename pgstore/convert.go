package pgstore

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// convertAtOnce is the number of rows that a transaction of Convert writes.
const convertAtOnce = 1000

// Convert rewrites rows that an earlier version stored as JSON in the compact form,
// and returns how many. Nothing depends on it: such rows are read as they are, and
// get the new form with their next change. It frees disk space (see VACUUM) and makes
// reports faster.
//
// It may run at any time, beside any number of writers, and again after it was
// interrupted. Each transaction rewrites at most a thousand rows. It waits for no
// writer, and a writer waits for one such transaction at most. Rows that a writer
// holds at that moment are left out.
//
// Errors: an error of the database; the error of ctx.
func (s *Store) Convert(ctx context.Context) (int, error) {
	programs, err := s.programs(ctx)
	if err != nil {
		return 0, &failure{op: "convert", err: err}
	}
	total := 0
	for _, program := range programs {
		for _, table := range s.sql.tables {
			if table.form.codec == nil {
				continue
			}
			n, err := table.convertAll(ctx, s.pool, program)
			total += n
			if err != nil {
				return total, &failure{op: "convert " + table.name, err: err}
			}
		}
	}
	return total, nil
}

// programs returns the programs that have rows.
func (s *Store) programs(ctx context.Context) ([]uuid.UUID, error) {
	rows, err := s.pool.Query(ctx, "SELECT program FROM "+pgx.Identifier{s.cfg.Schema, "programs"}.Sanitize()+" ORDER BY program")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (id uuid.UUID, err error) {
		err = row.Scan((*[16]byte)(&id))
		return id, err
	})
}

// convertAll rewrites the rows of one program, in the order of their ids.
func (s *tableSQL) convertAll(ctx context.Context, pool *pgxpool.Pool, program uuid.UUID) (total int, err error) {
	after := uuid.Nil
	for {
		var n int
		err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
			found, err := s.oldRows(ctx, tx, program, after)
			if n = len(found); err != nil || n == 0 {
				return err
			}
			after = found[n-1].id
			return s.rewrite(ctx, tx, program, found)
		})
		if err != nil {
			return total, err
		}
		total += n
		if n == 0 {
			return total, nil
		}
	}
}

// oldRows returns the next rows with JSON, locked. Rows that somebody else has locked
// are skipped, so it never waits.
func (s *tableSQL) oldRows(ctx context.Context, tx pgx.Tx, program, after uuid.UUID) (found []listed, err error) {
	rows, err := tx.Query(ctx, s.old, idArg(program), idArg(after), convertAtOnce)
	if err != nil {
		return nil, err
	}
	return found, eachRow(rows, func(rows pgx.Rows) error {
		id, raw, err := scanRecord(rows)
		found = append(found, listed{id, raw})
		return err
	})
}

// rewrite stores the rows in the compact form.
func (s *tableSQL) rewrite(ctx context.Context, tx pgx.Tx, program uuid.UUID, found []listed) error {
	ids, records := make([]entry[struct{}], len(found)), make([]encoded, len(found))
	for i, row := range found {
		var err error
		if records[i], err = s.form.convert(row.raw); err != nil {
			return fmt.Errorf("row %s: %w", row.id, err)
		}
		ids[i].id = row.id
	}
	args := []any{idArg(program), idsOf(ids)}
	for i, c := range s.form.columns {
		args = append(args, c.array(records, i))
	}
	_, err := tx.Exec(ctx, s.replaces, args...)
	return err
}
