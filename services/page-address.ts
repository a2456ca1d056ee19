// The address of a page as a caller gives it, for sources and recrawls.
import { maxUrlLength, normalizeUrl } from '../crawler/url.ts'
import { DomainError } from './errors.ts'

/** Its one spelling. Throws DomainError invalid, naming `url`, for what is no such address. */
export function readPageAddress(given: string): string {
  const { username = '', password = '' } = URL.parse(given) ?? {}
  // Crawling would drop them without a word.
  if (username !== '' || password !== '') throw invalid('must not carry a user name or password')
  const url = normalizeUrl(given)
  if (url === null) {
    throw invalid(
      `must be an absolute http or https address of at most ${maxUrlLength.toLocaleString('en')} characters`,
    )
  }
  return url
}

function invalid(problem: string): DomainError {
  return new DomainError('invalid', `url: ${problem}.`, { url: [problem] })
}
