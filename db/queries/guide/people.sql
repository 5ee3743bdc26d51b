-- name: SeeUser :one
-- Writing to the bot makes a person active again. A row that would not change
-- is not written.
WITH written AS (
    INSERT INTO guide.users AS u (telegram_id) VALUES (@telegram_id)
    ON CONFLICT (telegram_id) DO UPDATE SET active = true, inactive_since = NULL WHERE NOT u.active
    RETURNING u.subscription, u.subscription_checked_at
)
SELECT subscription, subscription_checked_at FROM written
UNION ALL
SELECT subscription, subscription_checked_at FROM guide.users
WHERE users.telegram_id = @telegram_id AND NOT EXISTS (SELECT 1 FROM written);

-- name: SetSubscription :exec
INSERT INTO guide.users AS u (telegram_id, subscription, subscription_checked_at)
VALUES (@telegram_id, @subscription, @checked_at::timestamptz)
ON CONFLICT (telegram_id) DO UPDATE
    SET subscription = excluded.subscription, subscription_checked_at = excluded.subscription_checked_at
    WHERE u.subscription_checked_at IS NULL OR u.subscription_checked_at <= excluded.subscription_checked_at;

-- name: DeactivateUser :exec
UPDATE guide.users SET active = false, inactive_since = @since::timestamptz
WHERE telegram_id = @telegram_id AND active;
