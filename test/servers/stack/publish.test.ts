import { expect, test } from 'vitest'
import { readPublished } from './publish.ts'

test('a single port serves all containers, a range has one for each', () => {
  expect(readPublished('127.0.0.1:8080:80', [1, 2])).toEqual([
    { host: '127.0.0.1', port: 8080, targets: [1, 2] },
  ])
  expect(readPublished('8080-8081:80', [1, 2])).toEqual([
    { host: '0.0.0.0', port: 8080, targets: [1] },
    { host: '0.0.0.0', port: 8081, targets: [2] },
  ])
})

test('rejects a range of another length', () => {
  expect(() => readPublished('8080-8082:80', [1, 2])).toThrow('8080-8082 takes 3 containers; there are 2')
})
