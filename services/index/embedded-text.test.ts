import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashText, toEmbeddedTexts, toUnitVector } from './units.ts'

const unit = {
  kind: 'heading' as 'heading' | 'definition',
  url: 'https://docs.example.org/semaphores',
  pageTitle: 'threading',
  path: ['Semaphore Objects'],
  heading: 'Semaphore Example',
  text: 'Semaphores are often used\n\n  to guard resources.',
}

describe('toEmbeddedTexts', () => {
  it('has the path, the name and the text of a unit', () => {
    expect(toEmbeddedTexts(unit)).toEqual([
      'threading › Semaphore Objects › Semaphore Example\nSemaphores are often used to guard resources.',
    ])
  })

  it('has a name once', () => {
    expect(toEmbeddedTexts({ ...unit, path: [], heading: 'threading' })[0]).toMatch(/^threading\n/)
  })

  it('truncates the beginning, earlier for a definition, and keeps some text below any heading', () => {
    const text = 'word '.repeat(1_000)
    const start = (changed: Partial<typeof unit>) => toEmbeddedTexts({ ...unit, text, ...changed })[0]!
    expect(start({}).length).toBeGreaterThan(480)
    expect(start({ kind: 'definition' }).length).toBeLessThanOrEqual(250)
    expect(start({ heading: 'name '.repeat(200) })).toContain('\nword word')
  })

  it('splits a long text into windows of similar length, below the same names', () => {
    const words = Array.from({ length: 321 }, (_, at) => `w${at}`)
    const [, ...windows] = toEmbeddedTexts({ ...unit, text: words.join(' ') })
    expect(windows.map((window) => window.split('\n')[1]!.split(' '))).toEqual([
      words.slice(0, 107),
      words.slice(107, 214),
      words.slice(214),
    ])
    expect(new Set(windows.map((window) => window.split('\n')[0])).size).toBe(1)
    expect(toEmbeddedTexts({ ...unit, text: words.slice(0, 90).join(' ') })).toHaveLength(1)
  })

  it('is never empty, starts with at most 500 characters and never splits a character', () => {
    const strings = fc.string({ unit: 'grapheme', maxLength: 800, size: 'max' })
    fc.assert(
      fc.property(
        strings,
        fc.array(strings, { maxLength: 3 }),
        strings,
        strings,
        (pageTitle, path, heading, text) => {
          const embedded = toEmbeddedTexts({ ...unit, pageTitle, path, heading, text })
          expect(embedded).not.toContain('')
          expect(embedded[0]!.length).toBeLessThanOrEqual(500)
          expect(embedded.every((each) => each.isWellFormed())).toBe(true)
        },
      ),
      // Texts this long take minutes to shrink.
      { endOnFailure: true },
    )
  })
})

it('averages vectors into a unit vector of length 1', () => {
  const [x, y] = [Float32Array.of(1, 0), Float32Array.of(0, 1)]
  expect(toUnitVector([x])).toEqual(x)
  expect(toUnitVector([x, y])).toEqual(Float32Array.of(Math.SQRT1_2, Math.SQRT1_2))
})

it('hashes with SHA-256', () => {
  expect(hashText('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
