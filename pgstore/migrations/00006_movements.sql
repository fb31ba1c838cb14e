-- +goose NO TRANSACTION
-- +goose Up
-- The ledger: what affiliates are owed, movement by movement. No row of another
-- table is touched. The books are fields of the totals; those of affiliates with
-- sales from before are opened by Program.OpenBooks.

CREATE TABLE IF NOT EXISTS tributary.movements (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_affiliate uuid,
  of_sale uuid,
  record_json json,
  packed bytea,
  at timestamptz,
  amount bigint,
  cause text COLLATE "C",
  source text COLLATE "C",
  target text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS movements_of_affiliate ON tributary.movements (program, of_affiliate, id);
CREATE INDEX IF NOT EXISTS movements_of_sale ON tributary.movements (program, of_sale, id);

-- What reports read, as the other views.

CREATE OR REPLACE VIEW tributary.movements_report AS
SELECT m.program, m.of_affiliate AS affiliate_id, m.id AS movement_id, m.at, m.cause, m.source AS from_account, m.target AS to_account,
  round(m.amount * 0.0001, 4) AS amount, ('x' || right(replace(m.of_sale::text, '-', ''), 16))::bit(64)::bigint AS sale_id
FROM tributary.movements AS m;
