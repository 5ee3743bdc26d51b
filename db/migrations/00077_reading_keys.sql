-- +goose Up

ALTER TABLE relay.key_pauses
    ADD COLUMN captcha jsonb,                    -- what VK asked for
    ADD COLUMN answer  text NOT NULL DEFAULT ''; -- a person's, for the next call

-- +goose Down

ALTER TABLE relay.key_pauses DROP COLUMN captcha, DROP COLUMN answer;
