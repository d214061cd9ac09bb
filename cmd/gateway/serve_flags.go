package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/diskspace"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/hooks"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/traces"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/spf13/cobra"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	at                                   gateway.Address
	tlsCert, tlsKey, keyFile, logFormat  string
	faults, quirks, cors                 []string
	faultSeed                            uint64
	limits                               web.Limits
	upload, memory, temp, exports, reach string
	printKey, quiet, moved               bool
	onFailure, otlp                      string
	store, storePassword, sharedDir      string
	exportStore, s3Endpoint              string
	hook                                 *hooks.Hook      // of onFailure, nil for none
	spans                                *traces.Exporter // nil for none
	grace, drain, overrun                time.Duration
	cluster                              clusterFlags
}

func (f *serveFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.at.Listen, "listen", "127.0.0.1:0", "address to listen on; port 0 selects a free one")
	fs.StringVar(&f.tlsCert, "tls-cert", "", "serve HTTPS with this certificate, followed by those of its authorities "+
		"(PEM); read again when it changes")
	fs.StringVar(&f.tlsKey, "tls-key", "", "private key of --tls-cert (PEM)")
	fs.BoolVar(&f.printKey, "print-key", false, "create a partner key for the lifetime of this process and print it")
	fs.StringVar(&f.keyFile, "key-file", "", "use the partner key in this file; if it does not exist or is empty, "+
		"create a key and write it there, readable by its owner only")
	fs.BoolVar(&f.at.AnyHost, "any-host", false, "allow an address that is not loopback; traffic is not encrypted "+
		"without --tls-cert")
	fs.StringVar(&f.at.Metrics, "metrics-listen", "", "also serve /metrics, /healthz and /readyz on this address, "+
		"without keys and encryption")
	fs.StringSliceVar(&f.cors, "cors-origin", nil,
		"origins of web pages that may call, such as http://localhost:3000; * for any")
	fs.BoolVar(&f.quiet, "quiet", false, "do not log requests")
	fs.StringVar(&f.store, "store", "", "address of the PostgreSQL database for the state, such as "+
		"postgres://dig@db.example.com/dig, in place of a file in the data directory (docs/operating.md)")
	fs.StringVar(&f.storePassword, "store-password-file", "", "file with the password for --store, readable by its "+
		"owner only; else it is that of PGPASSWORD or ~/.pgpass")
	fs.StringVar(&f.sharedDir, "shared-dir", "", "folder that all gateways over the --store have, for the files of "+
		"exports and the key of credentials: with it several may serve, with --engine trino (docs/cluster.md)")
	fs.StringVar(&f.exportStore, "export-store", "", "bucket for the files of exports, such as s3://lake/exports, in "+
		"place of a folder; for a gateway with --store (docs/cluster.md says where its credential is looked for)")
	fs.StringVar(&f.s3Endpoint, "s3-endpoint", "", "address of another service for --export-store than that of AWS, "+
		"such as https://minio.example.com:9000 (AWS_ENDPOINT_URL_S3)")
	fs.BoolVar(&f.moved, "moved", false, "record that rows or files are elsewhere now: other values of --trino-lake, "+
		"--trino-prefix, --trino-stage, --trino-stage-location, --shared-dir or "+
		"--export-store, while no other gateway is running")
	fs.StringVar(&f.logFormat, "log-format", "text", "format of the log: text or json")
	complete.Values(c, "log-format", "text", "json")
	fs.StringVar(&f.onFailure, "on-failure", "", "command, or address that begins with http:// or https://, that gets "+
		"a JSON document when a run of a cache, a materialized query or a metadata refresh fails, and when the next "+
		"one succeeds (docs/operating.md)")
	fs.StringVar(&f.otlp, "otlp-endpoint", "", "address of an OpenTelemetry collector that gets a span for each "+
		"request and run, such as http://localhost:4318 (OTEL_EXPORTER_OTLP_ENDPOINT)")
	cli.DurationVar(fs, &f.grace, "grace", 30*time.Second,
		"how long calls and runs may continue after an interrupt before they are cancelled")
	cli.DurationVar(fs, &f.drain, "drain", 0,
		"how long calls are accepted after an interrupt, while /readyz is 503, so "+
			"that a balancer notices; --grace begins then")
	cli.DurationVar(fs, &f.limits.Statement, "max-statement-time", 2*time.Hour,
		"longest time a statement may run; 0 for no limit")
	fs.StringVar(&f.memory, "memory", "",
		"memory that the engine of one project may use, such as 512MiB (1GiB, or less in a smaller container)")
	fs.StringVar(&f.temp, "max-temp", "16GiB",
		"disk space that one project may use for data that does not fit into memory")
	fs.StringVar(&f.upload, "max-upload", "64GiB",
		"largest CSV document that an import accepts, after unpacking; off for no limit")
	fs.StringVar(&f.exports, "max-exports", "64GiB",
		"total size of the files of all exports; the oldest expire first; off for no limit")
	cli.DurationVar(fs, &f.limits.Silence, "max-silence", time.Minute,
		"longest pause in the body of a request; 0 for no limit")
	cli.DurationVar(fs, &f.limits.Stall, "max-stall", 5*time.Minute,
		"longest time that a reply waits for a client that "+
			"reads nothing, before its statement is ended; 0 for no limit")
	fs.StringArrayVar(&f.faults, "fault", nil,
		"inject a fault, such as status=503,rate=0.2; repeat (docs/testing.md)")
	fs.StringSliceVar(&f.quirks, "quirks", nil, "reproduce faults of the hosted zones: hosted for those that always "+
		"occur there, harsh[=RATE] for the others, or names[=RATE] (docs/testing.md)")
	complete.Values(c, "quirks", append([]string{"hosted", "harsh"}, gateway.QuirkNames()...)...)
	fs.StringVar(&f.reach, "reach", "private", "addresses that connections created with a project key may reach: "+
		"public, private (with loopback) or all (with link-local and metadata services)")
	complete.Values(c, "reach", "public", "private", "all")
	fs.Uint64Var(&f.faultSeed, "fault-seed", 1,
		"seed for faults with a rate or a random size; the same seed gives the same faults")
	cli.DurationVar(fs, &f.overrun, "max-overrun", 10*time.Second,
		"how long a statement may continue after it was told to "+
			"stop, before the process that runs it is replaced; 0 for no limit")
	f.cluster.register(c)
}

