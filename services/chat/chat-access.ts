// Who may use a chat. For anyone else it does not exist: an unknown chat, one of another project and one without
// authority are the same null.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { HandlerContext } from '@connectrpc/connect'
import type { Config } from '../config.ts'
import { admitTo, type Caller, callerOf, may, projectKey } from '../context.ts'
import { DomainError } from '../errors.ts'
import { checkOrigin } from '../project/allowed-domain.ts'
import type { Chat } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import type { Store } from '../store/store.ts'

export type RestoreTokens = ReturnType<typeof createRestoreTokens>

/** Authority over a chat: an HMAC of its uuid. Nothing is stored. `secret` is LECTERN_SECRET in base64. */
export function createRestoreTokens(secret: string) {
  // A key of its own: no uuid can make a token that is the key of something else.
  const key = createHmac('sha256', Buffer.from(secret, 'base64')).update('restore-token').digest()
  const sign = (text: string) => createHmac('sha256', key).update(text).digest()
  return {
    /** The token of the chat: 43 characters of base64url. */
    of: (chatUuid: string) => sign(chatUuid).toString('base64url'),
    /** Whether the token is the chat's, in constant time: digests have one length. */
    verify: (chatUuid: string, token: string) =>
      timingSafeEqual(sign(token), sign(sign(chatUuid).toString('base64url'))),
  }
}

/** `continue`: send to it, continue an answer. `rate`: feedback on its answers. */
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
  /** Empty where the caller has none. */
  restoreToken: string
  /** Whether the client asks for progress, as those do that know restore tokens. */
  progress?: boolean
}

/** A chat, perhaps a new one that is not stored yet, and its project. */
export interface ChatOfProject {
  chat: Chat
  project: Project
}

type CallerOfChat = ChatOfProject & { caller: Caller }

export type ChatAccess = ReturnType<typeof createChatAccess>

/** What a share token is made of: no chat has such a UUID. */
const toShared = (chatUuid: string) => `read ${chatUuid}`

/** How long an address that wrote counts as the same reader. */
const sameAddressMs = 60 * 60_000

export function createChatAccess(deps: ChatAccessDeps) {
  const { store, tokens, now } = deps

  /** What the chat keeps of who writes: goes into `Chat.writer` and `append`. */
  function writerOf({ address }: Caller): string | null {
    return address === '' ? null : deps.networkKey(address)
  }

  function writesFromSameAddress({ caller, chat }: CallerOfChat): boolean {
    const age = now().getTime() - Date.parse(chat.writtenAt)
    return chat.writer !== null && chat.writer === writerOf(caller) && age <= sameAddressMs
  }

  /** A client of before restore tokens: it knows the chat by its UUID, and a private project by its key. */
  function countsAsLegacy(use: CallerOfChat): boolean {
    const { caller, project } = use
    if (!['v1', 'socket'].includes(caller.surface)) return false
    if (project.isPrivate && !may(caller, project, 'chats_create')) return false
    if (deps.legacyChats === 'same-address') return writesFromSameAddress(use)
    return deps.legacyChats === 'on'
  }

  /** What a key needs. */
  const permissions = { read: 'chats_read', rate: 'chats_create' } as const

  /** Replaces the restore token. */
  const instead: Record<ChatUse, (use: CallerOfChat) => boolean> = {
    continue: ({ caller, chat, project }) =>
      (project.isPrivate && may(caller, project, 'chats_create')) ||
      (caller.connection !== null && caller.connection === chat.connection),
    read: ({ caller, project }) => may(caller, project, 'chats_read'),
    rate: ({ caller, project }) => !project.isPrivate || may(caller, project, 'chats_create'),
  }

  return {
    /**
     * Null where the caller has no authority over the chat, or it is not of the project that the request names. With
     * authority, throws DomainError domain_not_allowed for a page that the project does not allow, and for `continue`
     * unauthenticated or permission_denied where the project is private and the key does not fit.
     */
    async find(
      use: ChatUse,
      { chatUuid, restoreToken, progress = false }: ChatClaim,
      context: Pick<HandlerContext, 'values'>,
    ): Promise<ChatOfProject | null> {
      const chat = await store.chats.get(chatUuid)
      const named = context.values.get(projectKey)
      if (!chat || (named && named.uuid !== chat.project)) return null
      const project = named ?? (await store.projects.byUuid(chat.project))
      if (!project) return null

      const caller = callerOf(context)
      const used = { caller, chat, project }
      const isShared = use === 'read' && tokens.verify(toShared(chat.uuid), restoreToken)
      const authorized =
        isShared ||
        tokens.verify(chat.uuid, restoreToken) ||
        instead[use](used) ||
        (restoreToken === '' && !progress && countsAsLegacy(used))
      if (!authorized) return null
      if (use === 'continue') admitTo(context, project)
      else if (!may(caller, project, permissions[use])) {
        checkOrigin(project.allowedDomains, caller.origin)
      }
      // Whoever a conversation is shared with need not know who asked.
      return { chat: isShared ? { ...chat, email: null, metadata: null } : chat, project }
    },
    /** Stands in for the restore token where the chat is read, and nowhere else. */
    shareToken: (chatUuid: string) => tokens.of(toShared(chatUuid)),
    writerOf,
  }
}

export function unknownChat(): DomainError {
  return new DomainError('not_found', 'There is no such chat.')
}
