import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, expect, test } from 'vitest'
import { ErrorDetailSchema } from '../../gen/lectern/v1/error_pb.js'
import { openTurnLab } from './turn-lab.ts'

const lab = await openTurnLab()
lab.pages.set('timeouts', { title: 'Timeouts', text: 'A request is given up after thirty seconds.' })
await lab.store.projects.insert({
  ...lab.project,
  uuid: 'p3',
  slug: 'fenced',
  allowedDomains: ['*.example.com'],
})
afterAll(() => lab.close())

const question = 'When is a request given up?'
const whole = { offset: 0, limit: 100 }

async function refused(sending: Promise<unknown>) {
  const before = lab.provider.chat.calls.length
  const error = await sending.then(
    () => null,
    (caught) => caught,
  )
  expect(error).toBeInstanceOf(ConnectError)
  expect(lab.provider.chat.calls.length).toBe(before)
  return { code: error.code, reason: error.findDetails(ErrorDetailSchema)[0]?.reason, error }
}

test('rejects a page on another domain', async () => {
  for (const url of [undefined, 'https://example.com/', 'https://evil.test/']) {
    expect(await refused(lab.send(question, { slug: 'fenced', ...(url && { url }) }))).toMatchObject({
      code: Code.PermissionDenied,
      reason: 'domain_not_allowed',
    })
  }
  expect((await lab.store.chats.list('p3', whole)).count).toBe(0)
  const { finals } = await lab.send(question, { slug: 'fenced', url: 'https://a.b.example.com/x' })
  const { chatUuid, restoreToken } = finals[0]!
  expect(await refused(lab.send(question, { chatUuid, restoreToken, slug: '' }))).toMatchObject({
    reason: 'domain_not_allowed',
  })
})

test('continues only a cut answer of the same chat', async () => {
  const one = (await lab.send(question)).finals[0]!
  const two = (await lab.send(question)).finals[0]!
  expect(await refused(lab.goOn(one))).toMatchObject({
    code: Code.FailedPrecondition,
    reason: 'not_continuable',
  })
  const foreign = { ...one, aiMessage: two.aiMessage! }
  expect(await refused(lab.goOn(foreign))).toMatchObject({ reason: 'not_found' })
  expect(await refused(lab.goOn({ ...one, restoreToken: two.restoreToken }))).toMatchObject({
    reason: 'not_found',
  })
})
