// A restore token is an HMAC of the chat's uuid under a key made from the secret, and no other text is good.
import { createHmac, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createRestoreTokens } from './chat-access.ts'

const secret = randomBytes(32)
const tokens = createRestoreTokens(secret.toString('base64'))
const chat = '0b7b2f4e-7c0f-4ad6-9a55-57d7ab3b8e10'
const other = '1b7b2f4e-7c0f-4ad6-9a55-57d7ab3b8e10'

it('is HMAC-SHA256 of the uuid, in base64url, under a key that signs nothing else', () => {
  const key = createHmac('sha256', secret).update('restore-token').digest()
  expect(tokens.of(chat)).toBe(createHmac('sha256', key).update(chat).digest('base64url'))
  // The gateway's signatures are made with this one: no chat's token gives it away.
  const other = createHmac('sha256', secret).update('lectern-caller').digest('base64url')
  expect(tokens.of('lectern-caller')).not.toBe(other)
  expect(tokens.of(chat)).toMatch(/^[\w-]{43}$/)
})

it('is good for its chat, under its secret', () => {
  expect(tokens.verify(chat, tokens.of(chat))).toBe(true)
  expect(tokens.verify(other, tokens.of(chat))).toBe(false)
  expect(createRestoreTokens(randomBytes(32).toString('base64')).verify(chat, tokens.of(chat))).toBe(false)
})

it.each([
  ['nothing', () => ''],
  ['a part of it', (token: string) => token.slice(0, -1)],
  ['more than it', (token: string) => `${token}A`],
  ['padding', (token: string) => `${token}=`],
  ['the same bytes written otherwise', (token: string) => Buffer.from(token, 'base64url').toString('hex')],
  ['text that is not ASCII', () => 'é'.repeat(43)],
])('%s is not good', (_, change) => {
  expect(tokens.verify(chat, change(tokens.of(chat)))).toBe(false)
})
