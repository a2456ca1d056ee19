// Checks a page that shows hostile text: no script ran, no request left, and no forbidden element was created.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export interface HostilePage {
  /** Fails if anything happened since watching began. */
  expectHarmless(): Promise<void>
}

/** Elements that rendered text may produce, with their attributes. */
const allowed: Record<string, string[]> = Object.fromEntries(
  'p h4 h5 h6 pre code blockquote hr ul li ol table thead tbody tr th td strong em del br mark span div a bdi q'
    .split(' ')
    .map((name) => [name, { a: ['href', 'target', 'rel'], ol: ['start'] }[name] ?? []]),
)
/** Set by the page itself, never by rendered text. */
const own =
  'class id role tabindex title aria-label aria-selected aria-hidden aria-describedby hidden dir part'.split(
    ' ',
  )

/**
 * Watches dialogs and requests, and blocks requests to other origins. `root`: an expression of the page.
 * `friends`: other origins that are allowed.
 */
export async function watchHostile(
  page: Page,
  origin: string,
  root = 'document',
  friends: string[] = [],
): Promise<HostilePage> {
  const happened: string[] = []
  page.on('dialog', (dialog) => {
    happened.push(`dialog: ${dialog.message()}`)
    dialog.dismiss()
  })
  page.on('popup', () => happened.push('a window was opened'))
  page.on('console', (message) => message.type() === 'error' && happened.push(message.text()))
  page.on('pageerror', (error) => happened.push(error.message))
  await page.context().route(
    (url) => ![origin, ...friends].includes(url.origin) && url.protocol !== 'data:',
    (route) => {
      happened.push(`request: ${route.request().url()}`)
      return route.abort()
    },
  )
  return {
    async expectHarmless() {
      const address = new URL(page.url())
      expect(address.origin).toBe(origin)
      const built = await page.evaluate(
        `(${look})(${root}, ${JSON.stringify(allowed)}, ${JSON.stringify(own)})`,
      )
      expect(built).toEqual({ odd: [], hrefs: [], owned: false })
      expect(happened).toEqual([])
    },
  }
}

/** Runs in the page. */
const look = `(root, elements, attributes) => {
  const all = [...root.querySelectorAll('.prose *, .sources *, .results *, .question *')]
  // The copy button of a code block belongs to the page.
  const shown = all.filter((each) => !each.closest('.code > button.copy'))
  const odd = shown.flatMap(({ localName, attributes: given }) => {
    const known = elements[localName]
    if (!known) return [localName]
    const names = [...given].map(({ name }) => name)
    const strange = names.filter((name) => !known.includes(name) && !attributes.includes(name))
    return strange.map((name) => localName + '[' + name + ']')
  })
  const links = [...root.querySelectorAll('.prose a, .sources a, .results a')]
  const hrefs = links.map((link) => link.getAttribute('href') ?? '')
  const isWeb = (href) => href === '' || href.startsWith('http://') || href.startsWith('https://')
  return { odd, hrefs: hrefs.filter((href) => !isWeb(href)), owned: 'owned' in window }
}`
