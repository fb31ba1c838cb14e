-- +goose NO TRANSACTION
-- +goose Up
-- Tables with many rows store a compact record, and beside it what reports ask
-- for. The JSON of the rows of before stays where it is, in a column of another
-- name, and is read as before: a process of the version before then gets an error
-- that names the column, and misreads nothing.
--
-- No row is touched and no index is made, so each step takes a moment, however
-- many rows there are. A step waits at most five seconds for whoever reads the
-- table, so that nobody waits long behind it; then it fails, and may be repeated.
-- A step that was done already does nothing.

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.sales RENAME COLUMN record TO record_json;
  ALTER TABLE tributary.sales ALTER COLUMN record_json DROP NOT NULL,
    ADD COLUMN IF NOT EXISTS packed bytea,
    ADD COLUMN IF NOT EXISTS at timestamptz,
    ADD COLUMN IF NOT EXISTS total bigint,
    ADD COLUMN IF NOT EXISTS refunded bigint,
    ADD COLUMN IF NOT EXISTS commission bigint,
    ADD COLUMN IF NOT EXISTS status text COLLATE "C";
EXCEPTION WHEN undefined_column THEN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.redemptions RENAME COLUMN record TO record_json;
  ALTER TABLE tributary.redemptions ALTER COLUMN record_json DROP NOT NULL,
    ADD COLUMN IF NOT EXISTS packed bytea,
    ADD COLUMN IF NOT EXISTS at timestamptz,
    ADD COLUMN IF NOT EXISTS restored_at timestamptz;
EXCEPTION WHEN undefined_column THEN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.clicks RENAME COLUMN record TO record_json;
  ALTER TABLE tributary.clicks ALTER COLUMN record_json DROP NOT NULL,
    ADD COLUMN IF NOT EXISTS packed bytea,
    ADD COLUMN IF NOT EXISTS at timestamptz,
    ADD COLUMN IF NOT EXISTS is_unique boolean;
EXCEPTION WHEN undefined_column THEN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.events RENAME COLUMN record TO record_json;
  ALTER TABLE tributary.events ALTER COLUMN record_json DROP NOT NULL,
    ADD COLUMN IF NOT EXISTS packed bytea,
    ADD COLUMN IF NOT EXISTS payload bytea,
    ADD COLUMN IF NOT EXISTS at timestamptz,
    ADD COLUMN IF NOT EXISTS type text COLLATE "C";
EXCEPTION WHEN undefined_column THEN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.deliveries RENAME COLUMN record TO record_json;
  ALTER TABLE tributary.deliveries ALTER COLUMN record_json DROP NOT NULL,
    ADD COLUMN IF NOT EXISTS packed bytea,
    ADD COLUMN IF NOT EXISTS at timestamptz,
    ADD COLUMN IF NOT EXISTS attempts bigint;
EXCEPTION WHEN undefined_column THEN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$ BEGIN
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE tributary.receipts RENAME COLUMN record TO record_json;
  ALTER TABLE tributary.receipts ALTER COLUMN record_json DROP NOT NULL,
    ADD COLUMN IF NOT EXISTS packed bytea;
EXCEPTION WHEN undefined_column THEN NULL;
END $$;
-- +goose StatementEnd

-- The first release did not store since when a delivery waits: since it is due,
-- which is the beginning of its place in the queue.

UPDATE tributary.queue
SET record = (record::jsonb || jsonb_build_object('Since', to_char(
  to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::json
WHERE record->>'Since' IS NULL;

-- What reports read. The columns of these views are a promise, those of the
-- tables are not. Amounts are exact numbers in major units.

CREATE OR REPLACE VIEW tributary.sales_report AS
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

CREATE OR REPLACE VIEW tributary.redemptions_report AS
SELECT r.program, ('x' || right(replace(r.id::text, '-', ''), 16))::bit(64)::bigint AS sale_id,
  coalesce(r.at, (r.record_json->>'CreatedAt')::timestamptz) AS redeemed_at,
  coalesce(r.restored_at, nullif(r.record_json->>'RestoredAt', '0001-01-01T00:00:00Z')::timestamptz) AS restored_at,
  r.of_code AS promotional_code_id, r.of_coupon AS coupon_id
FROM tributary.redemptions AS r;

CREATE OR REPLACE VIEW tributary.codes_report AS
SELECT c.program, c.id AS promotional_code_id, c.record->>'Code' AS code, c.of_coupon AS coupon_id, c.of_affiliate AS affiliate_id,
  c.by_external_id AS external_id, (c.record->>'Active')::boolean AS active, (c.record->>'TimesRedeemed')::bigint AS times_redeemed,
  (c.record->>'CreatedAt')::timestamptz AS created_at
FROM tributary.codes AS c;

CREATE OR REPLACE VIEW tributary.clicks_report AS
SELECT c.program, ('x' || right(replace(c.by_number::text, '-', ''), 16))::bit(64)::bigint AS click_id,
  coalesce(c.at, (c.record_json->>'CreatedAt')::timestamptz) AS created_at,
  coalesce(c.is_unique, (c.record_json->>'Unique')::boolean) AS is_unique,
  c.of_affiliate AS affiliate_id, c.of_link AS affiliate_link_id, c.of_referral AS referral_id
FROM tributary.clicks AS c;

CREATE OR REPLACE VIEW tributary.events_report AS
SELECT e.program, 'evt_' || replace(e.id::text, '-', '') AS event_id,
  coalesce(e.type, e.record_json->>'Type') AS event,
  coalesce(e.at, (e.record_json->>'OccurredAt')::timestamptz) AS occurred_at,
  e.of_object AS object_id
FROM tributary.events AS e;

CREATE OR REPLACE VIEW tributary.deliveries_report AS
SELECT d.program, d.id AS delivery_id, 'evt_' || replace(d.of_event::text, '-', '') AS event_id, d.of_endpoint AS webhook_id,
  d.of_state AS status,
  coalesce(d.at, (d.record_json->>'CreatedAt')::timestamptz) AS created_at,
  coalesce(d.attempts, CASE json_typeof(d.record_json->'Attempts') WHEN 'array' THEN json_array_length(d.record_json->'Attempts') ELSE 0 END) AS attempts
FROM tributary.deliveries AS d;
