package pgstore

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// fillAtOnce is the number of rows that a statement of Fill reads.
const fillAtOnce = 1000

// salesByState is the fill that 00009_attention.sql leaves to Go.
const salesByState = "sales.of_state"

// Fill writes the columns of new indexes into older rows, when a migration adds an
// index whose keys are in compact records, which SQL cannot read. [Store.Migrate]
// calls it. A host that runs [Migrations] with a tool of its own calls it after
// them; until then lists by such an index leave older rows out.
//
// The table fills remembers finished fills, so a second call does nothing. An
// interrupted fill begins again. It may run beside any number of writers: it reads
// rows without locks, writes only those that have a key, each statement at most a
// thousand, and never overwrites a change.
//
// Errors: an error of the database; the error of ctx.
func (s *Store) Fill(ctx context.Context) error {
	fills := pgx.Identifier{s.cfg.Schema, "fills"}.Sanitize()
	var filled bool
	err := s.pool.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+fills+" WHERE name = $1::text)", salesByState).Scan(&filled)
	if err != nil || filled {
		return filling(err)
	}
	programs, err := s.programs(ctx)
	if err != nil {
		return filling(err)
	}
	for _, program := range programs {
		if err := s.fillSales(ctx, program); err != nil {
			return filling(err)
		}
	}
	_, err = s.pool.Exec(ctx, "INSERT INTO "+fills+" (name) VALUES ($1::text) ON CONFLICT DO NOTHING", salesByState)
	return filling(err)
}

// filling returns an error of Fill.
func filling(err error) error {
	if err == nil {
		return nil
	}
	return &failure{op: "fill", err: err}
}

// fillSales fills the states of the sales of a program in.
func (s *Store) fillSales(ctx context.Context, program uuid.UUID) error {
	i := slices.IndexFunc(s.sql.tables, func(t *tableSQL) bool { return t.name == "sales" })
	sales := s.sql.tables[i]
	read := sales.list[listShape{after: true, limit: true}]
	for after := uuid.Nil; ; {
		var found []listed
		rows, err := s.pool.Query(ctx, read, idArg(program), idArg(after), fillAtOnce)
		if err != nil {
			return err
		}
		err = eachRow(rows, func(rows pgx.Rows) error {
			id, raw, err := scanRecord(rows)
			found = append(found, listed{id, raw})
			return err
		})
		if err != nil || len(found) == 0 {
			return err
		}
		after = found[len(found)-1].id
		if err := s.fillStates(ctx, sales, program, found); err != nil {
			return err
		}
	}
}

// fillStates writes the states of the sales that have one. A row that changed since
// it was read is left alone: whoever changed it has written its state.
func (s *Store) fillStates(ctx context.Context, sales *tableSQL, program uuid.UUID, found []listed) error {
	var ids []entry[struct{}]
	var states []string
	var as [][]byte
	for _, row := range found {
		rec, err := decode[record.Sale](sales, row.raw)
		if err != nil {
			return err
		}
		for _, key := range rec.AppendKeys(nil) {
			if key.Index == record.OfState {
				ids, states, as = append(ids, entry[struct{}]{id: row.id}), append(states, key.Text), append(as, row.raw)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := s.pool.Exec(ctx, "UPDATE "+pgx.Identifier{s.cfg.Schema, "sales"}.Sanitize()+" AS t SET of_state = v.state"+
		" FROM unnest($2::uuid[], $3::text[], $4::bytea[]) AS v(id, state, stored)"+
		" WHERE t.program = $1::uuid AND t.id = v.id AND "+sales.form.stored("t.")+" = v.stored",
		idArg(program), idsOf(ids), states, as)
	return err
}
