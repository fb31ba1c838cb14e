-- +goose NO TRANSACTION
-- +goose Up
-- What payment providers report: payments, their ids, and who pays. No row of
-- another table is touched.

CREATE TABLE IF NOT EXISTS tributary.payments (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_sale uuid,
  of_payer text COLLATE "C",
  record_json json,
  packed bytea,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS payments_by_sale ON tributary.payments (program, by_sale);
CREATE INDEX IF NOT EXISTS payments_of_payer ON tributary.payments (program, of_payer, id);

CREATE TABLE IF NOT EXISTS tributary.paymentkeys (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_payment text COLLATE "C",
  of_payment uuid,
  record_json json,
  packed bytea,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS paymentkeys_by_payment ON tributary.paymentkeys (program, by_payment);
CREATE INDEX IF NOT EXISTS paymentkeys_of_payment ON tributary.paymentkeys (program, of_payment, id);

CREATE TABLE IF NOT EXISTS tributary.payers (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_payer text COLLATE "C",
  of_referral uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS payers_by_payer ON tributary.payers (program, by_payer);
CREATE INDEX IF NOT EXISTS payers_of_referral ON tributary.payers (program, of_referral, id);
