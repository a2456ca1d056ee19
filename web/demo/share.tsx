// A link that lets others read a conversation: `#chat=<uuid>.<share token>`.
import { useState } from 'preact/hooks'
import type { ApiCall } from '../components/api.ts'
import type { Chat } from '../components/chat-api.ts'

/** The conversation in a shared address, or null. */
export function readSharedChat({ hash }: Pick<Location, 'hash'>): Chat | null {
  const [, chatId, restoreToken] = /^#chat=([^.]+)\.([\w-]+)$/.exec(hash) ?? []
  return chatId && restoreToken ? { chatId: decodeURIComponent(chatId), restoreToken } : null
}

/** Creates the shared address. The server returns the share token in exchange for the restore token. */
async function makeLink(call: ApiCall, { chatId, restoreToken }: Chat): Promise<string> {
  const path = `chats/${encodeURIComponent(chatId)}/?limit=1`
  const answer = await call(path, { headers: { 'x-chat-restore-token': restoreToken } })
  const { share_token } = answer as { share_token: string }
  const address = new URL(location.href)
  address.search = ''
  address.hash = `chat=${encodeURIComponent(chatId)}.${share_token}`
  return address.href
}

export function ShareLink({ call, readChat }: { call: ApiCall; readChat(): Chat | null }) {
  const [link, setLink] = useState<string | null>(null)
  const [isCopied, setCopied] = useState(false)

  async function share() {
    const chat = readChat()
    if (!chat) return
    const made = await makeLink(call, chat).catch(() => null)
    setLink(made)
    setCopied(
      made !== null &&
        (await navigator.clipboard.writeText(made).then(
          () => true,
          () => false,
        )),
    )
  }

  return (
    <div class="share">
      <button class="plain" id="share" type="button" onClick={() => void share()}>
        Share this conversation
      </button>
      {link && (
        <p role="status">
          {isCopied ? 'Copied' : 'Copy'} the link, with which anyone can read the conversation:{' '}
          <input
            id="share-link"
            readOnly
            value={link}
            aria-label="Link"
            onFocus={(event) => event.currentTarget.select()}
          />
        </p>
      )}
    </div>
  )
}
