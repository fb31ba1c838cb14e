-- +goose NO TRANSACTION
-- +goose Up
-- What reports ask for, with the words of the wire and amounts as decimals.

CREATE OR REPLACE VIEW tributary.sales_report AS
SELECT s.program, s.sale_id, s.created_at, s.status, round(s.total_earned * 0.0001, 4) AS total_earned,
  round(s.refunded * 0.0001, 4) AS refunded_amount,
  round(coalesce((SELECT sum((c->>'earned')::numeric) FROM json_array_elements(s.commissions) AS c), 0), 4) AS commission_earned,
  s.affiliate_id, s.referral_id, s.link_id AS affiliate_link_id, s.promotional_code_id,
  s.by_external_id AS external_id, s.by_invoice AS external_invoice_id, s.of_customer AS email, s.of_payout AS payout_id
FROM tributary.sales AS s;

CREATE OR REPLACE VIEW tributary.redemptions_report AS
SELECT r.program, ('x' || right(replace(r.id::text, '-', ''), 16))::bit(64)::bigint AS sale_id,
  r.created_at AS redeemed_at, r.restored_at, r.promotional_code_id, r.coupon_id
FROM tributary.redemptions AS r;

CREATE OR REPLACE VIEW tributary.codes_report AS
SELECT c.program, c.id AS promotional_code_id, c.code, c.coupon_id, c.affiliate_id, c.by_external_id AS external_id, c.active,
  c.times_redeemed, c.created_at
FROM tributary.codes AS c;

CREATE OR REPLACE VIEW tributary.clicks_report AS
SELECT c.program, c.click_id, c.created_at, c.is_unique, c.affiliate_id, c.link_id AS affiliate_link_id, c.referral_id
FROM tributary.clicks AS c;

CREATE OR REPLACE VIEW tributary.events_report AS
SELECT e.program, 'evt_' || replace(e.id::text, '-', '') AS event_id, e.type AS event, e.occurred_at, e.object_id
FROM tributary.events AS e;

CREATE OR REPLACE VIEW tributary.deliveries_report AS
SELECT d.program, d.id AS delivery_id, 'evt_' || replace(d.event_id::text, '-', '') AS event_id, d.webhook_id, d.state AS status,
  d.created_at, coalesce(json_array_length(d.attempts), 0) AS attempts
FROM tributary.deliveries AS d;

CREATE OR REPLACE VIEW tributary.movements_report AS
SELECT m.program, m.affiliate_id, m.id AS movement_id, m.at, m.cause, m.from_account, m.to_account,
  round(m.amount * 0.0001, 4) AS amount, m.sale_id
FROM tributary.movements AS m;
