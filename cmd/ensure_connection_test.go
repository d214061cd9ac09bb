package cmd

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/spec"
)

// TestEnsureConnectionSaysWhatItKnows: a credential with secrets is sent each time, and nothing is claimed about them.
func TestEnsureConnectionSaysWhatItKnows(t *testing.T) {
	f := newFront(t, "us")
	reply := func(text string) func(http.ResponseWriter, *http.Request, func() *http.Response) {
		return func(w http.ResponseWriter, _ *http.Request, _ func() *http.Response) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, text)
		}
	}
	const shop = `{"id":"00000000-0000-4000-8000-000000000001","name":"shop","type":"postgres","url":null}`
	f.on(spec.ListConnections, reply("["+shop+"]"))
	f.on(spec.UpdateConnection, reply(shop))
	detail := `{"type":"postgres","url":"db","port":5432,"user":"u","databaseName":"d"}`
	f.on(spec.GetConnectionDetail, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
		reply(detail)(w, r, pass)
	})
	f.file("c.json", `{"url":"db","port":5432,"user":"u","password":"shoe-polish-42","databaseName":"d"}`)
	run := func(want string) {
		t.Helper()
		f.sent()
		code, _, errs := f.dig("connection", "ensure", "shop", "--type", "postgres", "--credential-file", "c.json")
		if code != 0 || !strings.Contains(errs, "connection shop: "+want) {
			t.Errorf("exit %d: %s", code, errs)
		}
		if sent := f.sent(); sent != "updateConnection" {
			t.Errorf("sent %q", sent)
		}
	}
	again := "sent the credential again; whether its secrets have changed is not known"
	run(again)
	detail = strings.Replace(detail, "5432", "5433", 1)
	run("replaced the credential\n")
	f.on(spec.GetConnectionDetail, func(w http.ResponseWriter, _ *http.Request, _ func() *http.Response) {
		w.WriteHeader(http.StatusNotFound)
	})
	run(again)
}
