import { randomBytes } from 'node:crypto'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { KeyService } from '../../gen/lectern/v1/key_pb.js'
import { type Caller, callerOf, teamOf } from '../context.ts'
import { DomainError, invalidField } from '../errors.ts'
import { permissions as allPermissions, readPermission, refuseMore, requireHeld } from '../permissions.ts'
import type { Handlers } from '../routes.ts'
import { listAll, type Paged, type PageRequest, readPageRequest } from '../store/paging.ts'
import type { Store } from '../store/store.ts'
import type { Key } from '../store/team.ts'
import { createKey, grantor, grantsUntil, hashKey, heldPermissions, isSession, newKey } from './key-format.ts'

const linkMs = 10 * 60_000
const sessionMs = 12 * 60 * 60_000
const linkName = 'Console link'
const sessionName = (at: Date) => `Console, ${at.toISOString().slice(0, 10)}`
/** Prefixed, so that the hash differs from that of any API key. */
const hashLink = (token: string) => hashKey(`sign-in ${token}`)

interface KeyDeps {
  store: Store
  now(): Date
  newUuid(): string
}

export function createKeyService({ store, now, newUuid }: KeyDeps): Handlers<typeof KeyService> {
  async function readProjects(
    team: string,
    slugs: string[],
    seen: readonly string[] | null,
  ): Promise<string[]> {
    const projects = await Promise.all(slugs.map((slug) => store.projects.bySlug(slug)))
    return projects.map((project, at) => {
      const visible = project?.team === team && (seen === null || seen.includes(project.uuid))
      if (!project || !visible) {
        throw invalidField(`projects[${at}]`, `there is no project ${slugs[at]}`)
      }
      return project.uuid
    })
  }

  /** For a key scoped to projects, filters all keys to get the right count. */
  async function listFor(caller: Caller, team: string, page: PageRequest): Promise<Paged<Key>> {
    if (caller.projects === null) return store.keys.list(team, page)
    const known: Key[] = []
    for await (const key of listAll((all) => store.keys.list(team, all)))
      if (canSee(caller, key)) known.push(key)
    return { count: known.length, rows: known.slice(page.offset, page.offset + page.limit) }
  }

  async function toMessages(keys: Key[]) {
    const slugs = await store.projects.slugs([...new Set(keys.flatMap(({ projects }) => projects ?? []))])
    const toSlugs = (projects: string[]) => projects.flatMap((project) => slugs.get(project) ?? [])
    return Promise.all(
      keys.map(async (key) => ({
        ...key,
        permissions: (await heldPermissions(store, key)) ?? [],
        projects: key.projects && { slugs: toSlugs(key.projects) },
      })),
    )
  }

  /** Deletes expired sessions and links. */
  async function deleteExpired(team: string): Promise<void> {
    const expired: Key[] = []
    for await (const key of listAll((page) => store.keys.list(team, page)))
      if (isSession(key) && hasExpired(key, now())) expired.push(key)
    for (const { uuid } of expired) await store.keys.delete(team, uuid)
  }

  return {
    async createKey(request, context) {
      const caller = callerOf(context)
      const slugs = request.projects?.slugs ?? null
      if (slugs === null && caller.projects !== null) {
        const sentence = 'A key scoped to projects cannot create a key for all projects.'
        throw new DomainError('permission_denied', sentence, {
          projects: ['must name projects of your own key'],
        })
      }
      const expiresAt = request.expiresAt ? timestampDate(request.expiresAt).toISOString() : null
      const until = grantsUntil(caller.key)
      if (until !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(until))) {
        throw new DomainError('permission_denied', 'A key that expires cannot make one that lasts longer.', {
          expires_at: [`must be at most that of your own key, ${until}`],
        })
      }
      const text = createKey(randomBytes)
      const key = newKey({
        uuid: newUuid(),
        team: teamOf(context),
        name: request.name,
        hash: hashKey(text),
        permissions: readPermissions(request.permissions, caller.permissions),
        projects: slugs && (await readProjects(teamOf(context), slugs, caller.projects)),
        // Limits the key to the member's role, and to the time of the membership.
        memberUuid: caller.key?.memberUuid ?? null,
        createdAt: now().toISOString(),
        expiresAt,
      })
      await store.keys.insert(key)
      const [message] = await toMessages([key])
      return { key: { ...message, key: text } }
    },

    async listKeys(request, context) {
      const { count, rows } = await listFor(callerOf(context), teamOf(context), readPageRequest(request))
      return { count, results: await toMessages(rows) }
    },

    async deleteKey({ keyUuid }, context) {
      const caller = callerOf(context)
      const key = await store.keys.get(teamOf(context), keyUuid)
      if (key === null || !canSee(caller, key)) throw unknownKey()
      const held = (await heldPermissions(store, key)) ?? []
      refuseMore(held, caller.permissions, 'You cannot delete a key that holds more than your own')
      if (!(await store.keys.delete(teamOf(context), keyUuid))) throw unknownKey()
      return {}
    },

    async getOwnKey(_request, context) {
      const { key, admin, permissions, projects } = callerOf(context)
      const team = await store.teams.get(teamOf(context))
      const slugs = projects && (await store.projects.slugs([...projects]))
      return {
        key: {
          ...(key ?? { name: 'Admin key' }),
          permissions: [...permissions],
          teamUuid: teamOf(context),
          teamName: team?.name ?? '',
          admin,
          projects: slugs && { slugs: [...slugs.values()] },
        },
      }
    },

    /** A link is stored as a key that no request can use: it is listed and can be revoked. Signing in deletes it. */
    async createSignInLink(_request, context) {
      const { key, permissions, projects } = callerOf(context)
      if (grantsUntil(key) !== null) {
        throw new DomainError('permission_denied', 'A key that expires cannot create a sign-in link.')
      }
      const team = teamOf(context)
      await deleteExpired(team)
      const token = randomBytes(32).toString('base64url')
      const expiresAt = new Date(now().getTime() + linkMs).toISOString()
      const link = newKey({
        ...{ uuid: newUuid(), team, name: linkName, hash: hashLink(token), permissions: [...permissions] },
        ...{ projects: projects && [...projects], memberUuid: key?.memberUuid ?? null },
        ...{ createdAt: now().toISOString(), expiresAt, signedInBy: grantor(key) ?? '' },
      })
      await store.keys.insert(link)
      return { token, expiresAt }
    },

    async signIn({ token }) {
      const at = now()
      const link = await store.keys.byHash(hashLink(token))
      if (!link || hasExpired(link, at) || !(await store.keys.delete(link.team, link.uuid))) {
        const sentence = 'There is no such sign-in link: it is unknown, used, or older than ten minutes.'
        throw new DomainError('not_found', sentence)
      }
      const text = createKey(randomBytes)
      const key: Key = {
        ...{ ...link, uuid: newUuid(), name: sessionName(at), hash: hashKey(text) },
        ...{ createdAt: at.toISOString(), expiresAt: new Date(at.getTime() + sessionMs).toISOString() },
      }
      await store.keys.insert(key)
      const [message] = await toMessages([key])
      return { key: { ...message, key: text } }
    },
  }
}

function hasExpired({ expiresAt }: Key, at: Date): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= at.getTime()
}

function unknownKey(): DomainError {
  return new DomainError('not_found', 'There is no such key.')
}

/** Whether the caller may see the key. A key scoped to projects sees keys scoped to a subset of them. */
function canSee({ projects }: Caller, key: Key): boolean {
  return projects === null || (key.projects?.every((uuid) => projects.includes(uuid)) ?? false)
}

/** Converts to current names without duplicates. Throws if the caller lacks one of them. */
function readPermissions(given: string[], own: ReadonlySet<string>): string[] {
  const names = given.map((name, at) => {
    const known = readPermission(name)
    if (known === null) {
      throw invalidField(`permissions[${at}]`, `must be one of ${allPermissions.join(', ')}`)
    }
    return known
  })
  requireHeld(names, own, 'permissions')
  return [...new Set(names)]
}
