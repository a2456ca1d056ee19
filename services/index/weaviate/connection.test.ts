// What weaviate-client says of its own tries stays out of the log; what else it warns of does not.
import { expect, test } from 'vitest'
import { withoutRetries } from './connection.ts'

test('warnings of a further try are left out, others are not', () => {
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
