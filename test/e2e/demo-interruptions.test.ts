// The chat of the demo page when a turn does not go well: stops, losses, errors, frames that do not belong (interface
// "Client handling rules").
import { describe, expect, test } from 'vitest'
import { lacksBrowser } from './browser.ts'
import { useChatPage } from './chat-page.ts'
import { chatId, restoreToken } from './scripted-chat.ts'

describe.skipIf(lacksBrowser)('a turn that does not go well, on the demo page', () => {
  const chat = useChatPage({})
  const { ask, prose, shows } = chat

  test('stops when the reader has had enough: the draft stays, nothing is asked again', async () => {
    const { page, server } = chat
    const turn = await ask('How do I water?')
    turn.token('Slowly, and with')
    await shows('Slowly, and with')
    await page.click('#stop')
    await turn.gone
    expect(await prose().textContent()).toBe('Slowly, and with')
    expect(await page.textContent('.turn-notice')).toBe('You stopped the answer.')
    expect(await page.isVisible('#send')).toBe(true)
    expect(server.hasMore()).toBe(false)
    const next = await ask('In short?')
    expect(next.message).toMatchObject({ message: 'In short?', chatId, restoreToken })
  })

  test('a lost connection keeps the draft; asking again waits for the connection and for the reader', async () => {
    const { page, server } = chat
    const turn = await ask('How do I water?')
    turn.token('Slowly, and with')
    await shows('Slowly, and with')
    server.refuses = true
    turn.hangUp()
    await expect.poll(() => page.textContent('.turn-notice')).toBe('The connection was lost.')
    await expect.poll(() => page.textContent('[data-name=retry]')).toBe('Waiting for the connection…')
    await page.click('[data-name=retry]', { force: true })
    expect(await prose().textContent()).toBe('Slowly, and with')
    server.refuses = false
    await expect.poll(() => page.textContent('[data-name=retry]'), { timeout: 20_000 }).toBe('Ask again')
    expect(server.hasMore()).toBe(false)
    await page.click('[data-name=retry]')
    const again = await server.next()
    expect(again.message).toMatchObject({ message: 'How do I water?', chatId, restoreToken })
    expect(again.message.requestId).not.toBe(turn.message.requestId)
    again.final('In the morning.')
    await shows('In the morning.')
    expect(await prose(0).textContent()).toBe('Slowly, and with')
  })

  test('a reader who goes offline keeps the draft, and asks again once online', async () => {
    const { page, server } = chat
    const turn = await ask('How do I water?')
    turn.token('Slowly, and with')
    await shows('Slowly, and with')
    await page.context().setOffline(true)
    await expect.poll(() => page.textContent('.turn-notice')).toBe('The connection was lost.')
    await page.context().setOffline(false)
    await expect.poll(() => page.textContent('[data-name=retry]')).toBe('Ask again')
    await page.click('[data-name=retry]')
    expect((await server.next()).message.message).toBe('How do I water?')
  })

  test('a network that is blocked is told so, and not tried again', async () => {
    const { page } = chat
    const turn = await ask('How do I water?')
    turn.token('Slowly')
    await shows('Slowly')
    turn.hangUp(4429)
    await expect.poll(() => page.textContent('.turn-notice')).toContain('Try again in an hour')
    expect(await page.textContent('[data-name=retry]')).toBe('Ask again')
  })

  test('an error never takes the place of a draft', async () => {
    const { page } = chat
    const turn = await ask('How do I water?')
    turn.token('Slowly, and with')
    turn.status('failed', 'failed', { reason: 'stream_interrupted', retryable: true })
    turn.final('The model broke off.', { ...{ isError: true, interrupted: true }, stopReason: 'interrupted' })
    await expect.poll(() => page.textContent('.turn-notice')).toBe('The model broke off.')
    expect(await prose().textContent()).toBe('Slowly, and with')
    const limited = await ask('Once more')
    limited.frame({
      ...{ from: 'ai', message: 'Wait 20 seconds.', isPartial: false, requestId: limited.message.requestId },
      ...{ stopReason: 'rate_limited', isError: true, retryable: true, sources: [] },
    })
    await expect.poll(() => page.locator('.turn-notice').last().textContent()).toBe('Wait 20 seconds.')
    expect(await prose().textContent()).toBe('')
  })

  test('stale, repeated and foreign frames are ignored, and servers that know less are understood', async () => {
    const { page, watched } = chat
    const turn = await ask('How do I water?')
    const { requestId } = turn.message
    const status = { type: 'status', version: 1, requestId, stage: 'contextualizing', state: 'started' }
    turn.frame({ ...status, sequence: 5 })
    turn.frame({ ...status, sequence: 5, stage: 'searching_docs' })
    turn.frame({ ...status, sequence: 4, stage: 'preparing_docs' })
    turn.frame({ ...status, sequence: 6, stage: 'brewing_coffee' })
    turn.frame({ ...status, sequence: 7, requestId: 'another', stage: 'writing_answer' })
    turn.frame({ ...status, sequence: 8, version: 2, stage: 'writing_answer' })
    for (const odd of [null, 1, 'text', [], {}, { from: 'ai', isPartial: true }, { type: 'status' }])
      turn.frame(odd)
    turn.frame({ from: 'ai', requestId: 'another', message: 'Not this.', isPartial: true })
    turn.frame({ from: 'ai', message: 'Only ', isPartial: true })
    turn.frame({ from: 'ai', message: 'this.', isPartial: true })
    await shows('Only this.')
    expect(await page.locator('.stage').allTextContents()).toEqual(['Reading the question'])
    turn.frame({
      from: 'ai',
      message: 'Only this.',
      isPartial: false,
      chatId,
      sources: [{ title: 'A' }, null],
    })
    turn.frame({ from: 'ai', message: 'Too late.', isPartial: false, requestId })
    await page.waitForSelector('.sources li')
    expect(await prose().textContent()).toBe('Only this.')
    expect(watched.errors).toEqual([])
  })
})
