// The signed-in key. Stored for this tab only, and sent as a header: never in an address, a cookie or permanent storage.
import { createStore, type ReadonlyStore } from '../components/store.ts'
import { server } from './address.ts'
import { type ApiError, createApi } from './api.ts'
import type { OwnKey, Permission } from './rows.ts'

export interface Session {
  key: string
  own: OwnKey
}

const keyName = 'lectern-console-key'

const current = createStore<Session | null>(null)
/** Null if nobody is signed in. */
export const session: ReadonlyStore<Session | null> = current

/** Why the sign-in is shown, if there is a reason. */
const reason = createStore('')
export const signInReason: ReadonlyStore<string> = reason

let key: string | null = null

export const api = createApi({
  server,
  readKey: () => key,
  whenRefused(sentence) {
    if (current.value === null) return
    signOut()
    reason.value = sentence
  },
})

/** Throws ApiError if the key is not valid. */
export async function signIn(text: string): Promise<void> {
  key = text.trim()
  try {
    const own = await api.get<OwnKey>('keys/own/')
    sessionStorage.setItem(keyName, key)
    reason.value = ''
    current.value = { key, own }
  } catch (error) {
    key = null
    throw error
  }
}

export function signOut(): void {
  key = null
  sessionStorage.removeItem(keyName)
  reason.value = ''
  current.value = null
}

/** Token of the invitation link that was opened, or null. */
export const invitation = createStore<string | null>(null)

/** Continues with the tab's key, or with a link: `#link=…` or `#invitation=…`, which is removed from the address at once. */
export async function resumeSession(): Promise<void> {
  const hash = new URLSearchParams(location.hash.slice(1))
  const token = hash.get('link')
  const kept = sessionStorage.getItem(keyName)
  invitation.value = hash.get('invitation')
  if (hash.has('link') || hash.has('invitation'))
    history.replaceState(null, '', location.pathname + location.search)
  if (invitation.value !== null) return
  try {
    if (token !== null) await signIn((await api.post<{ key: string }>('keys/sign-in/', { token })).key)
    else if (kept !== null) await signIn(kept)
  } catch (error) {
    if ((error as ApiError).status === 401) sessionStorage.removeItem(keyName)
    reason.value = (error as ApiError).message
  }
}

/** Whether it is the admin key, or a session that the admin key created. */
export const isAdmin = () => current.value?.own.admin ?? false

/** Whether the signed-in key has the permission. Actions without it are not shown. */
export function may(permission: Permission): boolean {
  return current.value?.own.permissions.includes(permission) ?? false
}
