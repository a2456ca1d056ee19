// Reads the address of a page from a request, for sources and recrawls.
import { maxUrlLength, normalizeUrl } from '../crawler/url.ts'
import { invalidField } from './errors.ts'

/** Returns the normalized address. Throws DomainError invalid, with the field, if the address is invalid. */
export function readPageAddress(given: string, field = 'url'): string {
  const { username = '', password = '' } = URL.parse(given) ?? {}
  // The crawler would silently drop them.
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
