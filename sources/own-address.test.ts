import { expect, test } from 'vitest'
import { ownAddress, readOwnAddress, toOwnPages } from './own-address.ts'

const pages = toOwnPages('https://docs.example.org/lectern', 'guide', 'u1')
const start = 'https://docs.example.org/lectern/files/guide/u1/'

test.each([
  ['', ''],
  ['Install guide.md', 'Install%20guide.md'],
  ['GET/pets/{id}', 'GET/pets/%7Bid%7D'],
  ['GET//pets/', 'GET/pets'],
  ['GET//../../../../etc/./passwd', 'GET/_/_/_/_/etc/_/passwd'],
  ['a%2Fb?c#d;jsessionid=1', 'a%252Fb%3Fc%23d%3Bjsessionid%3D1'],
  ['"><script>', '%22%3E%3Cscript%3E'],
  ['\n\0\ud800', '%0A%00%EF%BF%BD'],
  ['Straße', 'Stra%C3%9Fe'],
])('%j is at %s, and found by the URL that a browser requests', (path, expected) => {
  const address = ownAddress(pages, path)
  expect(address).toBe(start + expected)
  expect(new URL(address!).href).toBe(address)
  expect(readOwnAddress(pages, decodeURIComponent(expected))).toBe(address)
})

test('has no address for a path that makes it too long', () => {
  expect(ownAddress(pages, 'x'.repeat(2_000))).toBeNull()
})
