-- +goose NO TRANSACTION
-- +goose Up
-- Totals count what is left of each sale after refunds, and do not count a sale
-- that was refunded in full. Before, they counted every sale with its whole
-- total. This computes the totals again for everybody who has a sale with a
-- refund. It can be run again, for example when a process of the version before
-- has written meanwhile. Once sales are compact, it does nothing.

-- +goose StatementBegin
DO $$ BEGIN
UPDATE tributary.totals AS t
SET record = (t.record::jsonb || jsonb_build_object('Sales', kept.sales, 'Revenue', kept.revenue))::json
FROM (
  SELECT s.program, o.owner,
    count(*) FILTER (WHERE s.record->>'Status' <> 'REFUNDED') AS sales,
    sum((s.record->>'TotalEarned')::numeric - (s.record->>'Refunded')::numeric) AS revenue
  FROM tributary.sales AS s
  CROSS JOIN LATERAL (VALUES (s.of_link), (s.of_affiliate), (s.of_referral)) AS o (owner)
  GROUP BY s.program, o.owner
  HAVING sum((s.record->>'Refunded')::numeric) > 0
) AS kept
WHERE t.program = kept.program AND t.id = kept.owner;
EXCEPTION WHEN undefined_column THEN NULL;
END $$;
-- +goose StatementEnd
