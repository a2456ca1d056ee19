// Whether a page may ask of a project: the project's allowed domains.
import { DomainError } from '../errors.ts'

/**
 * Throws DomainError domain_not_allowed unless the page's host is one of `allowed`: `docs.example.com` exactly, or
 * `*.example.com` for every host below it, not itself. No allowed domains allow all; with some, a missing `url` is not.
 */
export function checkDomain(allowed: readonly string[], url: string | null): void {
  if (allowed.length === 0) return
  const host = toHost(url)
  if (host !== null && allowed.some((domain) => matches(domain.toLowerCase(), host))) return
  throw new DomainError('domain_not_allowed', 'The project does not allow the domain of the page.')
}

/**
 * The same for the origin of the page, as its browser tells it. Null where no browser tells one, and for Lectern's own
 * pages: both are allowed.
 */
export function checkOrigin(allowed: readonly string[], origin: string | null): void {
  if (origin !== null) checkDomain(allowed, origin)
}

function matches(domain: string, host: string): boolean {
  return domain.startsWith('*.')
    ? host.endsWith(domain.slice(1)) && host.length >= domain.length
    : host === domain
}

function toHost(url: string | null): string | null {
  if (url === null || !/^https?:/iu.test(url) || !URL.canParse(url)) return null
  return new URL(url).hostname.replace(/\.$/u, '')
}
