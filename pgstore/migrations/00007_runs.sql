-- +goose NO TRANSACTION
-- +goose Up
-- Payout runs with their lines, and payouts by their run. No row is rewritten.

CREATE TABLE IF NOT EXISTS tributary.runs (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_external_id text COLLATE "C",
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS runs_by_external_id ON tributary.runs (program, by_external_id);

CREATE TABLE IF NOT EXISTS tributary.lines (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_line text COLLATE "C",
  of_run uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS lines_by_line ON tributary.lines (program, by_line);
CREATE INDEX IF NOT EXISTS lines_of_run ON tributary.lines (program, of_run, id);

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.payouts ADD COLUMN IF NOT EXISTS of_run uuid;
END $$;
-- +goose StatementEnd
CREATE INDEX IF NOT EXISTS payouts_of_run ON tributary.payouts (program, of_run, id);
