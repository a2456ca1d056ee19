// Restore tokens: authority over a chat, an HMAC of its uuid (decisions.md section 5, "Chat"). Nothing is stored.
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface RestoreTokens {
  /** The token of the chat: 43 characters of base64url. */
  of(chatUuid: string): string
  /** Whether the token is the chat's. Takes the same time whatever the token is. */
  verify(chatUuid: string, token: string): boolean
}

/** `secret` is LECTERN_SECRET in base64. */
export function createRestoreTokens(secret: string): RestoreTokens {
  // A key of its own: no uuid can make a token that is the key of something else.
  const key = createHmac('sha256', Buffer.from(secret, 'base64')).update('restore-token').digest()
  const sign = (text: string) => createHmac('sha256', key).update(text).digest()
  return {
    of: (chatUuid) => sign(chatUuid).toString('base64url'),
    // Digests have one length, whatever was sent.
    verify: (chatUuid, token) => timingSafeEqual(sign(token), sign(sign(chatUuid).toString('base64url'))),
  }
}
