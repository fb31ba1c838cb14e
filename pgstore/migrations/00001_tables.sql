-- +goose NO TRANSACTION
-- +goose Up
-- One table for each type of records, with a column for each field and for each key of
-- an index that no field holds. docs/tables.md says what they hold. Every step can be
-- run again. Keys and indexes begin with the program, and texts are compared byte by
-- byte.

-- The counters of a program, and the highest ids that it has stored. Every transaction
-- that writes gives it another version.
CREATE TABLE IF NOT EXISTS tributary.programs (
  program uuid NOT NULL,
  version uuid NOT NULL,
  sale bigint NOT NULL,
  commission bigint NOT NULL,
  click bigint NOT NULL,
  fence bigint NOT NULL,
  marks bytea NOT NULL,
  PRIMARY KEY (program)
);

-- The ids of the webhooks that a receiver has handled. They belong to no program,
-- because one receiver may get the webhooks of several.
CREATE TABLE IF NOT EXISTS tributary.dedup (
  id text COLLATE "C" PRIMARY KEY,
  done_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS dedup_done_at ON tributary.dedup (done_at);

-- People who promote the program.
CREATE TABLE IF NOT EXISTS tributary.affiliates (
  program uuid NOT NULL,
  id uuid NOT NULL,
  first_name text COLLATE "C" NOT NULL,
  last_name text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  language text COLLATE "C" NOT NULL,
  status text COLLATE "C",
  source text COLLATE "C" NOT NULL,
  commission_rate bigint,
  commission_type text COLLATE "C" NOT NULL,
  commission_plan_id uuid,
  commission_tier_id uuid,
  offer_coupon_id uuid,
  note text COLLATE "C" NOT NULL,
  exempt_from_commission_tier_changes boolean NOT NULL,
  payout_email text COLLATE "C" NOT NULL,
  payee text COLLATE "C" NOT NULL,
  payee_shared boolean NOT NULL,
  payment_method text COLLATE "C" NOT NULL,
  question_answers json,
  opening_clicks bigint NOT NULL,
  merged boolean NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text COLLATE "C",
  by_email text COLLATE "C",
  by_external_id text COLLATE "C",
  of_payee text COLLATE "C",
  of_shared text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS affiliates_by_email ON tributary.affiliates (program, by_email) WHERE by_email IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS affiliates_by_external_id ON tributary.affiliates (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS affiliates_of_plan ON tributary.affiliates (program, commission_plan_id, id) WHERE commission_plan_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS affiliates_of_tier ON tributary.affiliates (program, commission_tier_id, id) WHERE commission_tier_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS affiliates_of_coupon ON tributary.affiliates (program, offer_coupon_id, id) WHERE offer_coupon_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS affiliates_of_state ON tributary.affiliates (program, status, id) WHERE status IS NOT NULL;
CREATE INDEX IF NOT EXISTS affiliates_of_payee ON tributary.affiliates (program, of_payee, id) WHERE of_payee IS NOT NULL;
CREATE INDEX IF NOT EXISTS affiliates_of_shared ON tributary.affiliates (program, of_shared, id) WHERE of_shared IS NOT NULL;

-- Links of affiliates. A link is a slug.
CREATE TABLE IF NOT EXISTS tributary.links (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  slug text COLLATE "C" NOT NULL,
  aliases json,
  opening_clicks bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_slug text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS links_by_slug ON tributary.links (program, by_slug) WHERE by_slug IS NOT NULL;
CREATE INDEX IF NOT EXISTS links_of_affiliate ON tributary.links (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;

-- Visits through links.
CREATE TABLE IF NOT EXISTS tributary.clicks (
  program uuid NOT NULL,
  id uuid NOT NULL,
  click_id bigint NOT NULL,
  affiliate_id uuid NOT NULL,
  affiliate_link_id uuid,
  referral_id uuid,
  device_id text COLLATE "C" NOT NULL,
  full_landing_url text COLLATE "C" NOT NULL,
  document_referrer text COLLATE "C" NOT NULL,
  user_agent text COLLATE "C" NOT NULL,
  is_unique boolean NOT NULL,
  earlier_click_id bigint,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS clicks_by_number ON tributary.clicks (program, click_id) WHERE click_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS clicks_of_affiliate ON tributary.clicks (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS clicks_of_link ON tributary.clicks (program, affiliate_link_id, id) WHERE affiliate_link_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS clicks_of_referral ON tributary.clicks (program, referral_id, id) WHERE referral_id IS NOT NULL;

-- Customers who came through an affiliate.
CREATE TABLE IF NOT EXISTS tributary.referrals (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  affiliate_link_id uuid,
  commission_plan_id uuid,
  commission_plan_fixed boolean NOT NULL,
  name text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  referred_user_external_id text COLLATE "C" NOT NULL,
  plan text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  submission_type text COLLATE "C" NOT NULL,
  referral_medium text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  integration_referral_source text COLLATE "C" NOT NULL,
  initial_landing_page text COLLATE "C" NOT NULL,
  notes text COLLATE "C",
  metadata json,
  erased_at timestamptz,
  merged boolean NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text COLLATE "C",
  by_email text COLLATE "C",
  of_customer text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS referrals_by_email ON tributary.referrals (program, by_email) WHERE by_email IS NOT NULL;
CREATE INDEX IF NOT EXISTS referrals_of_affiliate ON tributary.referrals (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS referrals_of_link ON tributary.referrals (program, affiliate_link_id, id) WHERE affiliate_link_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS referrals_of_customer ON tributary.referrals (program, of_customer, id) WHERE of_customer IS NOT NULL;
CREATE INDEX IF NOT EXISTS referrals_of_plan ON tributary.referrals (program, commission_plan_id, id) WHERE commission_plan_id IS NOT NULL;

-- Discounts. Customers use them by a code.
CREATE TABLE IF NOT EXISTS tributary.coupons (
  program uuid NOT NULL,
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  coupon_type text COLLATE "C" NOT NULL,
  percent_off bigint NOT NULL,
  amount_off bigint NOT NULL,
  currency text COLLATE "C" NOT NULL,
  duration text COLLATE "C" NOT NULL,
  duration_in_months bigint NOT NULL,
  max_redemptions bigint NOT NULL,
  times_redeemed bigint NOT NULL,
  opening_redeemed bigint NOT NULL,
  limit_to_products boolean NOT NULL,
  product_ids json,
  valid boolean NOT NULL,
  redeem_by timestamptz,
  starts_at timestamptz,
  max_discount bigint NOT NULL,
  max_discount_total bigint NOT NULL,
  discount_total bigint NOT NULL,
  max_redemptions_per_customer bigint NOT NULL,
  times_held bigint NOT NULL,
  held_discount bigint NOT NULL,
  restore_on_refund boolean NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  integration_type text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_external_id text COLLATE "C",
  of_name text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS coupons_by_external_id ON tributary.coupons (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS coupons_of_name ON tributary.coupons (program, of_name, id) WHERE of_name IS NOT NULL;

-- Promotional codes, by which coupons are used.
CREATE TABLE IF NOT EXISTS tributary.codes (
  program uuid NOT NULL,
  id uuid NOT NULL,
  coupon_id uuid NOT NULL,
  affiliate_id uuid,
  code text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  active boolean NOT NULL,
  expires_at timestamptz,
  max_redemptions bigint NOT NULL,
  times_redeemed bigint NOT NULL,
  opening_redeemed bigint NOT NULL,
  first_time_order boolean NOT NULL,
  minimum_amount bigint,
  minimum_amount_currency text COLLATE "C" NOT NULL,
  starts_at timestamptz,
  minimum_quantity bigint NOT NULL,
  max_redemptions_per_customer bigint NOT NULL,
  times_held bigint NOT NULL,
  limit_to_customers boolean NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  limit_to_affiliate boolean NOT NULL,
  is_auto_generated boolean NOT NULL,
  is_affiliate_generated boolean NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text COLLATE "C",
  by_code text COLLATE "C",
  by_external_id text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS codes_by_code ON tributary.codes (program, by_code) WHERE by_code IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS codes_by_external_id ON tributary.codes (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS codes_of_coupon ON tributary.codes (program, coupon_id, id) WHERE coupon_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS codes_of_affiliate ON tributary.codes (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;

-- One use of a code by a sale. It stays when the sale goes.
CREATE TABLE IF NOT EXISTS tributary.redemptions (
  program uuid NOT NULL,
  id uuid NOT NULL,
  sale_id bigint NOT NULL,
  promotional_code_id uuid,
  coupon_id uuid NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  discount bigint NOT NULL,
  refunded boolean NOT NULL,
  over_limit boolean NOT NULL,
  hold_id text COLLATE "C" NOT NULL,
  seen_at timestamptz,
  restored_at timestamptz,
  created_at timestamptz NOT NULL,
  by_external_id text COLLATE "C",
  of_state text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS redemptions_by_external_id ON tributary.redemptions (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS redemptions_of_code ON tributary.redemptions (program, promotional_code_id, id) WHERE promotional_code_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS redemptions_of_coupon ON tributary.redemptions (program, coupon_id, id) WHERE coupon_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS redemptions_of_state ON tributary.redemptions (program, of_state, id) WHERE of_state IS NOT NULL;

-- Payments of customers, with the commissions that they earn.
CREATE TABLE IF NOT EXISTS tributary.sales (
  program uuid NOT NULL,
  id uuid NOT NULL,
  sale_id bigint NOT NULL,
  affiliate_id uuid NOT NULL,
  referral_id uuid,
  affiliate_link_id uuid,
  promotional_code_id uuid,
  external_id text COLLATE "C" NOT NULL,
  external_invoice_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  total_earned bigint NOT NULL,
  subtotal bigint,
  tax_amount bigint NOT NULL,
  shipping_amount bigint NOT NULL,
  refunded_amount bigint NOT NULL,
  commission_rate bigint,
  commission_type text COLLATE "C",
  commission_rate_fixed boolean NOT NULL,
  commission_by_hand json,
  status text COLLATE "C",
  payment_trigger text COLLATE "C",
  source text COLLATE "C",
  integration_sales_source text COLLATE "C",
  deleted_fired boolean NOT NULL,
  free boolean NOT NULL,
  offer boolean NOT NULL,
  conversion text COLLATE "C" NOT NULL,
  past boolean NOT NULL,
  commissions json,
  refunds json,
  lines json,
  products_bought json,
  clicks bigint NOT NULL,
  metadata json,
  revision bigint NOT NULL,
  refunded_at timestamptz,
  paid_at timestamptz,
  charged json,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  hold_days bigint NOT NULL,
  commission_cap bigint,
  budgets json,
  candidates json,
  why_by text COLLATE "C",
  why_rate_from text COLLATE "C",
  why_plan_from text COLLATE "C",
  why_over text COLLATE "C",
  why_deducted text COLLATE "C",
  why_click_id bigint,
  why_payment bigint,
  why_month bigint,
  why_month_from_referral boolean NOT NULL,
  why_earlier bigint,
  why_commission_plan_id uuid,
  why_commission_tier_id uuid,
  payable_amount bigint NOT NULL,
  payable_from timestamptz,
  commission_earned bigint NOT NULL,
  approval_statuses text COLLATE "C" NOT NULL,
  charged_currency text COLLATE "C" NOT NULL,
  product text COLLATE "C",
  product_name text COLLATE "C",
  given_as_null text COLLATE "C",
  by_external_id text COLLATE "C",
  by_invoice text COLLATE "C",
  by_conversion text COLLATE "C",
  of_customer text COLLATE "C",
  of_payable uuid,
  of_payout uuid,
  of_state text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS sales_by_number ON tributary.sales (program, sale_id) WHERE sale_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS sales_by_external_id ON tributary.sales (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS sales_by_invoice ON tributary.sales (program, by_invoice) WHERE by_invoice IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS sales_by_conversion ON tributary.sales (program, by_conversion) WHERE by_conversion IS NOT NULL;
CREATE INDEX IF NOT EXISTS sales_of_affiliate ON tributary.sales (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS sales_of_referral ON tributary.sales (program, referral_id, id) WHERE referral_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS sales_of_link ON tributary.sales (program, affiliate_link_id, id) WHERE affiliate_link_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS sales_of_customer ON tributary.sales (program, of_customer, id) WHERE of_customer IS NOT NULL;
CREATE INDEX IF NOT EXISTS sales_of_payable ON tributary.sales (program, of_payable, id) WHERE of_payable IS NOT NULL;
CREATE INDEX IF NOT EXISTS sales_of_payout ON tributary.sales (program, of_payout, id) WHERE of_payout IS NOT NULL;
CREATE INDEX IF NOT EXISTS sales_of_state ON tributary.sales (program, of_state, id) WHERE of_state IS NOT NULL;

-- Commission plans: terms other than the program's. The one whose id is of ones alone has the program's, once they were set.
CREATE TABLE IF NOT EXISTS tributary.plans (
  program uuid NOT NULL,
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  commission_type text COLLATE "C" NOT NULL,
  commission_rate bigint NOT NULL,
  number_of_payments bigint NOT NULL,
  number_of_months bigint NOT NULL,
  hold_days bigint NOT NULL,
  rules json,
  months_from text COLLATE "C" NOT NULL,
  max_per_sale bigint NOT NULL,
  max_per_customer bigint NOT NULL,
  budgets json,
  bonuses json,
  offer_coupon_id uuid,
  versions json,
  payment_trigger text COLLATE "C" NOT NULL,
  hold_rewards boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);

-- Levels that affiliates reach by what they bring.
CREATE TABLE IF NOT EXISTS tributary.tiers (
  program uuid NOT NULL,
  id uuid NOT NULL,
  tier bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  emoji text COLLATE "C" NOT NULL,
  min_referrals bigint NOT NULL,
  min_revenue bigint NOT NULL,
  per text COLLATE "C" NOT NULL,
  grace_periods bigint NOT NULL,
  at_period_end boolean NOT NULL,
  condition_type text COLLATE "C" NOT NULL,
  commission_rate bigint,
  commission_type text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text COLLATE "C",
  PRIMARY KEY (program, id)
);

-- What was paid out, or is to be.
CREATE TABLE IF NOT EXISTS tributary.payouts (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  amount bigint NOT NULL,
  status text COLLATE "C",
  payment_method text COLLATE "C" NOT NULL,
  period_start timestamptz,
  period_end timestamptz,
  external_id text COLLATE "C" NOT NULL,
  manually_paid boolean NOT NULL,
  paid_at timestamptz,
  failed_reason text COLLATE "C" NOT NULL,
  payee_name text COLLATE "C" NOT NULL,
  payee_email text COLLATE "C" NOT NULL,
  canceled_at timestamptz,
  items json,
  commission_ids json,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  run_id uuid,
  returned_at timestamptz,
  returned_reason text COLLATE "C" NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS payouts_of_affiliate ON tributary.payouts (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS payouts_of_state ON tributary.payouts (program, status, id) WHERE status IS NOT NULL;
CREATE INDEX IF NOT EXISTS payouts_of_run ON tributary.payouts (program, run_id, id) WHERE run_id IS NOT NULL;

-- Amounts that are owed besides commissions.
CREATE TABLE IF NOT EXISTS tributary.adjustments (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  sale_id bigint,
  kind text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  reason text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  reverses_id uuid,
  reversed_by_id uuid,
  payout_id uuid,
  created_at timestamptz NOT NULL,
  by_external_id text COLLATE "C",
  of_payable uuid,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS adjustments_by_external_id ON tributary.adjustments (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS adjustments_of_affiliate ON tributary.adjustments (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS adjustments_of_payable ON tributary.adjustments (program, of_payable, id) WHERE of_payable IS NOT NULL;
CREATE INDEX IF NOT EXISTS adjustments_of_payout ON tributary.adjustments (program, payout_id, id) WHERE payout_id IS NOT NULL;

-- The ledger: every amount that moved from one account of an affiliate to another. Rows never change.
CREATE TABLE IF NOT EXISTS tributary.movements (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  number bigint NOT NULL,
  at timestamptz NOT NULL,
  from_account text COLLATE "C",
  to_account text COLLATE "C",
  cause text COLLATE "C",
  amount bigint NOT NULL,
  sale_id bigint,
  commission_id bigint,
  payout_id uuid,
  adjustment_id uuid,
  affiliate_link_id uuid,
  promotional_code_id uuid,
  sales bigint NOT NULL,
  conversions bigint NOT NULL,
  revenue bigint NOT NULL,
  refunds bigint NOT NULL,
  held bigint NOT NULL,
  payable bigint NOT NULL,
  in_payout bigint NOT NULL,
  paid bigint NOT NULL,
  actor text COLLATE "C" NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS movements_of_affiliate ON tributary.movements (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS movements_of_sale ON tributary.movements (program, sale_id, id) WHERE sale_id IS NOT NULL;

-- Payout runs: their settings and how far they have come.
CREATE TABLE IF NOT EXISTS tributary.runs (
  program uuid NOT NULL,
  id uuid NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  sent_until timestamptz,
  until timestamptz,
  minimum bigint NOT NULL,
  methods json,
  no_details boolean NOT NULL,
  affiliate_ids json,
  except_ids json,
  status text COLLATE "C" NOT NULL,
  cursor uuid,
  created bigint NOT NULL,
  skipped bigint NOT NULL,
  total bigint NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz,
  by_external_id text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS runs_by_external_id ON tributary.runs (program, by_external_id) WHERE by_external_id IS NOT NULL;

-- What a run did about one affiliate.
CREATE TABLE IF NOT EXISTS tributary.lines (
  program uuid NOT NULL,
  id uuid NOT NULL,
  run_id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  amount bigint NOT NULL,
  payout_id uuid,
  skipped text COLLATE "C" NOT NULL,
  created_so_far bigint NOT NULL,
  skipped_so_far bigint NOT NULL,
  total_so_far bigint NOT NULL,
  by_line text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS lines_by_line ON tributary.lines (program, by_line) WHERE by_line IS NOT NULL;
CREATE INDEX IF NOT EXISTS lines_of_run ON tributary.lines (program, run_id, id) WHERE run_id IS NOT NULL;

-- Running totals of a link, an affiliate or a referral, under the owner's id. No row: all are zero.
CREATE TABLE IF NOT EXISTS tributary.totals (
  program uuid NOT NULL,
  id uuid NOT NULL,
  clicks bigint NOT NULL,
  pruned_clicks bigint NOT NULL,
  referrals bigint NOT NULL,
  sales bigint NOT NULL,
  revenue bigint NOT NULL,
  commission bigint NOT NULL,
  conversions bigint NOT NULL,
  free_orders bigint NOT NULL,
  held bigint NOT NULL,
  payable bigint NOT NULL,
  in_payout bigint NOT NULL,
  paid bigint NOT NULL,
  movements bigint NOT NULL,
  moved_at timestamptz,
  closed_until timestamptz,
  longest_hold_days bigint NOT NULL,
  unbooked boolean NOT NULL,
  opened_at timestamptz,
  PRIMARY KEY (program, id)
);

-- First answers to requests with an idempotency key, for 24 hours.
CREATE TABLE IF NOT EXISTS tributary.receipts (
  program uuid NOT NULL,
  id uuid NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  answer json,
  sealed boolean NOT NULL,
  secret bytea,
  outcome text COLLATE "C" NOT NULL,
  refusal bytea,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS receipts_by_request ON tributary.receipts (program, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- Receivers of webhooks.
CREATE TABLE IF NOT EXISTS tributary.endpoints (
  program uuid NOT NULL,
  id uuid NOT NULL,
  url text COLLATE "C" NOT NULL,
  description text COLLATE "C" NOT NULL,
  events json,
  active boolean NOT NULL,
  svix_headers boolean NOT NULL,
  secrets json,
  header_names json,
  headers bytea,
  disabled_reason text COLLATE "C" NOT NULL,
  disabled_at timestamptz,
  first_failure_at timestamptz,
  last_success_at timestamptz,
  answered_at timestamptz,
  worked_at timestamptz,
  paused_until timestamptz,
  warned boolean NOT NULL,
  dead boolean NOT NULL,
  in_flight json,
  clearing text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);

-- Every change, as it is told to the outside. Rows never change, but for a payload in which somebody was erased.
CREATE TABLE IF NOT EXISTS tributary.events (
  program uuid NOT NULL,
  id uuid NOT NULL,
  event text COLLATE "C" NOT NULL,
  object_id uuid NOT NULL,
  sale_id bigint,
  revision bigint NOT NULL,
  occurred_at timestamptz NOT NULL,
  actor text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  payload json,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS events_of_object ON tributary.events (program, object_id, id) WHERE object_id IS NOT NULL;

-- One event for one webhook.
CREATE TABLE IF NOT EXISTS tributary.deliveries (
  program uuid NOT NULL,
  id uuid NOT NULL,
  event_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  event text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  attempts json,
  next_attempt_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS deliveries_of_event ON tributary.deliveries (program, event_id, id) WHERE event_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS deliveries_of_endpoint ON tributary.deliveries (program, webhook_id, id) WHERE webhook_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS deliveries_of_state ON tributary.deliveries (program, state, id) WHERE state IS NOT NULL;

-- Deliveries that wait for an attempt, in the order in which they are due.
CREATE TABLE IF NOT EXISTS tributary.queue (
  program uuid NOT NULL,
  id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  object_id uuid NOT NULL,
  revision bigint NOT NULL,
  since timestamptz,
  token uuid,
  tried boolean NOT NULL,
  manual boolean NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS queue_by_delivery ON tributary.queue (program, delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS queue_of_endpoint ON tributary.queue (program, webhook_id, id) WHERE webhook_id IS NOT NULL;

-- Which record a row of another service became.
CREATE TABLE IF NOT EXISTS tributary.imports (
  program uuid NOT NULL,
  id uuid NOT NULL,
  ref text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  object_id uuid NOT NULL,
  digest text COLLATE "C" NOT NULL,
  adopted boolean NOT NULL,
  sales bigint NOT NULL,
  refunds bigint NOT NULL,
  commission bigint NOT NULL,
  payouts bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_ref text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS imports_by_ref ON tributary.imports (program, by_ref) WHERE by_ref IS NOT NULL;

-- Facts about payments, as payment providers report them.
CREATE TABLE IF NOT EXISTS tributary.payments (
  program uuid NOT NULL,
  id uuid NOT NULL,
  provider text COLLATE "C" NOT NULL,
  payer_id text COLLATE "C" NOT NULL,
  sale_record_id uuid,
  gross bigint,
  currency text COLLATE "C" NOT NULL,
  exchange_rate bigint,
  worth bigint,
  waiting json,
  conflict_record_id uuid,
  decided text COLLATE "C" NOT NULL,
  undecided text COLLATE "C" NOT NULL,
  told_at timestamptz,
  raised bigint,
  revoked_at timestamptz,
  stands_at timestamptz,
  refunds json,
  refunded_amount bigint,
  refunded_late bigint,
  disputes json,
  peak bigint NOT NULL,
  adjusted bigint NOT NULL,
  adjustment_ids json,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text COLLATE "C",
  of_payer text COLLATE "C",
  of_state text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS payments_by_sale ON tributary.payments (program, sale_record_id) WHERE sale_record_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS payments_of_payer ON tributary.payments (program, of_payer, id) WHERE of_payer IS NOT NULL;
CREATE INDEX IF NOT EXISTS payments_of_state ON tributary.payments (program, of_state, id) WHERE of_state IS NOT NULL;

-- The ids of a payment at its provider.
CREATE TABLE IF NOT EXISTS tributary.paymentkeys (
  program uuid NOT NULL,
  id uuid NOT NULL,
  payment_id uuid NOT NULL,
  provider text COLLATE "C" NOT NULL,
  provider_key text COLLATE "C" NOT NULL,
  by_payment text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS paymentkeys_by_payment ON tributary.paymentkeys (program, by_payment) WHERE by_payment IS NOT NULL;
CREATE INDEX IF NOT EXISTS paymentkeys_of_payment ON tributary.paymentkeys (program, payment_id, id) WHERE payment_id IS NOT NULL;

-- Customers of payment providers.
CREATE TABLE IF NOT EXISTS tributary.payers (
  program uuid NOT NULL,
  id uuid NOT NULL,
  provider text COLLATE "C" NOT NULL,
  payer_id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  referral_id uuid,
  matched_by_email boolean NOT NULL,
  subscriptions json,
  early boolean NOT NULL,
  status_by_hand boolean NOT NULL,
  erased boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_payer text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS payers_by_payer ON tributary.payers (program, by_payer) WHERE by_payer IS NOT NULL;
CREATE INDEX IF NOT EXISTS payers_of_referral ON tributary.payers (program, referral_id, id) WHERE referral_id IS NOT NULL;

-- Emails of people who were erased, and names of people who were merged into others, by digests.
CREATE TABLE IF NOT EXISTS tributary.erasures (
  program uuid NOT NULL,
  id uuid NOT NULL,
  referral_id uuid,
  affiliate_id uuid,
  name text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS erasures_of_referral ON tributary.erasures (program, referral_id, id) WHERE referral_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS erasures_of_affiliate ON tributary.erasures (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;

-- Former slugs, one row each: those that lead to a link, and those that lead to nobody and that nobody else may have.
CREATE TABLE IF NOT EXISTS tributary.aliases (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_link_id uuid,
  affiliate_id uuid,
  alias text COLLATE "C" NOT NULL,
  by_slug text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS aliases_by_slug ON tributary.aliases (program, by_slug) WHERE by_slug IS NOT NULL;
CREATE INDEX IF NOT EXISTS aliases_of_link ON tributary.aliases (program, affiliate_link_id, id) WHERE affiliate_link_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS aliases_of_affiliate ON tributary.aliases (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;

-- Which customers have the places of codes that have a limit per customer: a row for each thing that the customer is known by.
CREATE TABLE IF NOT EXISTS tributary.uses (
  program uuid NOT NULL,
  id uuid NOT NULL,
  customer uuid NOT NULL,
  redemption_id uuid NOT NULL,
  promotional_code_id uuid,
  coupon_id uuid NOT NULL,
  until timestamptz,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS uses_of_user ON tributary.uses (program, customer, id) WHERE customer IS NOT NULL;
CREATE INDEX IF NOT EXISTS uses_of_redemption ON tributary.uses (program, redemption_id, id) WHERE redemption_id IS NOT NULL;

-- Places of codes that are kept while customers pay.
CREATE TABLE IF NOT EXISTS tributary.holds (
  program uuid NOT NULL,
  id uuid NOT NULL,
  hold_id text COLLATE "C" NOT NULL,
  promotional_code_id uuid,
  coupon_id uuid NOT NULL,
  state text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  subtotal bigint,
  discount bigint,
  discount_worth bigint NOT NULL,
  total bigint,
  lines json,
  sale_id bigint NOT NULL,
  until timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text COLLATE "C",
  of_code uuid,
  of_coupon uuid,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS holds_by_external_id ON tributary.holds (program, hold_id) WHERE hold_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS holds_of_code ON tributary.holds (program, of_code, id) WHERE of_code IS NOT NULL;
CREATE INDEX IF NOT EXISTS holds_of_coupon ON tributary.holds (program, of_coupon, id) WHERE of_coupon IS NOT NULL;

-- What the program is: one row, whose id is of ones alone.
CREATE TABLE IF NOT EXISTS tributary.settings (
  program uuid NOT NULL,
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  time_zone text COLLATE "C" NOT NULL,
  chosen json,
  revision bigint NOT NULL,
  updated_by text COLLATE "C",
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);

-- What affiliates ask the people of the program, and the answers.
CREATE TABLE IF NOT EXISTS tributary.cases (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  sale_id bigint,
  external_id text COLLATE "C" NOT NULL,
  text text COLLATE "C" NOT NULL,
  status text COLLATE "C",
  answer text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL,
  answered_at timestamptz,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS cases_of_affiliate ON tributary.cases (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS cases_of_state ON tributary.cases (program, status, id) WHERE status IS NOT NULL;

-- What sales took of what they earn together at most, for each period.
CREATE TABLE IF NOT EXISTS tributary.budgets (
  program uuid NOT NULL,
  id uuid NOT NULL,
  commission_plan_id uuid,
  affiliate_id uuid,
  period_from timestamptz,
  of text COLLATE "C" NOT NULL,
  per text COLLATE "C" NOT NULL,
  coupon_id uuid,
  utm_campaign text COLLATE "C" NOT NULL,
  max_commission bigint NOT NULL,
  max_rewards bigint NOT NULL,
  whole boolean NOT NULL,
  commission bigint NOT NULL,
  rewards bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX IF NOT EXISTS budgets_of_affiliate ON tributary.budgets (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS budgets_of_kind ON tributary.budgets (program, of, id) WHERE of IS NOT NULL;
CREATE INDEX IF NOT EXISTS budgets_of_state ON tributary.budgets (program, status, id) WHERE status IS NOT NULL;

-- What the host keeps for itself, such as its users. The program reads none of it.
CREATE TABLE IF NOT EXISTS tributary.values (
  program uuid NOT NULL,
  id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value bytea,
  sealed boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_name text COLLATE "C",
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS values_by_name ON tributary.values (program, by_name) WHERE by_name IS NOT NULL;
CREATE INDEX IF NOT EXISTS values_of_kind ON tributary.values (program, kind, id) WHERE kind IS NOT NULL;

-- Long payloads and answers are compressed by lz4 where the server has it.
-- +goose StatementBegin
DO $$ BEGIN
  IF EXISTS (SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
    ALTER TABLE tributary.events ALTER COLUMN payload SET COMPRESSION lz4;
    ALTER TABLE tributary.receipts ALTER COLUMN answer SET COMPRESSION lz4;
  END IF;
END $$;
-- +goose StatementEnd
