import { describe, expect, it } from 'vitest'
import { circularImports, importsOf } from './folders.ts'

const imports = (...lines: string[]) =>
  lines.map((line) => {
    const [from, to] = line.split(' ')
    return { from: from!, to: to! }
  })

describe('circles of folders', () => {
  it.each([
    ['two folders', imports('services/a/x.ts services/b/y.ts', 'services/b/z.ts services/a/w.ts')],
    [
      'three, two of them deep',
      imports(
        'services/a/p/x.ts services/b/y.ts',
        'services/b/q/z.ts cli/c/v.ts',
        'cli/c/v.ts services/a/w.ts',
      ),
    ],
    [
      'a folder and a file next to it',
      imports('services/a/x.ts services/y.ts', 'services/y.ts services/a/z.ts'),
    ],
  ])('finds one of %s', (_, circle) => {
    const other = imports('services/a/x.ts services/errors.ts', 'app/main.ts services/a/x.ts')
    expect(circularImports([...circle, ...other])).toEqual(circle)
  })

  it.each([
    [
      'a folder and one in it',
      imports('services/a/x.ts services/a/b/y.ts', 'services/a/b/y.ts services/a/z.ts'),
    ],
    [
      'files directly in a part',
      imports('services/a/x.ts services/errors.ts', 'services/drivers.ts services/a/x.ts'),
    ],
  ])('accepts %s', (_, straight) => {
    expect(circularImports(straight)).toEqual([])
  })
})

it('reads imports of all kinds', () => {
  const text = `import type { A } from '../b/a.ts'
import './c.ts'
export { d } from './d.ts'
const e = await import('../../e/e.ts')
const entry = new URL('./f.ts', import.meta.url)
import { g } from 'g'`
  expect(importsOf('services/a/x.ts', text).map(({ to }) => to)).toEqual([
    'services/b/a.ts',
    'services/a/c.ts',
    'services/a/d.ts',
    'e/e.ts',
    'services/a/f.ts',
  ])
})
