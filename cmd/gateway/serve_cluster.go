package gateway

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// clusterFlags are the flags of serve that choose the engine.
type clusterFlags struct {
	set      *pflag.FlagSet
	name     string
	catalogs []string
	o        trino.Options
}

const engineTrino = "trino"

func (f *clusterFlags) register(c *cobra.Command) {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.set = fs
	fs.StringVar(&f.name, "engine", "duckdb", "engine that runs SQL and stores rows: duckdb in this process, or "+
		"trino on a cluster "+
		"(docs/cluster.md; this and the following flags also as variables, such as DIG_ENGINE and DIG_TRINO_URL)")
	fs.StringVar(&f.o.URL, "trino-url", "", "address of the cluster's coordinator, such as "+
		"https://trino.example.com:8443")
	fs.StringVar(&f.o.User, "trino-user", "dig", "user of the gateway on the cluster")
	fs.StringVar(&f.o.PasswordFile, "trino-password-file", "", "file with the password of the user, read for "+
		"every statement")
	fs.StringVar(&f.o.TokenFile, "trino-token-file", "", "file with a JSON web token, read for every statement")
	fs.StringVar(&f.o.CAFile, "trino-ca", "", "file with the certificates to trust for the cluster (PEM)")
	fs.StringVar(&f.o.CertFile, "trino-cert", "", "client certificate for the cluster (PEM)")
	fs.StringVar(&f.o.KeyFile, "trino-key", "", "private key of --trino-cert (PEM)")
	fs.StringVar(&f.o.Catalog, "trino-lake", "lake", "Iceberg catalog of the cluster for tables, stored results "+
		"and caches")
	fs.StringVar(&f.o.Prefix, "trino-prefix", "p", "beginning of the names of schemas in the catalog, for "+
		"gateways that share it")
	fs.StringVar(&f.o.Stage, "trino-stage", "", "folder for the files of imported rows, which the cluster can read")
	fs.StringVar(&f.o.StageLocation, "trino-stage-location", "",
		"address of --trino-stage for the cluster, such as local:///stage")
	fs.StringVar(&f.o.ProjectUser, "trino-project-user", "", "user of the cluster for the statements of a project, "+
		"such as dig-{project}; the user of --trino-user must be allowed to impersonate it")
	fs.StringVar(&f.o.Rules, "trino-rules", "", "file of the cluster's file-based access control, which the gateway "+
		"writes: the user of a project reads its own schemas")
	fs.StringVar(&f.o.RulesBase, "trino-rules-base", "", "file with the rules of access of the cluster's other users, "+
		"which become a part of --trino-rules")
	fs.StringSliceVar(&f.catalogs, "trino-catalog", nil, "CATALOG=PROJECT/CONNECTION: the cluster reads this "+
		"connection of a database, by the ids of project and connection, from a catalog that it has; repeat")
	fs.BoolVar(&f.o.Dynamic, "dynamic-catalogs", false, "make a catalog on the cluster for each connection of a "+
		"database; the cluster then stores the passwords of connections (docs/cluster.md)")
	fs.BoolVar(&f.o.Unprotected, "trino-unprotected", false, "serve several projects although the cluster does not "+
		"keep them apart")
	c.Flags().AddFlagSet(fs)
	complete.Values(c, "engine", "duckdb", engineTrino)
}

// engine is the engine that the flags ask for.
func (f *clusterFlags) engine(e *cli.Env) (name string, open func(engine.Options) (engine.Engine, error), err error) {
	given := ""
	f.set.VisitAll(func(fl *pflag.Flag) {
		variable := "DIG_" + strings.ToUpper(strings.ReplaceAll(fl.Name, "-", "_"))
		if v := e.Getenv(variable); v != "" && !fl.Changed {
			err = fl.Value.Set(v)
		} else if !fl.Changed {
			return
		}
		if fl.Name != "engine" {
			given = fl.Name
		}
	})
	switch {
	case err != nil:
		return "", nil, err
	case f.name == "duckdb" && given != "":
		return "", nil, exitcode.Usagef("--%s: it is for --engine %s", given, engineTrino)
	case f.name == "duckdb":
		return "", duckdb.Open, nil
	case f.name != engineTrino:
		return "", nil, exitcode.Usagef("--engine: %q is neither duckdb nor %s", f.name, engineTrino)
	case f.o.URL == "":
		return "", nil, exitcode.Usagef("--trino-url: the address of the cluster is missing")
	}
	for _, name := range []string{"trino-password-file", "trino-token-file", "trino-ca", "trino-cert", "trino-key",
		"trino-stage", "trino-rules", "trino-rules-base"} {
		file := f.set.Lookup(name).Value
		if file.String() == "" {
			continue
		}
		path := e.Abs(file.String())
		if _, err := os.Stat(path); err != nil && name != "trino-stage" && name != "trino-rules" { // which are created
			return "", nil, e.Unread("--"+name, file.String(), err)
		}
		if err := file.Set(path); err != nil {
			return "", nil, err
		}
	}
	f.o.Catalogs = nil
	for _, text := range f.catalogs {
		m, err := trino.ParseMapping(text)
		if err != nil {
			return "", nil, exitcode.Usagef("--trino-catalog: %v", err)
		}
		f.o.Catalogs = append(f.o.Catalogs, m)
	}
	f.o.Version = cli.BuildVersion()
	// Opened once before it is needed, for the errors of the flags.
	if trial, err := trino.Open(f.o, engine.Options{}); err != nil {
		return "", nil, exitcode.Usagef("--engine %s: %v", engineTrino, err)
	} else if err := trial.Close(); err != nil {
		return "", nil, err
	}
	return engineTrino, func(of engine.Options) (engine.Engine, error) { return trino.Open(f.o, of) }, nil
}

// examineCluster implements cli.Zone.Cluster.
func examineCluster(ctx context.Context, e *cli.Env) (*cli.Cluster, error) {
	var f clusterFlags
	f.register(&cobra.Command{})
	name, open, err := f.engine(e)
	if err != nil || name == "" {
		return nil, err
	}
	opened, err := open(engine.Options{NewID: uuid.NewString})
	if err != nil {
		return nil, err
	}
	cluster, ok := opened.(*trino.Engine)
	if !ok {
		return nil, opened.Close()
	}
	found, err := cluster.Examine(ctx)
	return &cli.Cluster{Detail: found.Detail, Several: found.Several, Lacks: notOpened(found.Lacks)},
		errors.Join(notOpened(err), opened.Close())
}
