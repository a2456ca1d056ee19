// Which conversation this tab is in: its id and restore token, and whether it is shown. Kept until
// the tab is closed.

export function createChatMemory(slug, storage) {
  const name = `lectern-chat:${slug}`
  return {
    /** `{chatId, restoreToken}` or null. */
    read() {
      try {
        const { chatId, restoreToken } = JSON.parse(storage.getItem(name))
        return typeof chatId === 'string' && typeof restoreToken === 'string'
          ? { chatId, restoreToken }
          : null
      } catch {
        return null
      }
    },
    write: (chat) => storage.setItem(name, JSON.stringify(chat)),
    forget: () => storage.removeItem(name),
    readOpen: () => storage.getItem(`${name}:open`) === 'yes',
    writeOpen: (isOpen) => storage.setItem(`${name}:open`, isOpen ? 'yes' : 'no'),
  }
}
