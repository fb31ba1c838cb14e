-- +goose NO TRANSACTION
-- +goose Up
-- Payments that wait for a person are found by their state. Those in conflict had a payer
-- of their own before; a row that a process of the version before writes meanwhile is
-- listed when it is written again.

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.payments ADD COLUMN IF NOT EXISTS of_state text COLLATE "C";
END $$;
-- +goose StatementEnd
UPDATE tributary.payments SET of_state = 'undecided', of_payer = NULL WHERE of_payer = 'conflict:';
CREATE INDEX IF NOT EXISTS payments_of_state ON tributary.payments (program, of_state, id);
