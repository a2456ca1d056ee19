// Questions in a language other than the documentation's, which is English here.
import { afterAll, expect, test } from 'vitest'
import { TurnOutcome } from '../../gen/lectern/v1/turn_pb.js'
import { openTurnLab } from './turn-lab.ts'

const lab = await openTurnLab({ model: null })
lab.search.language = 'en'
lab.pages.set('timeouts', { title: 'Timeouts', text: 'A request is given up after thirty seconds.' })
afterAll(() => lab.close())

async function ask(message: string, model: string | null = null) {
  lab.search.model = model
  const { outcome, aiMessage } = (await lab.send(message)).finals[0]!
  return { outcome, text: aiMessage!.message, sources: aiMessage!.sources.length }
}

const german = 'Nach wie vielen Sekunden wird denn ein request abgebrochen?'

test.each([null, 'local:all-minilm-l6-v2'])(
  'get its language as a hint, without links, if the model %s does not know theirs',
  async (model) => {
    expect(await ask(german, model)).toEqual({
      outcome: TurnOutcome.REFUSED,
      text: 'Diese Dokumentation ist auf Englisch. Bitte fragen Sie in dieser Sprache.',
      sources: 0,
    })
    expect((await ask('Quel temps fera-t-il demain à Paris ?', model)).text).toMatch(
      /^Cette documentation est en anglais\./u,
    )
  },
)

test('are answered by meaning if the model knows both languages, even if no page has their words', async () => {
  expect(await ask(german, 'local:multilingual-e5-small')).toMatchObject({
    outcome: TurnOutcome.ANSWERED,
    sources: 1,
  })
})

test('are not those in English that the detector takes for Dutch', async () => {
  expect((await ask('Does jsoup execute JavaScript?')).text).toMatch(/^I found nothing/u)
})

test('are those in Chinese, with or without English stop words', async () => {
  for (const question of [
    '如何重新启动 Docker 容器？',
    '在查询中如何使用 is not null 来筛选数据表中的记录？',
  ])
    expect((await ask(question)).text).toMatch(/英语/u)
})

test('are the only ones with this hint', async () => {
  expect((await ask('Who baked the bread for breakfast this morning?')).text).toMatch(/^I found nothing/u)
})
