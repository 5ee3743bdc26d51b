-- +goose NO TRANSACTION
-- +goose Up

-- Documents follow a delivery's words as files.
ALTER TABLE relay.delivery_parts DROP CONSTRAINT IF EXISTS delivery_parts_kind_check;
ALTER TABLE relay.delivery_parts DROP CONSTRAINT IF EXISTS delivery_parts_kind;
ALTER TABLE relay.delivery_parts ADD CONSTRAINT delivery_parts_kind CHECK (kind IN ('', 'message', 'photo', 'album', 'post', 'document')) NOT VALID;
ALTER TABLE relay.delivery_parts VALIDATE CONSTRAINT delivery_parts_kind;

-- +goose Down

ALTER TABLE relay.delivery_parts DROP CONSTRAINT IF EXISTS delivery_parts_kind;
ALTER TABLE relay.delivery_parts ADD CONSTRAINT delivery_parts_kind_check CHECK (kind IN ('', 'message', 'photo', 'album', 'post', 'document')) NOT VALID;
