// The script of the model: the beginning of its first passages, each with its label, and an invented citation.
import { readPassageText } from '../../../services/search/passage.ts'
import { type Script, toTokens } from '../../model/scripts.ts'

const quoted = 4

export const quotesPassages: Script = async (call) => {
  const system = JSON.stringify(call.body).replaceAll('\\n', '\n').replaceAll('\\"', '"')
  const passages = [...system.matchAll(/<passage label="(\[\d+\])"[^>]*>\n([\s\S]*?)\n<\/passage>/gu)].slice(
    0,
    quoted,
  )
  const sentences = passages.flatMap(([, label, text]) => {
    const paragraph = readPassageText(text!).find(({ kind }) => kind === 'paragraph')?.text
    const sentence = paragraph?.match(/^.{20,300}?[.!?](?=\s|$)/u)?.[0]
    return sentence === undefined ? [] : [`${sentence.slice(0, -1)} ${label}.`]
  })
  const draft = `${sentences.join(' ')} The moon is made of green cheese [99].`
  for (const token of toTokens(draft)) await call.token(token)
  await call.end('stop')
}
