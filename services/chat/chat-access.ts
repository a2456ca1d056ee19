// Checks who may use a chat. Returns null alike if the chat is unknown, belongs to another project or the caller lacks
// authority, so that callers cannot probe for chats.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { HandlerContext } from '@connectrpc/connect'
import type { Config } from '../config.ts'
import { admitTo, type Caller, callerOf, may, projectKey } from '../context.ts'
import { DomainError } from '../errors.ts'
import { checkDomain } from '../project/allowed-domain.ts'
import type { Chat } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import type { Store } from '../store/store.ts'

export type RestoreTokens = ReturnType<typeof createRestoreTokens>

/** A restore token grants access to a chat. It is an HMAC of the chat's UUID, so none is stored. `secret`: LECTERN_SECRET in base64. */
export function createRestoreTokens(secret: string) {
  // A derived key, so that no token can serve as a key elsewhere.
  const key = createHmac('sha256', Buffer.from(secret, 'base64')).update('restore-token').digest()
  const sign = (text: string) => createHmac('sha256', key).update(text).digest()
  return {
    /** Returns the chat's token: 43 characters of base64url. */
    of: (chatUuid: string) => sign(chatUuid).toString('base64url'),
    /** Compares in constant time: both digests have the same length. */
    verify: (chatUuid: string, token: string) =>
      timingSafeEqual(sign(token), sign(sign(chatUuid).toString('base64url'))),
  }
}

/** `continue`: send a message or continue an answer. `rate`: give feedback on an answer. */
export type ChatUse = 'continue' | 'read' | 'rate'

interface ChatAccessDeps {
  store: Pick<Store, 'chats' | 'projects'>
  tokens: RestoreTokens
  /** Keyed hash of a network address (services/limit/network-key.ts). */
  networkKey(address: string): string
  legacyChats: Config['legacyChats']
  now(): Date
}

interface ChatClaim {
  chatUuid: string
  /** Empty if the caller has none. */
  restoreToken: string
  /** Whether the client requests progress. Only clients that support restore tokens do. */
  progress?: boolean
}

/** A chat and its project. A new chat may not be stored yet. */
export interface ChatOfProject {
  chat: Chat
  project: Project
}

type CallerOfChat = ChatOfProject & { caller: Caller }

export type ChatAccess = ReturnType<typeof createChatAccess>

/** Input of a share token. It differs from every chat's UUID. */
const toShared = (chatUuid: string) => `read ${chatUuid}`

/** How long after a message its network address identifies the reader. */
const sameAddressMs = 60 * 60_000

export function createChatAccess(deps: ChatAccessDeps) {
  const { store, tokens, now } = deps

  /** Returns the value of `Chat.writer`; null if the address is unknown. */
  function writerOf({ address }: Caller): string | null {
    return address === '' ? null : deps.networkKey(address)
  }

  function writesFromSameAddress({ caller, chat }: CallerOfChat): boolean {
    const age = now().getTime() - Date.parse(chat.writtenAt)
    return chat.writer !== null && chat.writer === writerOf(caller) && age <= sameAddressMs
  }

  /** Whether a client without support for restore tokens may use the chat by its UUID, and a private project by a key. */
  function countsAsLegacy(use: CallerOfChat): boolean {
    const { caller, project } = use
    if (!['v1', 'socket'].includes(caller.surface)) return false
    if (project.isPrivate && !may(caller, project, 'chats_create')) return false
    if (deps.legacyChats === 'same-address') return writesFromSameAddress(use)
    return deps.legacyChats === 'on'
  }

  /** Permissions that a key needs. */
  const permissions = { read: 'chats_read', rate: 'chats_create' } as const

  /** Conditions that replace the restore token. */
  const alternatives: Record<ChatUse, (use: CallerOfChat) => boolean> = {
    continue: ({ caller, chat, project }) =>
      (project.isPrivate && may(caller, project, 'chats_create')) ||
      (caller.connection !== null && caller.connection === chat.connection),
    read: ({ caller, project }) => may(caller, project, 'chats_read'),
    rate: ({ caller, project }) => !project.isPrivate || may(caller, project, 'chats_create'),
  }

  return {
    /**
     * Returns null if the caller has no authority over the chat, or the request names another project. With authority,
     * throws DomainError domain_not_allowed for a page that the project does not allow. For `continue`, also throws
     * unauthenticated or permission_denied if the project is private and the key does not grant access.
     */
    async find(
      use: ChatUse,
      { chatUuid, restoreToken, progress = false }: ChatClaim,
      context: Pick<HandlerContext, 'values'>,
    ): Promise<ChatOfProject | null> {
      const chat = await store.chats.get(chatUuid)
      const requested = context.values.get(projectKey)
      if (!chat || (requested && requested.uuid !== chat.project)) return null
      const project = requested ?? (await store.projects.byUuid(chat.project))
      if (!project) return null

      const caller = callerOf(context)
      const used = { caller, chat, project }
      const isShared = use === 'read' && tokens.verify(toShared(chat.uuid), restoreToken)
      const authorized =
        isShared ||
        tokens.verify(chat.uuid, restoreToken) ||
        alternatives[use](used) ||
        (restoreToken === '' && !progress && countsAsLegacy(used))
      if (!authorized) return null
      if (use === 'continue') admitTo(context, project)
      else if (caller.origin !== null && !may(caller, project, permissions[use]))
        checkDomain(project.allowedDomains, caller.origin)
      // A shared conversation does not reveal its author.
      return { chat: isShared ? { ...chat, email: null, metadata: null } : chat, project }
    },
    /** Grants read access only. */
    shareToken: (chatUuid: string) => tokens.of(toShared(chatUuid)),
    writerOf,
  }
}

export function unknownChat(): DomainError {
  return new DomainError('not_found', 'There is no such chat.')
}
