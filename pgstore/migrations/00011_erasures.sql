-- +goose NO TRANSACTION
-- +goose Up
-- What is kept of the emails of people who were erased. No row of another table is
-- touched.

CREATE TABLE IF NOT EXISTS tributary.erasures (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_referral uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS erasures_of_referral ON tributary.erasures (program, of_referral, id);