// options checks the flags and returns what they ask for.
func (f *serveFlags) options(e *cli.Env) (o gateway.Options, err error) {
	o.Drain = f.drain
	if o.Inject, err = gateway.ParseInjection(f.faults, f.faultSeed); err != nil {
		return o, exitcode.Usagef("--fault %v", err)
	}
	o.Limits = f.limits
	if o.Limits.Upload, err = config.ParseSize(f.upload); err != nil {
		return o, exitcode.Usagef("--max-upload: %v", err)
	}
	if o.Limits.Exports, err = config.ParseSize(f.exports); err != nil {
		return o, exitcode.Usagef("--max-exports: %v", err)
	}
	if o.Limits.Exports == 0 { // off
		o.Limits.Exports = -1
	}
	if o.Quirks, err = gateway.ParseQuirks(f.quirks); err != nil {
		return o, exitcode.Usagef("--quirks: %v", err)
	}
	memory := cli.MemoryFor(cli.AllowedMemory())
	if f.memory != "" {
		if memory, err = config.ParseSize(f.memory); err != nil || memory < 64<<20 {
			return o, exitcode.Usagef("--memory: %q is not a size of at least 64MiB", f.memory)
		}
	}
	if o.Origins, err = web.ParseOrigins(f.cors); err != nil {
		return o, exitcode.Usagef("--cors-origin: %v", err)
	}
	if o.Reach, err = sources.ParseReach(f.reach); err != nil {
		return o, exitcode.Usagef("--reach: %v", err)
	}
	temp, err := config.ParseSize(f.temp)
	if err != nil || temp <= 0 {
		return o, exitcode.Usagef("--max-temp: %q is not a size", f.temp)
	}
	if o.Dir, err = config.DataDir(e.Getenv); err != nil {
		return o, err
	}
	if o.Postgres, err = f.postgres(e); err != nil {
		return o, err
	}
	if o.Log, err = f.logger(e); err != nil {
		return o, err
	}
	if o.Certificate, err = f.certificate(e, o.Log); err != nil {
		return o, err
	}
	f.at.Encrypted = o.Certificate != nil
	if err := f.watchers(e, o.Log); err != nil {
		return o, err
	}
	o.Now, o.Version = e.Now, cli.BuildVersion()
	if o.EngineName, o.OpenEngine, err = f.cluster.engine(e); err != nil {
		return o, err
	}
	if err := f.share(e, &o); err != nil {
		return o, err
	}
	o.KeepOut, o.Configs = config.OwnDirs(e.Getenv)
	o.Engine = engine.Options{MemoryLimit: memory, TempLimit: temp, Overrun: f.overrun,
		CompactFree: diskspace.CompactFree, AbortCode: exitcode.Failed}
	return o, nil
}

