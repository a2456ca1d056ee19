import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashText, toEmbeddedText } from './units.ts'

const unit = {
  kind: 'heading' as const,
  url: 'https://docs.example.org/semaphores',
  pageTitle: 'threading',
  path: ['Semaphore Objects'],
  heading: 'Semaphore Example',
  text: 'Semaphores are often used\n\n  to guard resources.',
}

describe('toEmbeddedText', () => {
  it('says what a unit belongs to, what it is called and how it begins', () => {
    expect(toEmbeddedText(unit)).toBe(
      'threading › Semaphore Objects › Semaphore Example\nSemaphores are often used to guard resources.',
    )
  })

  it('says a name once', () => {
    expect(toEmbeddedText({ ...unit, path: [], heading: 'threading' })).toMatch(/^threading\n/)
  })

  it('cuts long texts, those of definitions sooner, and keeps some text below any heading', () => {
    const text = 'word '.repeat(1_000)
    expect(toEmbeddedText({ ...unit, text }).length).toBeGreaterThan(480)
    expect(toEmbeddedText({ ...unit, kind: 'definition', text }).length).toBeLessThanOrEqual(250)
    expect(toEmbeddedText({ ...unit, heading: 'name '.repeat(200), text })).toContain('\nword word')
  })

  it('is never empty, never longer than 500 characters and never cut within one', () => {
    const strings = fc.string({ unit: 'grapheme', maxLength: 800, size: 'max' })
    fc.assert(
      fc.property(
        strings,
        fc.array(strings, { maxLength: 3 }),
        strings,
        strings,
        (pageTitle, path, heading, text) => {
          const embedded = toEmbeddedText({ ...unit, pageTitle, path, heading, text })
          expect(embedded).not.toBe('')
          expect(embedded.length).toBeLessThanOrEqual(500)
          expect(embedded.isWellFormed()).toBe(true)
        },
      ),
      // Texts this long take minutes to shrink.
      { endOnFailure: true },
    )
  })
})

it('hashes to SHA-256', () => {
  expect(hashText('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
