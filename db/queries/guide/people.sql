-- name: SeeUser :one
-- Writing to the bot makes a person active again, and tells their language,
-- '' if it did not. A row that would not change is not written.
WITH written AS (
    INSERT INTO guide.users AS u (telegram_id, language_code) VALUES (@telegram_id, NULLIF(@language::text, ''))
    ON CONFLICT (telegram_id) DO UPDATE
        SET active = true, inactive_since = NULL, language_code = COALESCE(excluded.language_code, u.language_code)
        WHERE NOT u.active OR excluded.language_code <> COALESCE(u.language_code, '')
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

-- name: CountFavourites :one
SELECT (SELECT count(*) FROM guide.favourite_places fp WHERE fp.telegram_id = @telegram_id) +
       (SELECT count(*) FROM guide.favourite_events fe WHERE fe.telegram_id = @telegram_id);

-- name: ForgetFavouritePlaces :exec
DELETE FROM guide.favourite_places WHERE telegram_id = $1;

-- name: ForgetFavouriteEvents :exec
DELETE FROM guide.favourite_events WHERE telegram_id = $1;

-- name: ForgetUser :exec
DELETE FROM guide.users WHERE telegram_id = $1;

-- name: KnowsUser :one
SELECT EXISTS (SELECT FROM guide.users WHERE telegram_id = $1);
