// Test server B: FerretDB over SQLite. Usage: server HOST:PORT FOLDER; prints "listening PORT" and ends when its input does.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: server HOST:PORT FOLDER")
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: os.Args[1]},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: "file:" + os.Args[2] + "/",
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		// Whoever started this holds the other end: when that process is gone, however it ended, so is this one.
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	go announce(server)
	if err := server.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

// announce prints the port once the server listens.
func announce(server *ferretdb.FerretDB) {
	address, err := url.Parse(server.MongoDBURI())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening", address.Port())
}
