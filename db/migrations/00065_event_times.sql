-- +goose NO TRANSACTION
-- An event that names no end lasts as long as its category usually does.

-- +goose Up
-- The first moment at which an event is past, where no category says how long
-- it usually lasts.
CREATE OR REPLACE FUNCTION guide.over_at(starts_at timestamptz, ends_at timestamptz) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN ends_at > starts_at THEN ends_at ELSE starts_at + interval '3 hours' END;

-- Written when an import writes the event or one of its categories.
ALTER TABLE guide.events ADD COLUMN IF NOT EXISTS over_at timestamptz NOT NULL DEFAULT 'infinity';
-- +goose StatementBegin
DO $$
DECLARE
    done bigint := 0;
    last bigint := (SELECT COALESCE(max(id), 0) FROM guide.events);
BEGIN
    WHILE done < last LOOP
        UPDATE guide.events SET over_at = guide.over_at(starts_at, ends_at) WHERE id > done AND id <= done + 5000;
        UPDATE guide.event_listings l SET over_at = e.over_at FROM guide.events e
        WHERE e.id = l.event_id AND e.id > done AND e.id <= done + 5000;
        done := done + 5000;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose Down
CREATE OR REPLACE FUNCTION guide.over_at(starts_at timestamptz, ends_at timestamptz) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN GREATEST(ends_at, starts_at + interval '1 minute');
UPDATE guide.event_listings l SET over_at = guide.over_at(e.starts_at, e.ends_at) FROM guide.events e WHERE e.id = l.event_id;
ALTER TABLE guide.events DROP COLUMN over_at;
