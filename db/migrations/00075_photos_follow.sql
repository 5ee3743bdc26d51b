-- +goose Up

ALTER TABLE relay.deliveries
    ADD COLUMN words_first boolean NOT NULL DEFAULT false, -- the host of its photos does not answer: they follow
    ADD COLUMN due_at timestamptz;                         -- its next part is not to go before; NULL: at once

-- +goose Down

ALTER TABLE relay.deliveries DROP COLUMN words_first, DROP COLUMN due_at;
