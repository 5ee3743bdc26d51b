-- +goose Up
-- Sessions of the operator console that were ended by logging out, until they
-- would have ended anyway. A session itself lives in the browser's cookie.
CREATE TABLE service.console_logouts (
    session bytea PRIMARY KEY,
    ends_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE service.console_logouts;
