-- +goose Up
-- What reports read: the same columns as in PostgreSQL. Times are text in UTC with
-- microseconds, amounts exact decimals as text, made of integers alone. Only entries of
-- a commission may be negative.

CREATE VIEW tributary_sales_report AS
SELECT p.id AS program, s.sale_id,
  strftime('%Y-%m-%dT%H:%M:%S', s.created_at / 1000000, 'unixepoch') || printf('.%06dZ', s.created_at % 1000000) AS created_at,
  s.status,
  printf('%d.%04d', s.total_earned / 10000, s.total_earned % 10000) AS total_earned,
  printf('%d.%04d', s.refunded_amount / 10000, s.refunded_amount % 10000) AS refunded_amount,
  printf('%d.%04d', s.commission_earned / 10000, s.commission_earned % 10000) AS commission_earned,
  s.affiliate_id, s.referral_id, s.affiliate_link_id, s.promotional_code_id,
  nullif(s.external_id, '') AS external_id, nullif(s.external_invoice_id, '') AS external_invoice_id, nullif(s.email, '') AS email,
  s.commissions ->> '$[0].payout_id' AS payout_id, nullif(s.conversion, '') AS conversion
FROM tributary_sales AS s
JOIN tributary_programs AS p ON p.number = s.program;

CREATE VIEW tributary_commissions_report AS
SELECT p.id AS program, c.sale_id, c.commission_id, c.affiliate_id,
  printf('%s%d.%04d', iif(c.commission_earned < 0, '-', ''), abs(c.commission_earned) / 10000, abs(c.commission_earned) % 10000) AS commission_earned,
  c.approval_status, c.hold_reason, c.payout_id, c.manually_paid, c.clawback, c.bonus_reason,
  strftime('%Y-%m-%dT%H:%M:%S', c.payable_at / 1000000, 'unixepoch') || printf('.%06dZ', c.payable_at % 1000000) AS payable_at,
  strftime('%Y-%m-%dT%H:%M:%S', c.created_at / 1000000, 'unixepoch') || printf('.%06dZ', c.created_at % 1000000) AS created_at,
  strftime('%Y-%m-%dT%H:%M:%S', c.updated_at / 1000000, 'unixepoch') || printf('.%06dZ', c.updated_at % 1000000) AS updated_at
FROM (
  SELECT s.program, s.sale_id, e.value ->> 'commission_id' AS commission_id, e.value ->> 'affiliate_id' AS affiliate_id,
    e.value ->> 'commission_earned' AS commission_earned, e.value ->> 'approval_status' AS approval_status,
    e.value ->> 'hold_reason' AS hold_reason, e.value ->> 'payout_id' AS payout_id,
    coalesce(e.value ->> 'manually_paid', 0) AS manually_paid, coalesce(e.value ->> 'clawback', 0) AS clawback,
    e.value ->> 'bonus_reason' AS bonus_reason,
    CASE
      WHEN e.value ->> 'approval_status' = 'DECLINED' THEN NULL
      WHEN e.value ->> 'clawback' THEN e.value ->> 'created_at'
      ELSE s.created_at + s.hold_days * 86400000000
    END AS payable_at,
    e.value ->> 'created_at' AS created_at, e.value ->> 'updated_at' AS updated_at
  FROM tributary_sales AS s, json_each(s.commissions) AS e
) AS c
JOIN tributary_programs AS p ON p.number = c.program;

CREATE VIEW tributary_redemptions_report AS
SELECT p.id AS program, r.sale_id,
  strftime('%Y-%m-%dT%H:%M:%S', r.created_at / 1000000, 'unixepoch') || printf('.%06dZ', r.created_at % 1000000) AS redeemed_at,
  strftime('%Y-%m-%dT%H:%M:%S', r.restored_at / 1000000, 'unixepoch') || printf('.%06dZ', r.restored_at % 1000000) AS restored_at,
  r.promotional_code_id, r.coupon_id
FROM tributary_redemptions AS r
JOIN tributary_programs AS p ON p.number = r.program;

CREATE VIEW tributary_codes_report AS
SELECT p.id AS program, c.id AS promotional_code_id, c.code, c.coupon_id, c.affiliate_id, nullif(c.external_id, '') AS external_id,
  c.active, c.times_redeemed,
  strftime('%Y-%m-%dT%H:%M:%S', c.created_at / 1000000, 'unixepoch') || printf('.%06dZ', c.created_at % 1000000) AS created_at
FROM tributary_codes AS c
JOIN tributary_programs AS p ON p.number = c.program;

CREATE VIEW tributary_clicks_report AS
SELECT p.id AS program, c.click_id,
  strftime('%Y-%m-%dT%H:%M:%S', c.created_at / 1000000, 'unixepoch') || printf('.%06dZ', c.created_at % 1000000) AS created_at,
  c.is_unique, c.affiliate_id, c.affiliate_link_id, c.referral_id
FROM tributary_clicks AS c
JOIN tributary_programs AS p ON p.number = c.program;

CREATE VIEW tributary_events_report AS
SELECT p.id AS program, 'evt_' || replace(e.id, '-', '') AS event_id, e.event,
  strftime('%Y-%m-%dT%H:%M:%S', e.occurred_at / 1000000, 'unixepoch') || printf('.%06dZ', e.occurred_at % 1000000) AS occurred_at,
  e.object_id
FROM tributary_events AS e
JOIN tributary_programs AS p ON p.number = e.program;

CREATE VIEW tributary_deliveries_report AS
SELECT p.id AS program, d.id AS delivery_id, 'evt_' || replace(d.event_id, '-', '') AS event_id, d.webhook_id, d.state AS status,
  strftime('%Y-%m-%dT%H:%M:%S', d.created_at / 1000000, 'unixepoch') || printf('.%06dZ', d.created_at % 1000000) AS created_at,
  coalesce(json_array_length(d.attempts), 0) AS attempts
FROM tributary_deliveries AS d
JOIN tributary_programs AS p ON p.number = d.program;

CREATE VIEW tributary_movements_report AS
SELECT p.id AS program, m.affiliate_id, m.id AS movement_id,
  strftime('%Y-%m-%dT%H:%M:%S', m.at / 1000000, 'unixepoch') || printf('.%06dZ', m.at % 1000000) AS at,
  m.cause, m.from_account, m.to_account,
  printf('%d.%04d', m.amount / 10000, m.amount % 10000) AS amount,
  m.sale_id
FROM tributary_movements AS m
JOIN tributary_programs AS p ON p.number = m.program;
