-- +goose Up
-- Tables that editors have uploaded, until they confirm what came of them: which column is which can be said anew.
CREATE TABLE cms.uploads (
    id          text PRIMARY KEY, -- the held import's; another if nothing could be made of the file yet
    name        text NOT NULL,
    file        bytea NOT NULL,
    options     jsonb NOT NULL,   -- content.TableOptions
    uploaded_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE cms.uploads;
