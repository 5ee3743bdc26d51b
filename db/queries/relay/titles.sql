-- name: Titles :many
-- By the names of destinations, and walls by the names under which they are read, too.
SELECT t.name, t.title FROM relay.titles t WHERE t.title <> ''
UNION ALL
SELECT w.name, t.title FROM relay.walls w JOIN relay.titles t ON t.name = 'vk:' || w.owner_id WHERE t.title <> '';

-- name: TitlesToAsk :many
-- Of the destinations given and of the walls that are read, those whose title is
-- not known, or not as of late.
SELECT wanted.name::text
FROM (
    SELECT unnest(@names::text[]) AS name
    UNION
    SELECT 'vk:' || w.owner_id FROM relay.walls w WHERE w.watched AND w.owner_id IS NOT NULL
) wanted
LEFT JOIN relay.titles t ON t.name = wanted.name
WHERE t.asked_at IS NULL OR t.asked_at < now() - CASE t.title WHEN '' THEN @unknown_for::interval ELSE @known_for::interval END
ORDER BY wanted.name;

-- name: KeepTitle :exec
-- A title that is not told any more stays.
INSERT INTO relay.titles AS t (name, title, asked_at) VALUES (@name, @title, now())
ON CONFLICT (name) DO UPDATE SET title = coalesce(nullif(excluded.title, ''), t.title), asked_at = excluded.asked_at;
