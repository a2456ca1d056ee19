// Whether a page may chat: the project's allowed domains (interface "Domain validation", decisions.md section 5).
import { DomainError } from '../errors.ts'

/**
 * Throws DomainError domain_not_allowed unless the page's host is one of `allowed`: `docs.example.com` exactly, or
 * `*.example.com` for every host below it, not itself. No allowed domains allow all; with some, a missing `url` is not.
 */
export function checkDomain(allowed: readonly string[], url: string | null): void {
  if (allowed.length === 0) return
  const host = toHost(url)
  if (host !== null && allowed.some((domain) => matches(domain.toLowerCase(), host))) return
  throw new DomainError('domain_not_allowed', 'This chat is not allowed on the domain of the page.')
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
