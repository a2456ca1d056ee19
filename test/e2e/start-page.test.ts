// Redirects of `/`, with a core in the process and with an unavailable one.
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, it } from 'vitest'
import { openTestGateway } from './gateway/lectern-gateway.ts'

const startOf = async (answer: () => { slug?: string }) => {
  const gateway = await openTestGateway({}, { implementation: { projects: { getFirstProject: answer } } })
  const { status, headers } = await gateway.ask('GET', '/')
  await gateway.close()
  return [status, headers.get('location')]
}

it('redirects to the demo page of the first public project', async () => {
  expect(await startOf(() => ({ slug: 'open' }))).toEqual([302, './demo/open/'])
})

it('redirects to the manual if there is no project, and while the core is unavailable', async () => {
  expect(await startOf(() => ({}))).toEqual([302, './manual/'])
  const away = () => {
    throw new ConnectError('away', Code.Unavailable)
  }
  expect(await startOf(away)).toEqual([302, './manual/'])
})
