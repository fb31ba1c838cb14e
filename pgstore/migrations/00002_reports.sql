-- +goose NO TRANSACTION
-- +goose Up
-- What reports read, with the words of the wire and amounts as decimals:
-- docs/tables.md has the columns.

CREATE OR REPLACE VIEW tributary.sales_report AS
SELECT s.program, s.sale_id, s.created_at, s.status, round(s.total_earned * 0.0001, 4) AS total_earned,
  round(s.refunded_amount * 0.0001, 4) AS refunded_amount,
  round(s.commission_earned * 0.0001, 4) AS commission_earned,
  s.affiliate_id, s.referral_id, s.affiliate_link_id, s.promotional_code_id,
  nullif(s.external_id, '') AS external_id, nullif(s.external_invoice_id, '') AS external_invoice_id, nullif(s.email, '') AS email,
  (s.commissions->0->>'payout_id')::uuid AS payout_id, nullif(s.conversion, '') AS conversion
FROM tributary.sales AS s;

CREATE OR REPLACE VIEW tributary.commissions_report AS
SELECT s.program, s.sale_id, (c->>'commission_id')::bigint AS commission_id, (c->>'affiliate_id')::uuid AS affiliate_id,
  round((c->>'commission_earned')::bigint * 0.0001, 4) AS commission_earned, c->>'approval_status' AS approval_status,
  c->>'hold_reason' AS hold_reason, (c->>'payout_id')::uuid AS payout_id, coalesce((c->>'manually_paid')::boolean, false) AS manually_paid,
  coalesce((c->>'clawback')::boolean, false) AS clawback, c->>'bonus_reason' AS bonus_reason,
  CASE
    WHEN c->>'approval_status' = 'DECLINED' THEN NULL
    WHEN (c->>'clawback')::boolean THEN timestamptz 'epoch' + (c->>'created_at')::bigint * interval '1 microsecond'
    ELSE s.created_at + s.hold_days * interval '24 hours'
  END AS payable_at,
  timestamptz 'epoch' + (c->>'created_at')::bigint * interval '1 microsecond' AS created_at,
  timestamptz 'epoch' + (c->>'updated_at')::bigint * interval '1 microsecond' AS updated_at
FROM tributary.sales AS s, json_array_elements(s.commissions) AS c;

CREATE OR REPLACE VIEW tributary.redemptions_report AS
SELECT r.program, r.sale_id, r.created_at AS redeemed_at, r.restored_at, r.promotional_code_id, r.coupon_id
FROM tributary.redemptions AS r;

CREATE OR REPLACE VIEW tributary.codes_report AS
SELECT c.program, c.id AS promotional_code_id, c.code, c.coupon_id, c.affiliate_id, nullif(c.external_id, '') AS external_id, c.active,
  c.times_redeemed, c.created_at
FROM tributary.codes AS c;

CREATE OR REPLACE VIEW tributary.clicks_report AS
SELECT c.program, c.click_id, c.created_at, c.is_unique, c.affiliate_id, c.affiliate_link_id, c.referral_id
FROM tributary.clicks AS c;

CREATE OR REPLACE VIEW tributary.events_report AS
SELECT e.program, 'evt_' || replace(e.id::text, '-', '') AS event_id, e.event, e.occurred_at, e.object_id
FROM tributary.events AS e;

CREATE OR REPLACE VIEW tributary.deliveries_report AS
SELECT d.program, d.id AS delivery_id, 'evt_' || replace(d.event_id::text, '-', '') AS event_id, d.webhook_id, d.state AS status,
  d.created_at, coalesce(json_array_length(d.attempts), 0) AS attempts
FROM tributary.deliveries AS d;

CREATE OR REPLACE VIEW tributary.movements_report AS
SELECT m.program, m.affiliate_id, m.id AS movement_id, m.at, m.cause, m.from_account, m.to_account,
  round(m.amount * 0.0001, 4) AS amount, m.sale_id
FROM tributary.movements AS m;
