-- +goose NO TRANSACTION
-- +goose Up
-- Affiliates by their status, and sales while a commission is on hold. Stop the
-- processes of the version before first: they write rows without a state, which a
-- list by state then leaves out.
--
-- Records of sales cannot be read by SQL. Store.Migrate fills their state in by
-- Store.Fill, and the table fills says that it was done. A host that runs these
-- files with a tool of its own calls Store.Fill after this one.

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.affiliates ADD COLUMN IF NOT EXISTS of_state text COLLATE "C";
END $$;
-- +goose StatementEnd
UPDATE tributary.affiliates SET of_state = record->>'Status' WHERE of_state IS NULL;
CREATE INDEX IF NOT EXISTS affiliates_of_state ON tributary.affiliates (program, of_state, id);

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.sales ADD COLUMN IF NOT EXISTS of_state text COLLATE "C";
END $$;
-- +goose StatementEnd
CREATE INDEX IF NOT EXISTS sales_of_state ON tributary.sales (program, of_state, id);

CREATE TABLE IF NOT EXISTS tributary.fills (
  name text COLLATE "C" PRIMARY KEY,
  filled_at timestamptz NOT NULL DEFAULT now()
);
