// Rate limits of the chat socket at their exact values, over real sockets, with counts in a real store that two gateways
// share.
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { type ChatClient, openChat, withProgress } from './gateway/chat-client.ts'
import { type ChatLab, openChatLab } from './gateway/chat-lab.ts'
import { openRawSocket } from './gateway/raw-socket.ts'

const path = '/ws/messages/open/'

const lab = await openChatLab()
const otherLab = await openChatLab({}, { store: lab.store })
afterAll(async () => {
  await otherLab.close()
  await lab.close()
})

const from = (address: string) => ({ 'x-forwarded-for': address })

function open(address: string, at = lab): Promise<ChatClient> {
  return openChat(at.socketUrl(path), from(address))
}

it('blocks a network at its 101st message per minute: its sockets and upgrades, on every gateway and after a restart', async () => {
  const [first, second, elsewhere, idle, neighbour] = await Promise.all([
    open('2001:db8:9:1::1'),
    open('2001:db8:9:1::2'),
    open('2001:db8:9:1::1', otherLab),
    open('2001:db8:9:1::2', otherLab),
    open('2001:db8:9:2::1'),
  ])
  // Rejected messages count too, and do not reach the core.
  const asked = lab.sent.length
  for (let sent = 1; sent <= 100; sent++) {
    expect(await (sent % 2 ? first : second).ask('{')).toMatchObject({ stopReason: 'invalid_message' })
  }
  expect(lab.sent.length).toBe(asked)
  first.send('{')
  for (const chat of [first, second]) expect(await chat.closed).toMatchObject({ code: 4429 })
  elsewhere.send({ message: 'a b' })
  // A socket on another gateway closes even if it sends nothing.
  for (const chat of [elsewhere, idle]) expect(await chat.closed).toMatchObject({ code: 4429 })
  expect(otherLab.sent).toEqual([])

  const answerAt = async ({ port }: ChatLab) => {
    const { answer, socket } = await openRawSocket(port, path, from('2001:db8:9:1::3'))
    socket.destroy()
    return answer
  }
  const refused = await answerAt(lab)
  expect(refused).toMatch(/^HTTP\/1\.1 429 /)
  expect(Number(/\r\nretry-after: (\d+)/i.exec(refused)?.[1])).toBeGreaterThan(3500)
  expect(await answerAt(otherLab)).toContain('429')
  for (const { url } of [lab, otherLab])
    expect((await fetch(`${url}/healthz`, { headers: from('2001:db8:9:1::1') })).status).toBe(200)
  expect(await neighbour.ask({ message: 'a b' })).toMatchObject({ stopReason: 'stop' })
  const restarted = await openChatLab({}, { store: lab.store })
  expect(await answerAt(restarted)).toContain('429')
  await restarted.close()
})

it('counts oversized messages across all sockets that they close', async () => {
  for (let sent = 1; sent <= 100; sent++) {
    const chat = await open('9.9.6.1')
    chat.send('x'.repeat(64 * 1024 + 1))
    expect(await chat.closed).toMatchObject({ code: 1009 })
  }
  const chat = await open('9.9.6.1')
  chat.send('x'.repeat(64 * 1024 + 1))
  expect(await chat.closed).toMatchObject({ code: 4429 })
})

it('rejects the eleventh accepted message on a connection within 30 s', async () => {
  // The test controls the clock.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const [chat, another] = await Promise.all([open('9.9.7.1'), open('9.9.7.1')])
  for (let sent = 1; sent <= 10; sent++) {
    vi.advanceTimersByTime(1_000)
    // Rejected messages do not count as accepted.
    await chat.ask('{')
    expect(await chat.ask(withProgress('a b', `r${sent}`))).toMatchObject({ stopReason: 'stop' })
  }
  const asked = lab.sent.length
  const refusal = await chat.ask(withProgress('a b', 'r11'))
  expect(refusal).toMatchObject({
    stopReason: 'rate_limited',
    isError: true,
    retryable: true,
    requestId: 'r11',
  })
  expect(refusal.message).toContain(' in 21 s.')
  for (const name of ['messageId', 'restoreToken']) expect(refusal).not.toHaveProperty(name)
  vi.advanceTimersByTime(20_999)
  const plain = await chat.ask({ message: 'a b' })
  expect(plain).toMatchObject({ stopReason: 'rate_limited', incomplete: false })
  expect(plain.message).toContain(' in 1 s.')
  expect(lab.sent.length).toBe(asked)
  vi.advanceTimersByTime(1)
  expect(await chat.ask({ message: 'a b' })).toMatchObject({ stopReason: 'stop' })
  expect(await chat.ask({ message: 'a b' })).toMatchObject({ stopReason: 'rate_limited' })
  expect(await another.ask({ message: 'a b' })).toMatchObject({ stopReason: 'stop' })
})

it('does not count failed turns toward ten messages in 30 s', async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first word
  lab.scripts.fail = async function* () {
    throw new Error('the model is broken')
  }
  const chat = await open('9.9.7.2')
  for (let sent = 1; sent <= 10; sent++) {
    expect(await chat.ask({ message: 'fail' })).toMatchObject({ stopReason: 'error' })
  }
  expect(await chat.ask({ message: 'a b' })).toMatchObject({ stopReason: 'stop' })
})
