// The address of one database on a MongoDB server.

/** `url` with or without a database; keeps its options. */
export function databaseOf(url: string, name: string): string {
  const parts = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url)
  if (parts === null) throw new Error('not an address of MongoDB')
  return `${parts[1]}/${name}${parts[2] ?? ''}`
}
