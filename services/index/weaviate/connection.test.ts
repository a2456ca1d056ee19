// The log omits what weaviate-client prints about its own retries, but no other warning.
import { expect, test } from 'vitest'
import { withoutRetries } from './connection.ts'

test('omits warnings about retries, and no others', () => {
  const said: unknown[][] = []
  const warn = withoutRetries((...words) => void said.push(words))
  warn(new Error('14 UNAVAILABLE'), 'Attempt 0 failed. Retrying in 838ms.')
  warn(new Error('14 UNAVAILABLE'), 'Healthcheck 1 failed. Retrying in 20ms.')
  warn('client is configured for authentication, but server is not')
  warn('Retrying in the morning', 'is what someone else says')
  expect(said).toEqual([
    ['client is configured for authentication, but server is not'],
    ['Retrying in the morning', 'is what someone else says'],
  ])
})
