INSERT INTO guide.districts (external_id, name, sort_key, digest) VALUES ('d', 'Центр', 'центр', '');
INSERT INTO guide.places (external_id, name, sort_key, district_id, digest) VALUES ('p', 'Кофейня', 'кофейня', 1, '');
INSERT INTO guide.place_listings (district_id, type_id, subcategory_id, sort_key, place_id) VALUES (0, 0, 0, 'кофейня', 1);
INSERT INTO guide.events (external_id, title, sort_key, starts_at, place_id, digest) VALUES ('e', 'Концерт', 'концерт', now(), 1, '');
INSERT INTO guide.event_listings (category_id, source_id, starts_at, event_id, over_at) VALUES (0, 0, now(), 1, now());
INSERT INTO guide.photos (url) VALUES ('https://photos.example.com/1');
INSERT INTO guide.place_photos (place_id, position, photo_id) VALUES (1, 0, 1);
INSERT INTO guide.users (telegram_id) VALUES (900000001);
INSERT INTO guide.favourite_places (telegram_id, place_id) VALUES (900000001, 1)
