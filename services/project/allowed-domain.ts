// Checks the domain of a page against the project's allowed domains.
import { DomainError } from '../errors.ts'

/**
 * Throws DomainError domain_not_allowed unless the page's host matches `allowed`: `docs.example.com` matches itself,
 * `*.example.com` all subdomains but not itself. An empty list allows all; otherwise `url` is required.
 */
export function checkDomain(allowed: readonly string[], url: string | null): void {
  if (allowed.length === 0) return
  const host = toHost(url)
  if (host !== null && allowed.some((domain) => matches(domain.toLowerCase(), host))) return
  throw new DomainError('domain_not_allowed', 'The project does not allow the domain of the page.')
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
