-- +goose NO TRANSACTION
-- +goose Up
-- One table for each record type: the program and the id, a column for each
-- index, and the record. Every step can be run again, and every key begins with
-- the program. Texts are compared byte by byte.

CREATE TABLE IF NOT EXISTS tributary.affiliates (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_email text COLLATE "C",
  of_plan uuid,
  of_tier uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS affiliates_by_email ON tributary.affiliates (program, by_email);
CREATE INDEX IF NOT EXISTS affiliates_of_plan ON tributary.affiliates (program, of_plan, id);
CREATE INDEX IF NOT EXISTS affiliates_of_tier ON tributary.affiliates (program, of_tier, id);

CREATE TABLE IF NOT EXISTS tributary.links (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_slug text COLLATE "C",
  of_affiliate uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS links_by_slug ON tributary.links (program, by_slug);
CREATE INDEX IF NOT EXISTS links_of_affiliate ON tributary.links (program, of_affiliate, id);

CREATE TABLE IF NOT EXISTS tributary.clicks (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_number uuid,
  of_affiliate uuid,
  of_link uuid,
  of_referral uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS clicks_by_number ON tributary.clicks (program, by_number);
CREATE INDEX IF NOT EXISTS clicks_of_affiliate ON tributary.clicks (program, of_affiliate, id);
CREATE INDEX IF NOT EXISTS clicks_of_link ON tributary.clicks (program, of_link, id);
CREATE INDEX IF NOT EXISTS clicks_of_referral ON tributary.clicks (program, of_referral, id);

CREATE TABLE IF NOT EXISTS tributary.referrals (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_email text COLLATE "C",
  of_affiliate uuid,
  of_link uuid,
  of_customer text COLLATE "C",
  of_plan uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS referrals_by_email ON tributary.referrals (program, by_email);
CREATE INDEX IF NOT EXISTS referrals_of_affiliate ON tributary.referrals (program, of_affiliate, id);
CREATE INDEX IF NOT EXISTS referrals_of_link ON tributary.referrals (program, of_link, id);
CREATE INDEX IF NOT EXISTS referrals_of_customer ON tributary.referrals (program, of_customer, id);
CREATE INDEX IF NOT EXISTS referrals_of_plan ON tributary.referrals (program, of_plan, id);

CREATE TABLE IF NOT EXISTS tributary.coupons (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_external_id text COLLATE "C",
  of_name text COLLATE "C",
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS coupons_by_external_id ON tributary.coupons (program, by_external_id);
CREATE INDEX IF NOT EXISTS coupons_of_name ON tributary.coupons (program, of_name, id);

CREATE TABLE IF NOT EXISTS tributary.codes (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_code text COLLATE "C",
  by_external_id text COLLATE "C",
  of_coupon uuid,
  of_affiliate uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS codes_by_code ON tributary.codes (program, by_code);
CREATE UNIQUE INDEX IF NOT EXISTS codes_by_external_id ON tributary.codes (program, by_external_id);
CREATE INDEX IF NOT EXISTS codes_of_coupon ON tributary.codes (program, of_coupon, id);
CREATE INDEX IF NOT EXISTS codes_of_affiliate ON tributary.codes (program, of_affiliate, id);

CREATE TABLE IF NOT EXISTS tributary.redemptions (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_code uuid,
  of_coupon uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS redemptions_of_code ON tributary.redemptions (program, of_code, id);
CREATE INDEX IF NOT EXISTS redemptions_of_coupon ON tributary.redemptions (program, of_coupon, id);

CREATE TABLE IF NOT EXISTS tributary.sales (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_number uuid,
  by_external_id text COLLATE "C",
  by_invoice text COLLATE "C",
  of_affiliate uuid,
  of_referral uuid,
  of_link uuid,
  of_customer text COLLATE "C",
  of_payable uuid,
  of_payout uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS sales_by_number ON tributary.sales (program, by_number);
CREATE UNIQUE INDEX IF NOT EXISTS sales_by_external_id ON tributary.sales (program, by_external_id);
CREATE UNIQUE INDEX IF NOT EXISTS sales_by_invoice ON tributary.sales (program, by_invoice);
CREATE INDEX IF NOT EXISTS sales_of_affiliate ON tributary.sales (program, of_affiliate, id);
CREATE INDEX IF NOT EXISTS sales_of_referral ON tributary.sales (program, of_referral, id);
CREATE INDEX IF NOT EXISTS sales_of_link ON tributary.sales (program, of_link, id);
CREATE INDEX IF NOT EXISTS sales_of_customer ON tributary.sales (program, of_customer, id);
CREATE INDEX IF NOT EXISTS sales_of_payable ON tributary.sales (program, of_payable, id);
CREATE INDEX IF NOT EXISTS sales_of_payout ON tributary.sales (program, of_payout, id);

CREATE TABLE IF NOT EXISTS tributary.plans (
  program uuid NOT NULL,
  id uuid NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE IF NOT EXISTS tributary.tiers (
  program uuid NOT NULL,
  id uuid NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE IF NOT EXISTS tributary.payouts (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_affiliate uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS payouts_of_affiliate ON tributary.payouts (program, of_affiliate, id);

CREATE TABLE IF NOT EXISTS tributary.totals (
  program uuid NOT NULL,
  id uuid NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE IF NOT EXISTS tributary.receipts (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_request text COLLATE "C",
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS receipts_by_request ON tributary.receipts (program, by_request);

CREATE TABLE IF NOT EXISTS tributary.endpoints (
  program uuid NOT NULL,
  id uuid NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE IF NOT EXISTS tributary.events (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_object uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS events_of_object ON tributary.events (program, of_object, id);

CREATE TABLE IF NOT EXISTS tributary.deliveries (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_event uuid,
  of_endpoint uuid,
  of_state text COLLATE "C",
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS deliveries_of_event ON tributary.deliveries (program, of_event, id);
CREATE INDEX IF NOT EXISTS deliveries_of_endpoint ON tributary.deliveries (program, of_endpoint, id);
CREATE INDEX IF NOT EXISTS deliveries_of_state ON tributary.deliveries (program, of_state, id);

CREATE TABLE IF NOT EXISTS tributary.queue (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_delivery uuid,
  of_endpoint uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS queue_by_delivery ON tributary.queue (program, by_delivery);
CREATE INDEX IF NOT EXISTS queue_of_endpoint ON tributary.queue (program, of_endpoint, id);

-- The last integer ids of a program, and its marks: no record has an id above its
-- mark.
CREATE TABLE IF NOT EXISTS tributary.programs (
  program uuid NOT NULL,
  sale bigint NOT NULL,
  commission bigint NOT NULL,
  click bigint NOT NULL,
  marks bytea NOT NULL,
  PRIMARY KEY (program)
);