// watchers opens those who are notified of requests and runs.
func (f *serveFlags) watchers(e *cli.Env, log *slog.Logger) (err error) {
	if f.onFailure != "" {
		if f.hook, err = hooks.New(f.onFailure, cli.BuildVersion(), log, e.Now); err != nil {
			return exitcode.Usagef("--on-failure: %v", err)
		}
	}
	name, endpoint := "--otlp-endpoint", f.otlp
	if endpoint == "" {
		name, endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT", e.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	if endpoint == "" {
		return nil
	}
	if protocol := e.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"); protocol == "grpc" {
		return exitcode.Usagef("OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported").WithHint("spans are sent by " +
			"HTTP, which collectors receive on port 4318")
	}
	f.spans, err = traces.New(traces.Options{Endpoint: endpoint, Headers: e.Getenv("OTEL_EXPORTER_OTLP_HEADERS"),
		Service:    cmp.Or(e.Getenv("OTEL_SERVICE_NAME"), "dig-gateway"),
		Attributes: e.Getenv("OTEL_RESOURCE_ATTRIBUTES"), Version: cli.BuildVersion(), Log: log, Now: e.Now})
	if err != nil {
		return exitcode.Usagef("%s: %v", name, err)
	}
	return nil
}

func (f *serveFlags) logger(e *cli.Env) (*slog.Logger, error) {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if f.quiet {
		o.Level = slog.LevelWarn
	}
	switch f.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(e.Err, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(e.Err, o)), nil
	}
	return nil, exitcode.Usagef("--log-format: %q is neither text nor json", f.logFormat)
}

// certificate reads the certificate; nil if there is none.
func (f *serveFlags) certificate(e *cli.Env, log *slog.Logger) (*gateway.Certificate, error) {
	if f.tlsCert == "" && f.tlsKey == "" {
		return nil, nil
	}
	if f.tlsCert == "" || f.tlsKey == "" {
		return nil, exitcode.Usagef("--tls-cert and --tls-key are given together or not at all")
	}
	c, err := gateway.OpenCertificate(e.Abs(f.tlsCert), e.Abs(f.tlsKey), log, e.Now)
	if err == nil {
		return c, nil
	}
	name, path := "--tls-cert", f.tlsCert
	if errors.Is(err, gateway.ErrKeyFile) {
		name, path = "--tls-key", f.tlsKey
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, e.Unread(name, path, err)
	}
	return nil, &exitcode.Failure{Exit: exitcode.Usage, Code: "usage", Msg: fmt.Sprintf("%s: %v", name, err), Err: err,
		Hint: "both files are PEM; the first certificate in the file is that of the private key"}
}
