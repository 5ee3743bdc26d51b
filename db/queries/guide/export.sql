-- Objects as a batch would bring them.

-- name: PublishedObjects :many
SELECT external_id, payload FROM cms.objects
WHERE list = @list::text AND published AND external_id > @after ORDER BY external_id LIMIT @size::bigint;

-- name: HiddenObjects :many
SELECT list, external_id FROM cms.objects WHERE NOT published;

-- name: GetObject :one
SELECT id, published, title, payload FROM cms.objects WHERE list = @list::text AND external_id = @external_id;

-- name: NextNamedObjects :many
-- Those after one, by what people call them.
SELECT external_id, title, detail, published FROM cms.objects
WHERE list = @list::text AND (title, external_id) > (@after_title::text, @after_id::text) ORDER BY title, external_id LIMIT @most::bigint;

-- name: NamedObjects :many
-- By what people call them.
SELECT external_id, title, detail, published FROM cms.objects WHERE list = @list::text ORDER BY title, external_id;
