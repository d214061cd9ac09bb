// Package keybinding binds a key to the address that it was stored for.
package keybinding

import "fmt"

// MaySend reports whether a key that was stored for one address may be sent to another: they are equal, or default
// addresses of one zone, which zone returns, "" for other addresses. Addresses are in the form of config.CheckBaseURL;
// "" is none.
func MaySend(stored, to string, zone func(address string) string) bool {
	if stored == "" || to == "" {
		return false
	}
	z := zone(stored)
	return stored == to || z != "" && z == zone(to)
}

// Elsewhere says that the key of a profile was stored for another address than the one it would be sent to.
func Elsewhere(profile, stored string) string {
	return fmt.Sprintf("the key of profile %s was stored for %s and is sent only there", profile, stored)
}

// Chosen says that a key of the environment is not sent to an address that a file in a project's directory has chosen.
func Chosen(to, by string) string {
	return fmt.Sprintf("is not sent to %s, which was chosen by %s", to, by)
}
