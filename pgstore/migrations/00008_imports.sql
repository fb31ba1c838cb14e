-- +goose NO TRANSACTION
-- +goose Up
-- The ledger of imports. No row is rewritten.

CREATE TABLE IF NOT EXISTS tributary.imports (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_ref text COLLATE "C",
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS imports_by_ref ON tributary.imports (program, by_ref);
