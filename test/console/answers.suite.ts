// C5 and C9: search and chat with explanations, conversations, and repeated questions.
import { expect, test } from 'vitest'
import { takeScreenshot } from '../e2e/browser.ts'
import { htmlPage } from '../e2e/site.ts'
import { expectAccessible, expectNoSideways, type Lab } from './lab.ts'

const toWords = (text: string) => text.replaceAll(/[^\p{L}]+/gu, ' ').trim()

export function describeAnswers(readLab: () => Lab): void {
  test('searches with scores and matched words, without counting the search', async () => {
    const { open, lectern } = readLab()
    const watched = await open('projects/guide/try')
    const { page, errors } = watched
    await page.getByLabel('Query or question').fill('archive <b>')
    await expect.poll(() => page.url()).toContain('q=archive')
    await page
      .getByText(/score \d.*matched archive/)
      .first()
      .waitFor()
    const { body } = await lectern.call('GET', '/api/v2/projects/guide/search/explain/?q=archive+%3Cb%3E')
    const results = body.results as unknown as { title: string; score: number; fragment: string }[]
    // The list renders in several tasks.
    let shown: string[] = []
    const countComplete = async () => {
      shown = await page.locator('.result').allInnerTexts()
      return shown.filter((text) => text.includes('score ')).length
    }
    await expect.poll(countComplete).toBe(results.length)
    for (const { title, score, fragment } of results) {
      const [option = ''] = shown.filter((text) => text.includes(`score ${score.toFixed(3)}`))
      expect(option).toContain(title)
      // The list draws fragments in blocks.
      expect(toWords(option)).toContain(toWords(fragment))
    }
    await page.locator('.result').first().focus()
    const counted = await lectern.call('GET', '/api/v2/projects/guide/analytics/search/')
    expect(JSON.stringify(counted.body)).not.toContain('archive <b>')
    expect(errors).toEqual([])
  })

  test('asks a question and shows the stored trace', async () => {
    const { open, lectern } = readLab()
    const watched = await open('projects/guide/try?q=How+do+I+unpack+the+archive%3F')
    const { page, errors } = watched
    const asked = page.waitForResponse(
      (response) => response.url().endsWith('/chats/') && response.request().method() === 'POST',
    )
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    const { ai_message } = await (await asked).json()
    const stored = await lectern.call('GET', `/api/v2/projects/guide/messages/${ai_message.messageId}/trace/`)
    await page.getByText('The trace as it is stored').click()
    expect(JSON.parse(await page.locator('pre.text').innerText())).toEqual(stored.body)
    await page.getByText(`${Number(stored.body.probability).toFixed(3)} that the passages`).waitFor()
    await takeScreenshot(page, 'console-try')
    await expectAccessible(watched)
    await page.getByRole('link', { name: 'The conversation' }).click()
    await page.getByRole('button', { name: 'Ask again now' }).waitFor()
    expect(errors).toEqual([])
  })

  test('finds conversations by outcome and text, and compares an answer with a new one', async () => {
    const { open, lectern, site, sync, addProject, addSource } = readLab()
    site.pages.set('/again/', htmlPage('Backups', 'Backups are kept for seven days on the second disk.'))
    await addProject('again')
    await addSource('again', { type: 'site', url: `${site.url}again/` })
    await sync('again')
    const ask = (message: string) => lectern.call('POST', '/api/v2/projects/again/chats/', { message })
    await ask('How long are backups kept? <img src=x>')
    await ask('Where do penguins live?')
    site.pages.set('/again/', htmlPage('Copies', 'Backups are kept for thirty days on the second disk.'))
    await sync('again')

    const watched = await open('projects/again/conversations')
    const { page, errors } = watched
    await page.getByRole('link', { name: 'Where do penguins live?' }).waitFor()
    await takeScreenshot(page, 'console-conversations')
    await expectAccessible(watched)
    await page.getByLabel('Text').fill('backups')
    await expect.poll(() => page.getByRole('link', { name: 'penguins' }).count()).toBe(0)
    await page.getByRole('link', { name: 'How long are backups kept? <img src=x>' }).click()
    await page.getByRole('button', { name: 'Ask again now' }).click()
    const difference = page.getByRole('region', { name: 'Difference' })
    await difference.getByText('The answer is different now').waitFor()
    expect((await difference.locator('del').allInnerTexts()).join()).toContain('Backups')
    expect((await difference.locator('ins').allInnerTexts()).join()).toContain('Copies')
    await difference.getByText('another text').first().waitFor()
    expect(await page.locator('#screen img').count()).toBe(0)
    await page.getByText('How this answer was made').click()
    await takeScreenshot(page, 'console-conversation')
    await expectAccessible(watched)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(watched)
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoSideways(page)
    expect(errors).toEqual([])
  })

  test('shows an answer as the widget does, and which question has none', async () => {
    const { open } = readLab()
    const created_at = new Date().toISOString()
    const message = { created_at, sources: [], feedback: null, incomplete: false, stop_reason: 'stop' }
    const messages = [
      { ...message, uuid: '3', role: 'user', content: 'How do I stop it?' },
      { ...message, uuid: '2', role: 'assistant', content: 'Run this:\n\n```sh\nstart\n```' },
      { ...message, uuid: '1', role: 'user', content: 'How do I start it?' },
    ]
    const title = 'How do I start it?'
    const json = { title, email: '', metadata: '', url: '', created_at, message_count: 3, messages }
    const { page } = await open('')
    await page.route(/\/projects\/guide\/chats\/known\//, (route) => route.fulfill({ json }))
    await page.goto(new URL('projects/guide/conversations/known', page.url()).href)
    const question = page.locator('.asked')
    await question.filter({ hasText: 'stop' }).filter({ hasText: 'No answer is stored' }).waitFor()
    expect(await question.filter({ hasText: 'No answer is stored' }).count()).toBe(1)
    // The button is within the box of the code.
    const isWithin = await page.locator('.code').evaluate((code) => {
      const [box, button] = ['pre', 'button'].map((each) => code.querySelector(each)!.getBoundingClientRect())
      return button!.right <= box!.right && button!.top >= box!.top && button!.top < box!.bottom
    })
    expect(isWithin).toBe(true)
  })

  test('asks and deletes nothing with the key of a viewer', async () => {
    const { open, createKey } = readLab()
    const key = await createKey(['projects_read', 'search', 'chats_read'])
    const { page } = await open('projects/again/conversations', {}, key)
    await page.getByRole('link', { name: 'Where do penguins live?' }).click()
    await page.getByText('How this answer was made').waitFor()
    expect(await page.getByRole('button', { name: /Ask|Delete/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Search and ask' }).click()
    await page.getByLabel('Query or question').fill('backups')
    await page.getByText(/score/).first().waitFor()
    expect(await page.getByRole('button', { name: 'Ask' }).count()).toBe(0)
  })
}
