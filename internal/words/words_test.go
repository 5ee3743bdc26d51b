package words

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestANumberAgreesWithItsNoun(t *testing.T) {
	t.Parallel()
	for n, text := range map[int]string{0: "0 walls", 1: "1 wall", 21: "21 walls"} {
		require.Equal(t, text, Count(n, "wall", "walls"))
	}
}

func TestARussianNounAgreesWithItsNumber(t *testing.T) {
	t.Parallel()
	for n, text := range map[int]string{
		0: "0 публикаций", 1: "1 публикация", 2: "2 публикации", 4: "4 публикации", 5: "5 публикаций",
		11: "11 публикаций", 14: "14 публикаций", 21: "21 публикация", 104: "104 публикации", 112: "112 публикаций",
	} {
		require.Equal(t, text, Russian(n, "публикация", "публикации", "публикаций"))
	}
}

func TestTheNearestNameIsTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	known := []string{"telegram:-1001900000001", "vk:-900000005", "deliveries"}
	for name, nearest := range map[string]string{
		"telegram:-100190000001": "telegram:-1001900000001", "vk:-90000005": "vk:-900000005", "delivries": "deliveries",
		"foo": "", "delivreies": "deliveries", "": "", "parse": "",
	} {
		require.Equal(t, nearest, Nearest(name, known), name)
	}
	require.EqualError(t, NewUnknown("wall", "delivries", known, "VK_WALLS names them"),
		`wall "delivries" is not known: did you mean "deliveries"? VK_WALLS names them`)
	require.EqualError(t, NewUnknown("wall", "foo", nil, "VK_WALLS names them"), `wall "foo" is not known: VK_WALLS names them`)
}
