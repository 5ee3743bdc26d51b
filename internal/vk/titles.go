package vk

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/SevereCloud/vksdk/v2/api"
)

// maxNamed is the most communities that groups.getById takes; users.get takes 1,000.
const maxNamed = 500

// Titles asks what the owners of walls call themselves: communities by their name, people by theirs. Owners that VK
// says nothing about are missing from the answer. It makes up to one call for each 500 of either kind, none of which
// counts in the quota of wall.get.
func (c *Client) Titles(ctx context.Context, owners ...int64) (map[int64]string, error) {
	var groups, people []string
	for _, owner := range owners {
		if owner < 0 {
			groups = append(groups, strconv.FormatInt(-owner, 10))
		} else {
			people = append(people, strconv.FormatInt(owner, 10))
		}
	}
	titles := map[int64]string{}
	for _, kind := range []struct {
		method, parameter string
		ids               []string
		sign              int64
	}{{"groups.getById", "group_ids", groups, -1}, {"users.get", "user_ids", people, 1}} {
		for ids := range slices.Chunk(kind.ids, maxNamed) {
			err := c.call(ctx, Reading, kind.method, api.Params{kind.parameter: strings.Join(ids, ",")}, func(response json.RawMessage) error {
				for id, title := range titlesIn(response) {
					titles[kind.sign*id] = title
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return titles, nil
}

// titlesIn are the names in an answer, by id.
func titlesIn(response json.RawMessage) map[int64]string {
	// Versions of the API differ: the list comes bare or inside an object.
	var object flexObject[struct {
		Groups json.RawMessage `json:"groups"`
	}]
	if _ = object.UnmarshalJSON(response); object.found {
		response = object.value.Groups
	}
	titles := map[int64]string{}
	for _, raw := range listOf(response) {
		var owner flexObject[struct {
			ID    flexInt    `json:"id"`
			Name  flexString `json:"name"`
			First flexString `json:"first_name"`
			Last  flexString `json:"last_name"`
		}]
		_ = owner.UnmarshalJSON(raw)
		title := strings.TrimSpace(string(owner.value.Name) + string(owner.value.First) + " " + string(owner.value.Last))
		if id := int64(owner.value.ID); id > 0 && title != "" {
			titles[id] = title
		}
	}
	return titles
}
