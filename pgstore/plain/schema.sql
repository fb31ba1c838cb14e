-- A new, empty schema for a server that speaks PostgreSQL's language and is not
-- PostgreSQL. There, texts have to be compared byte by byte without being told.
-- A test makes this file from the migrations. It can be run once.

CREATE SCHEMA tributary;

CREATE TABLE tributary.adjustments (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_external_id text,
  of_affiliate uuid,
  of_payable uuid,
  of_payout uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX adjustments_by_external_id ON tributary.adjustments (program, by_external_id);
CREATE INDEX adjustments_of_affiliate ON tributary.adjustments (program, of_affiliate, id);
CREATE INDEX adjustments_of_payable ON tributary.adjustments (program, of_payable, id);
CREATE INDEX adjustments_of_payout ON tributary.adjustments (program, of_payout, id);

CREATE TABLE tributary.affiliates (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_email text,
  of_plan uuid,
  of_tier uuid,
  record json NOT NULL,
  of_state text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX affiliates_by_email ON tributary.affiliates (program, by_email);
CREATE INDEX affiliates_of_plan ON tributary.affiliates (program, of_plan, id);
CREATE INDEX affiliates_of_state ON tributary.affiliates (program, of_state, id);
CREATE INDEX affiliates_of_tier ON tributary.affiliates (program, of_tier, id);

CREATE TABLE tributary.aliases (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_slug text,
  of_link uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX aliases_by_slug ON tributary.aliases (program, by_slug);
CREATE INDEX aliases_of_link ON tributary.aliases (program, of_link, id);

CREATE TABLE tributary.clicks (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_number uuid,
  of_affiliate uuid,
  of_link uuid,
  of_referral uuid,
  record_json json,
  packed bytea,
  at timestamptz,
  is_unique bool,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX clicks_by_number ON tributary.clicks (program, by_number);
CREATE INDEX clicks_of_affiliate ON tributary.clicks (program, of_affiliate, id);
CREATE INDEX clicks_of_link ON tributary.clicks (program, of_link, id);
CREATE INDEX clicks_of_referral ON tributary.clicks (program, of_referral, id);

CREATE TABLE tributary.codes (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_code text,
  by_external_id text,
  of_coupon uuid,
  of_affiliate uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX codes_by_code ON tributary.codes (program, by_code);
CREATE UNIQUE INDEX codes_by_external_id ON tributary.codes (program, by_external_id);
CREATE INDEX codes_of_affiliate ON tributary.codes (program, of_affiliate, id);
CREATE INDEX codes_of_coupon ON tributary.codes (program, of_coupon, id);

CREATE TABLE tributary.coupons (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_external_id text,
  of_name text,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX coupons_by_external_id ON tributary.coupons (program, by_external_id);
CREATE INDEX coupons_of_name ON tributary.coupons (program, of_name, id);

CREATE TABLE tributary.dedup (
  id text NOT NULL,
  done_at timestamptz NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX dedup_done_at ON tributary.dedup (done_at);

CREATE TABLE tributary.deliveries (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_event uuid,
  of_endpoint uuid,
  of_state text,
  record_json json,
  packed bytea,
  at timestamptz,
  attempts bigint,
  PRIMARY KEY (program, id)
);
CREATE INDEX deliveries_of_endpoint ON tributary.deliveries (program, of_endpoint, id);
CREATE INDEX deliveries_of_event ON tributary.deliveries (program, of_event, id);
CREATE INDEX deliveries_of_state ON tributary.deliveries (program, of_state, id);

CREATE TABLE tributary.endpoints (
  program uuid NOT NULL,
  id uuid NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE tributary.erasures (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_referral uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX erasures_of_referral ON tributary.erasures (program, of_referral, id);

CREATE TABLE tributary.events (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_object uuid,
  record_json json,
  packed bytea,
  payload bytea,
  at timestamptz,
  type text,
  PRIMARY KEY (program, id)
);
CREATE INDEX events_of_object ON tributary.events (program, of_object, id);

CREATE TABLE tributary.fills (
  name text NOT NULL,
  filled_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (name)
);

CREATE TABLE tributary.imports (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_ref text,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX imports_by_ref ON tributary.imports (program, by_ref);

CREATE TABLE tributary.lines (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_line text,
  of_run uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX lines_by_line ON tributary.lines (program, by_line);
CREATE INDEX lines_of_run ON tributary.lines (program, of_run, id);

CREATE TABLE tributary.links (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_slug text,
  of_affiliate uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX links_by_slug ON tributary.links (program, by_slug);
CREATE INDEX links_of_affiliate ON tributary.links (program, of_affiliate, id);

CREATE TABLE tributary.movements (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_affiliate uuid,
  of_sale uuid,
  record_json json,
  packed bytea,
  at timestamptz,
  amount bigint,
  cause text,
  source text,
  target text,
  PRIMARY KEY (program, id)
);
CREATE INDEX movements_of_affiliate ON tributary.movements (program, of_affiliate, id);
CREATE INDEX movements_of_sale ON tributary.movements (program, of_sale, id);

CREATE TABLE tributary.payers (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_payer text,
  of_referral uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX payers_by_payer ON tributary.payers (program, by_payer);
CREATE INDEX payers_of_referral ON tributary.payers (program, of_referral, id);

CREATE TABLE tributary.paymentkeys (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_payment text,
  of_payment uuid,
  record_json json,
  packed bytea,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX paymentkeys_by_payment ON tributary.paymentkeys (program, by_payment);
CREATE INDEX paymentkeys_of_payment ON tributary.paymentkeys (program, of_payment, id);

CREATE TABLE tributary.payments (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_sale uuid,
  of_payer text,
  record_json json,
  packed bytea,
  of_state text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX payments_by_sale ON tributary.payments (program, by_sale);
CREATE INDEX payments_of_payer ON tributary.payments (program, of_payer, id);
CREATE INDEX payments_of_state ON tributary.payments (program, of_state, id);

CREATE TABLE tributary.payouts (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_affiliate uuid,
  record json NOT NULL,
  of_state text,
  of_run uuid,
  PRIMARY KEY (program, id)
);
CREATE INDEX payouts_of_affiliate ON tributary.payouts (program, of_affiliate, id);
CREATE INDEX payouts_of_run ON tributary.payouts (program, of_run, id);
CREATE INDEX payouts_of_state ON tributary.payouts (program, of_state, id);

CREATE TABLE tributary.plans (
  program uuid NOT NULL,
  id uuid NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE tributary.programs (
  program uuid NOT NULL,
  sale bigint NOT NULL,
  commission bigint NOT NULL,
  click bigint NOT NULL,
  marks bytea NOT NULL,
  PRIMARY KEY (program)
);

CREATE TABLE tributary.queue (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_delivery uuid,
  of_endpoint uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX queue_by_delivery ON tributary.queue (program, by_delivery);
CREATE INDEX queue_of_endpoint ON tributary.queue (program, of_endpoint, id);

CREATE TABLE tributary.receipts (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_request text,
  record_json json,
  packed bytea,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX receipts_by_request ON tributary.receipts (program, by_request);

CREATE TABLE tributary.redemptions (
  program uuid NOT NULL,
  id uuid NOT NULL,
  of_code uuid,
  of_coupon uuid,
  record_json json,
  packed bytea,
  at timestamptz,
  restored_at timestamptz,
  PRIMARY KEY (program, id)
);
CREATE INDEX redemptions_of_code ON tributary.redemptions (program, of_code, id);
CREATE INDEX redemptions_of_coupon ON tributary.redemptions (program, of_coupon, id);

CREATE TABLE tributary.referrals (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_email text,
  of_affiliate uuid,
  of_link uuid,
  of_customer text,
  of_plan uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX referrals_by_email ON tributary.referrals (program, by_email);
CREATE INDEX referrals_of_affiliate ON tributary.referrals (program, of_affiliate, id);
CREATE INDEX referrals_of_customer ON tributary.referrals (program, of_customer, id);
CREATE INDEX referrals_of_link ON tributary.referrals (program, of_link, id);
CREATE INDEX referrals_of_plan ON tributary.referrals (program, of_plan, id);

CREATE TABLE tributary.runs (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_external_id text,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX runs_by_external_id ON tributary.runs (program, by_external_id);

CREATE TABLE tributary.sales (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_number uuid,
  by_external_id text,
  by_invoice text,
  of_affiliate uuid,
  of_referral uuid,
  of_link uuid,
  of_customer text,
  of_payable uuid,
  of_payout uuid,
  record_json json,
  packed bytea,
  at timestamptz,
  total bigint,
  refunded bigint,
  commission bigint,
  status text,
  of_state text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX sales_by_external_id ON tributary.sales (program, by_external_id);
CREATE UNIQUE INDEX sales_by_invoice ON tributary.sales (program, by_invoice);
CREATE UNIQUE INDEX sales_by_number ON tributary.sales (program, by_number);
CREATE INDEX sales_of_affiliate ON tributary.sales (program, of_affiliate, id);
CREATE INDEX sales_of_customer ON tributary.sales (program, of_customer, id);
CREATE INDEX sales_of_link ON tributary.sales (program, of_link, id);
CREATE INDEX sales_of_payable ON tributary.sales (program, of_payable, id);
CREATE INDEX sales_of_payout ON tributary.sales (program, of_payout, id);
CREATE INDEX sales_of_referral ON tributary.sales (program, of_referral, id);
CREATE INDEX sales_of_state ON tributary.sales (program, of_state, id);

CREATE TABLE tributary.tiers (
  program uuid NOT NULL,
  id uuid NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE tributary.totals (
  program uuid NOT NULL,
  id uuid NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE VIEW tributary.sales_report AS
SELECT s.program, ('x' || right(replace(s.by_number::text, '-', ''), 16))::bit(64)::bigint AS sale_id,
  coalesce(s.at, (s.record_json->>'CreatedAt')::timestamptz) AS created_at,
  coalesce(s.status, s.record_json->>'Status') AS status,
  round(coalesce(s.total * 0.0001, (s.record_json->>'TotalEarned')::numeric), 4) AS total_earned,
  round(coalesce(s.refunded * 0.0001, (s.record_json->>'Refunded')::numeric, 0), 4) AS refunded_amount,
  round(coalesce(s.commission * 0.0001, (
    SELECT sum((c->>'Earned')::numeric)
    FROM json_array_elements(CASE json_typeof(s.record_json->'Commissions') WHEN 'array' THEN s.record_json->'Commissions' END) AS c
  ), 0), 4) AS commission_earned,
  s.of_affiliate AS affiliate_id, s.of_referral AS referral_id, s.of_link AS affiliate_link_id, r.of_code AS promotional_code_id,
  s.by_external_id AS external_id, s.by_invoice AS external_invoice_id, s.of_customer AS email, s.of_payout AS payout_id
FROM tributary.sales AS s
LEFT JOIN tributary.redemptions AS r ON r.program = s.program AND r.id = s.by_number;

CREATE VIEW tributary.redemptions_report AS
SELECT r.program, ('x' || right(replace(r.id::text, '-', ''), 16))::bit(64)::bigint AS sale_id,
  coalesce(r.at, (r.record_json->>'CreatedAt')::timestamptz) AS redeemed_at,
  coalesce(r.restored_at, nullif(r.record_json->>'RestoredAt', '0001-01-01T00:00:00Z')::timestamptz) AS restored_at,
  r.of_code AS promotional_code_id, r.of_coupon AS coupon_id
FROM tributary.redemptions AS r;

CREATE VIEW tributary.codes_report AS
SELECT c.program, c.id AS promotional_code_id, c.record->>'Code' AS code, c.of_coupon AS coupon_id, c.of_affiliate AS affiliate_id,
  c.by_external_id AS external_id, (c.record->>'Active')::boolean AS active, (c.record->>'TimesRedeemed')::bigint AS times_redeemed,
  (c.record->>'CreatedAt')::timestamptz AS created_at
FROM tributary.codes AS c;

CREATE VIEW tributary.clicks_report AS
SELECT c.program, ('x' || right(replace(c.by_number::text, '-', ''), 16))::bit(64)::bigint AS click_id,
  coalesce(c.at, (c.record_json->>'CreatedAt')::timestamptz) AS created_at,
  coalesce(c.is_unique, (c.record_json->>'Unique')::boolean) AS is_unique,
  c.of_affiliate AS affiliate_id, c.of_link AS affiliate_link_id, c.of_referral AS referral_id
FROM tributary.clicks AS c;

CREATE VIEW tributary.events_report AS
SELECT e.program, 'evt_' || replace(e.id::text, '-', '') AS event_id,
  coalesce(e.type, e.record_json->>'Type') AS event,
  coalesce(e.at, (e.record_json->>'OccurredAt')::timestamptz) AS occurred_at,
  e.of_object AS object_id
FROM tributary.events AS e;

CREATE VIEW tributary.deliveries_report AS
SELECT d.program, d.id AS delivery_id, 'evt_' || replace(d.of_event::text, '-', '') AS event_id, d.of_endpoint AS webhook_id,
  d.of_state AS status,
  coalesce(d.at, (d.record_json->>'CreatedAt')::timestamptz) AS created_at,
  coalesce(d.attempts, CASE json_typeof(d.record_json->'Attempts') WHEN 'array' THEN json_array_length(d.record_json->'Attempts') ELSE 0 END) AS attempts
FROM tributary.deliveries AS d;

CREATE VIEW tributary.movements_report AS
SELECT m.program, m.of_affiliate AS affiliate_id, m.id AS movement_id, m.at, m.cause, m.source AS from_account, m.target AS to_account,
  round(m.amount * 0.0001, 4) AS amount, ('x' || right(replace(m.of_sale::text, '-', ''), 16))::bit(64)::bigint AS sale_id
FROM tributary.movements AS m;
