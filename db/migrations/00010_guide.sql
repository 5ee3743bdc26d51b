-- The guide: stores D1-D6 of the bot's specification. Content arrives from the
-- CMS and is named by its own external_id; the bigint id is ours and goes into
-- callback_data. Content is unpublished, never deleted, so that favourites and
-- old buttons keep meaning something.

-- +goose Up
CREATE SCHEMA guide;

-- Rows to skip for a page, counted from 1. A page that is not there gives the
-- nearest one that is.
CREATE FUNCTION guide.page_offset(total bigint, page_number bigint, page_size bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN GREATEST(LEAST(page_number, (total + page_size - 1) / page_size) - 1, 0) * page_size;

-- D1: people and whether they are subscribed to the channel.
CREATE TABLE guide.users (
    telegram_id             bigint PRIMARY KEY,
    language_code           text,
    subscription            text NOT NULL DEFAULT 'unknown'
        CHECK (subscription IN ('unknown', 'subscribed', 'not_subscribed')),
    subscription_checked_at timestamptz,
    active                  boolean NOT NULL DEFAULT true,
    inactive_since          timestamptz,
    created_at              timestamptz NOT NULL DEFAULT now(),
    CHECK (active = (inactive_since IS NULL)),
    CHECK ((subscription = 'unknown') = (subscription_checked_at IS NULL))
);

-- Nothing is ever deleted that something else refers to, so a foreign key has
-- an index only where a query goes that way.

-- Every content table carries: digest, the SHA-256 of the object as the CMS
-- sent it, by which an import sees that nothing changed; row_version, which
-- grows by one with each change; sort_key, lower case and ё as е, compared
-- byte by byte so that the order is the same on every server.

-- D2: places and what they are sorted by.
CREATE TABLE guide.districts (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    external_id text NOT NULL UNIQUE CHECK (external_id <> ''),
    name        text NOT NULL CHECK (name <> ''),
    sort_key    text COLLATE "C" NOT NULL,
    published   boolean NOT NULL DEFAULT true,
    digest      bytea NOT NULL,
    row_version bigint NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE guide.types (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    external_id text NOT NULL UNIQUE CHECK (external_id <> ''),
    name        text NOT NULL CHECK (name <> ''),
    sort_key    text COLLATE "C" NOT NULL,
    published   boolean NOT NULL DEFAULT true,
    digest      bytea NOT NULL,
    row_version bigint NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE guide.subcategories (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    external_id text NOT NULL UNIQUE CHECK (external_id <> ''),
    type_id     bigint NOT NULL REFERENCES guide.types,
    name        text NOT NULL CHECK (name <> ''),
    sort_key    text COLLATE "C" NOT NULL,
    published   boolean NOT NULL DEFAULT true,
    digest      bytea NOT NULL,
    row_version bigint NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX subcategories_type ON guide.subcategories (type_id, sort_key, id) WHERE published;

CREATE TABLE guide.places (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    external_id text NOT NULL UNIQUE CHECK (external_id <> ''),
    name        text NOT NULL CHECK (name <> ''),
    sort_key    text COLLATE "C" NOT NULL,
    address     text NOT NULL DEFAULT '',
    description text NOT NULL DEFAULT '',
    rating      double precision CHECK (rating BETWEEN 0 AND 5),
    district_id bigint REFERENCES guide.districts,
    lat         double precision CHECK (lat BETWEEN -90 AND 90),
    lon         double precision CHECK (lon BETWEEN -180 AND 180),
    phone       text NOT NULL DEFAULT '',
    site        text NOT NULL DEFAULT '',
    published   boolean NOT NULL DEFAULT true,
    digest      bytea NOT NULL,
    row_version bigint NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CHECK ((lat IS NULL) = (lon IS NULL))
);

CREATE TABLE guide.place_types (
    place_id bigint NOT NULL REFERENCES guide.places,
    type_id  bigint NOT NULL REFERENCES guide.types,
    position integer NOT NULL,
    PRIMARY KEY (place_id, type_id)
);

CREATE TABLE guide.place_subcategories (
    place_id       bigint NOT NULL REFERENCES guide.places,
    subcategory_id bigint NOT NULL REFERENCES guide.subcategories,
    position       integer NOT NULL,
    PRIMARY KEY (place_id, subcategory_id)
);
CREATE INDEX place_subcategories_subcategory ON guide.place_subcategories (subcategory_id);

-- The list of places as a person filters it: for each published place one row
-- per combination of filters that shows it, 0 standing for "any". Whatever is
-- chosen, a page is one range of this one index, already in order; counting
-- and sorting a hundred thousand joined rows would take far too long.
-- Made of the place's own rows in the transaction that writes those, so there
-- is nothing for a foreign key to find, six times for each place.
CREATE TABLE guide.place_listings (
    district_id    bigint NOT NULL,
    type_id        bigint NOT NULL,
    subcategory_id bigint NOT NULL,
    sort_key       text COLLATE "C" NOT NULL,
    place_id       bigint NOT NULL,
    PRIMARY KEY (district_id, type_id, subcategory_id, sort_key, place_id)
);
CREATE INDEX place_listings_place ON guide.place_listings (place_id);

-- D3: events.
CREATE TABLE guide.event_categories (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    external_id text NOT NULL UNIQUE CHECK (external_id <> ''),
    name        text NOT NULL CHECK (name <> ''),
    sort_key    text COLLATE "C" NOT NULL,
    published   boolean NOT NULL DEFAULT true,
    digest      bytea NOT NULL,
    row_version bigint NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE guide.event_sources (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    external_id text NOT NULL UNIQUE CHECK (external_id <> ''),
    name        text NOT NULL CHECK (name <> ''),
    sort_key    text COLLATE "C" NOT NULL,
    url         text NOT NULL DEFAULT '',
    published   boolean NOT NULL DEFAULT true,
    digest      bytea NOT NULL,
    row_version bigint NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE guide.events (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    external_id text NOT NULL UNIQUE CHECK (external_id <> ''),
    title       text NOT NULL CHECK (title <> ''),
    sort_key    text COLLATE "C" NOT NULL,
    description text NOT NULL DEFAULT '',
    starts_at   timestamptz NOT NULL,
    ends_at     timestamptz,
    place_id    bigint REFERENCES guide.places,
    address     text NOT NULL DEFAULT '',
    source_id   bigint REFERENCES guide.event_sources,
    url         text NOT NULL DEFAULT '',
    price       text NOT NULL DEFAULT '',
    published   boolean NOT NULL DEFAULT true,
    digest      bytea NOT NULL,
    row_version bigint NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CHECK (ends_at >= starts_at)
);

CREATE TABLE guide.event_category_links (
    event_id    bigint NOT NULL REFERENCES guide.events,
    category_id bigint NOT NULL REFERENCES guide.event_categories,
    position    integer NOT NULL,
    PRIMARY KEY (event_id, category_id)
);

-- The first moment at which an event is past: its end; for one that names none,
-- a minute after its start.
CREATE FUNCTION guide.over_at(starts_at timestamptz, ends_at timestamptz) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN GREATEST(ends_at, starts_at + interval '1 minute');

-- The list of events, in the manner of place_listings.
CREATE TABLE guide.event_listings (
    category_id bigint NOT NULL,
    source_id   bigint NOT NULL,
    starts_at   timestamptz NOT NULL,
    event_id    bigint NOT NULL,
    over_at     timestamptz NOT NULL,
    PRIMARY KEY (category_id, source_id, starts_at, event_id)
);
CREATE INDEX event_listings_over ON guide.event_listings (category_id, source_id, over_at, starts_at, event_id);
CREATE INDEX event_listings_event ON guide.event_listings (event_id);

-- Photos are remembered by URL, with what the last look at them found. Telegram
-- keeps what it fetched from a URL for days, failures too, so an image that
-- changed or came back is served under a new version of its URL. One that
-- nothing shows any more is unused, and remembered in case it comes back.
CREATE TABLE guide.photos (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    url          text NOT NULL UNIQUE CHECK (url <> ''),
    version      integer NOT NULL DEFAULT 0,
    served_url   text NOT NULL GENERATED ALWAYS AS (
        CASE WHEN version = 0 THEN url
             WHEN strpos(url, '?') > 0 THEN url || '&v=' || version::text
             ELSE url || '?v=' || version::text END) STORED,
    state        text NOT NULL DEFAULT 'unchecked' CHECK (state IN ('unchecked', 'good', 'bad', 'unused')),
    reason       text NOT NULL DEFAULT '',
    -- When it is to be looked at next: at once after an import brought it, or
    -- an object that shows it changed; else from time to time.
    due_at       timestamptz NOT NULL DEFAULT now(),
    checked_at   timestamptz,
    content_hash bytea,
    media_type   text NOT NULL DEFAULT '',
    bytes        bigint NOT NULL DEFAULT 0,
    width        integer NOT NULL DEFAULT 0,
    height       integer NOT NULL DEFAULT 0
);
CREATE INDEX photos_due ON guide.photos (due_at, id) WHERE state <> 'unused';
CREATE INDEX photos_state ON guide.photos (state, id);

CREATE TABLE guide.place_photos (
    place_id bigint NOT NULL REFERENCES guide.places,
    position integer NOT NULL,
    photo_id bigint NOT NULL REFERENCES guide.photos,
    PRIMARY KEY (place_id, position)
);
CREATE INDEX place_photos_photo ON guide.place_photos (photo_id);

CREATE TABLE guide.event_photos (
    event_id bigint NOT NULL REFERENCES guide.events,
    position integer NOT NULL,
    photo_id bigint NOT NULL REFERENCES guide.photos,
    PRIMARY KEY (event_id, position)
);
CREATE INDEX event_photos_photo ON guide.event_photos (photo_id);

-- D4: favourites. Two tables, so that both ends are real foreign keys.
CREATE TABLE guide.favourite_places (
    telegram_id bigint NOT NULL REFERENCES guide.users,
    place_id    bigint NOT NULL REFERENCES guide.places,
    added_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (telegram_id, place_id)
);
CREATE INDEX favourite_places_newest ON guide.favourite_places (telegram_id, added_at DESC);

CREATE TABLE guide.favourite_events (
    telegram_id bigint NOT NULL REFERENCES guide.users,
    event_id    bigint NOT NULL REFERENCES guide.events,
    added_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (telegram_id, event_id)
);
CREATE INDEX favourite_events_newest ON guide.favourite_events (telegram_id, added_at DESC);

-- D5: collections.
CREATE TABLE guide.collections (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    external_id text NOT NULL UNIQUE CHECK (external_id <> ''),
    title       text NOT NULL CHECK (title <> ''),
    sort_key    text COLLATE "C" NOT NULL,
    description text NOT NULL DEFAULT '',
    published   boolean NOT NULL DEFAULT true,
    digest      bytea NOT NULL,
    row_version bigint NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX collections_listed ON guide.collections (sort_key, id) WHERE published;

CREATE TABLE guide.collection_items (
    collection_id bigint NOT NULL REFERENCES guide.collections,
    position      integer NOT NULL,
    place_id      bigint REFERENCES guide.places,
    event_id      bigint REFERENCES guide.events,
    PRIMARY KEY (collection_id, position),
    CHECK (num_nonnulls(place_id, event_id) = 1)
);

-- D6: promos, the same for everyone; who opened or used one is not recorded.
CREATE TABLE guide.promos (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    external_id text NOT NULL UNIQUE CHECK (external_id <> ''),
    title       text NOT NULL CHECK (title <> ''),
    sort_key    text COLLATE "C" NOT NULL,
    description text NOT NULL DEFAULT '',
    code        text NOT NULL DEFAULT '',
    place_id    bigint REFERENCES guide.places,
    starts_at   timestamptz,
    ends_at     timestamptz,
    published   boolean NOT NULL DEFAULT true,
    digest      bytea NOT NULL,
    row_version bigint NOT NULL DEFAULT 1,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CHECK (ends_at >= starts_at)
);
CREATE INDEX promos_active ON guide.promos (COALESCE(ends_at, 'infinity'::timestamptz), id) WHERE published;

-- +goose Down
DROP SCHEMA guide CASCADE;
