-- name: UpsertUser :one
-- Writing to the bot makes a person active again. A row that would not change
-- is not written.
WITH written AS (
    INSERT INTO guide.users AS u (telegram_id, language_code)
    VALUES (@telegram_id, sqlc.narg(language_code))
    ON CONFLICT (telegram_id) DO UPDATE
        SET language_code  = COALESCE(excluded.language_code, u.language_code),
            active         = true,
            inactive_since = NULL
        WHERE NOT u.active OR u.language_code IS DISTINCT FROM COALESCE(excluded.language_code, u.language_code)
    RETURNING u.telegram_id, u.language_code, u.subscription, u.subscription_checked_at, u.active, u.created_at
)
SELECT telegram_id, language_code, subscription, subscription_checked_at, active, created_at FROM written
UNION ALL
SELECT telegram_id, language_code, subscription, subscription_checked_at, active, created_at
FROM guide.users WHERE users.telegram_id = @telegram_id AND NOT EXISTS (SELECT 1 FROM written);

-- name: GetUser :one
SELECT telegram_id, language_code, subscription, subscription_checked_at, active, created_at
FROM guide.users WHERE telegram_id = @telegram_id;

-- name: SetSubscription :exec
INSERT INTO guide.users AS u (telegram_id, subscription, subscription_checked_at)
VALUES (@telegram_id, @subscription, @checked_at::timestamptz)
ON CONFLICT (telegram_id) DO UPDATE
    SET subscription = excluded.subscription, subscription_checked_at = excluded.subscription_checked_at
    WHERE u.subscription_checked_at IS NULL OR u.subscription_checked_at <= excluded.subscription_checked_at;

-- name: DeactivateUser :exec
UPDATE guide.users SET active = false, inactive_since = @since::timestamptz
WHERE telegram_id = @telegram_id AND active;
