// Paths and methods → routes.
import { describe, expect, it } from 'vitest'
import { createRouter, type Route } from './router.ts'

const answer = () => ({ status: 200, headers: {}, body: '' })
const route = (method: Route['method'], path: string): Route => ({ method, path, answer })
const router = createRouter([
  route('GET', '/'),
  route('GET', '/a/{one}/'),
  route('DELETE', '/a/{one}/'),
  route('POST', '/a/fixed/'),
  route('GET', '/a/{one}/b/{two}/'),
  route('GET', '/files/{rest}'),
])

describe('match', () => {
  it.each<[string, string, Record<string, string>]>([
    ['/', '/', {}],
    ['/a/x', '/a/{one}/', { one: 'x' }],
    ['/a/x/', '/a/{one}/', { one: 'x' }],
    ['/a/x%20y%2Fz%zz', '/a/{one}/', { one: 'x y/z%zz' }],
    ['/a/x/b/y/', '/a/{one}/b/{two}/', { one: 'x', two: 'y' }],
    ['/files/a/b.js', '/files/{rest}', { rest: 'a/b.js' }],
  ])('%s → %s', (path, pattern, parameters) => {
    const match = router.match('GET', path)
    expect(match.route.path).toBe(pattern)
    expect(match.parameters).toEqual(parameters)
  })

  it('prefers a fixed segment', () => {
    expect(router.match('POST', '/a/fixed').route.path).toBe('/a/fixed/')
  })

  it('matches HEAD like GET', () => {
    expect(router.match('HEAD', '/a/x').route.method).toBe('GET')
  })

  it.each(['/b', '/a', '/a//', '//', '//a/x', '/a/x/b', '/a/x/b/y/z', '/A/x'])(
    'matches nothing at %j',
    (path) => {
      expect(() => router.match('GET', path)).toThrow(expect.objectContaining({ reason: 'not_found' }))
      expect(router.methods(path)).toBeNull()
    },
  )

  it('returns the methods of a known path', () => {
    const allow = 'GET, DELETE, HEAD, OPTIONS'
    expect(() => router.match('BREW', '/a/x')).toThrow(
      expect.objectContaining({ reason: 'method_not_allowed', headers: { allow } }),
    )
    expect(router.methods('/a/x')?.join(', ')).toBe(allow)
  })

  it('rejects a duplicate row', () => {
    expect(() => createRouter([route('GET', '/x'), route('GET', '/x')])).toThrow('twice')
  })
})
