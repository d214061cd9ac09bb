//go:build cgo

package tables

import (
	"context"
	"strconv"
	"time"
)

// importsKept is how many imports are known by their ids.
const importsKept = 1000

// keepImport records an import in the transaction that stores its rows: whether these are stored can then be told when
// the reply is lost.
func (c conn) keepImport(ctx context.Context, id string, rows int64) error {
	if id == "" || rows == 0 {
		return nil
	}
	if _, err := c.Exec(ctx, `CREATE TABLE IF NOT EXISTS `+digTable("imports")+
		` (id VARCHAR NOT NULL, stored BIGINT NOT NULL, micros BIGINT NOT NULL)`); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, `INSERT INTO `+digTable("imports")+` VALUES (?, ?, ?)`, id, rows,
		time.Now().UnixMicro()); err != nil {
		return err
	}
	_, err := c.Exec(ctx, `DELETE FROM `+digTable("imports")+` WHERE micros < (SELECT micros FROM `+digTable("imports")+
		` ORDER BY micros DESC LIMIT 1 OFFSET `+strconv.Itoa(importsKept-1)+`)`)
	return err
}

// FindImport implements engine.Tables.
func (p Tables) FindImport(ctx context.Context, id string) (rows int64, stored bool, err error) {
	c, err := p.conn(ctx)
	if err != nil {
		return 0, false, err
	}
	defer c.Close()
	return c.findImport(ctx, id)
}

func (c conn) findImport(ctx context.Context, id string) (rows int64, stored bool, err error) {
	if id == "" {
		return 0, false, nil
	}
	if has, err := c.HasStored(ctx, digSchema, "imports"); err != nil || !has {
		return 0, false, err
	}
	err = c.Query(ctx, `SELECT stored FROM `+digTable("imports")+` WHERE id = ?`, []any{id}, func(v []*string) error {
		stored = true
		rows, err = strconv.ParseInt(*v[0], 10, 64)
		return err
	})
	return rows, stored, err
}
