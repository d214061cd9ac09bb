// Package tables has the internal tables of a project: their definitions, changes of them, and imports.
package tables
