# Patches FerretDB before it is built. On SQLite its updates read, change and write without a lock, and it looks next to
# nothing up by an index; MongoDB changes a document atomically and has indexes, and Lectern counts on both.
set -eu
version=$(go list -m -f '{{.Version}}' github.com/FerretDB/FerretDB)
source=$(GOFLAGS=-mod=mod go list -m -f '{{.Dir}}' github.com/FerretDB/FerretDB)
if [ -z "$source" ]; then
  GOFLAGS=-mod=mod go mod download "github.com/FerretDB/FerretDB@$version"
  source=$(GOFLAGS=-mod=mod go list -m -f '{{.Dir}}' github.com/FerretDB/FerretDB)
fi
cp -r "$source" patched
chmod -R u+w patched
patch --quiet --directory=patched --strip=1 < mongodb-like.patch
go mod edit -replace github.com/FerretDB/FerretDB=./patched
