-- +goose NO TRANSACTION
-- +goose Up
-- Adjustments, and payouts by their status. No row of another table is touched.
-- Stop the processes of the version before first: they write payouts without a
-- status, which a list of payouts by status then leaves out.

CREATE TABLE IF NOT EXISTS tributary.adjustments (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_external_id text COLLATE "C",
  of_affiliate uuid,
  of_payable uuid,
  of_payout uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS adjustments_by_external_id ON tributary.adjustments (program, by_external_id);
CREATE INDEX IF NOT EXISTS adjustments_of_affiliate ON tributary.adjustments (program, of_affiliate, id);
CREATE INDEX IF NOT EXISTS adjustments_of_payable ON tributary.adjustments (program, of_payable, id);
CREATE INDEX IF NOT EXISTS adjustments_of_payout ON tributary.adjustments (program, of_payout, id);

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.payouts ADD COLUMN IF NOT EXISTS of_state text COLLATE "C";
END $$;
-- +goose StatementEnd
UPDATE tributary.payouts SET of_state = record->>'Status' WHERE of_state IS NULL;
CREATE INDEX IF NOT EXISTS payouts_of_state ON tributary.payouts (program, of_state, id);
