// The address of a page as a caller gives it, for sources and recrawls.
import { maxUrlLength, normalizeUrl } from '../crawler/url.ts'
import { invalidField } from './errors.ts'

/** Its one spelling. Throws DomainError invalid, naming the field, for what is no such address. */
export function readPageAddress(given: string, field = 'url'): string {
  const { username = '', password = '' } = URL.parse(given) ?? {}
  // Crawling would drop them without a word.
  if (username !== '' || password !== '') throw invalidField(field, 'must not carry a user name or password')
  const url = normalizeUrl(given)
  if (url === null) {
    throw invalidField(
      field,
      `must be an absolute http or https address of at most ${maxUrlLength.toLocaleString('en')} characters`,
    )
  }
  return url
}
