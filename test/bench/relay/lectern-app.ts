// Lectern's gateway and core in a process of their own, as the product runs them, with a script in place of answers:
// `flood N` streams N tokens as fast as they are taken.
import { final, openChatLab, token } from '../../e2e/gateway/chat-lab.ts'
import { words } from './words.ts'

async function* flood(count: number) {
  for (let at = 0; at < count; at++) yield token(words[at % words.length]!, at === 0)
  yield final('done')
}

const lab = await openChatLab({}, { fallback: ({ message }) => flood(Number(message.split(' ')[1])) })
process.send?.({ port: lab.port })
