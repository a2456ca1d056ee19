// The reader's API key of a private project: kept for this tab only.

export function createAccessKey(slug, storage) {
  const name = `lectern-key:${slug}`
  let key = storage.getItem(name)
  return {
    read: () => key,
    write(text) {
      key = text.trim() || null
      if (key) storage.setItem(name, key)
      else storage.removeItem(name)
    },
  }
}
