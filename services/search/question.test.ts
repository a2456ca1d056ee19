import { expect, it } from 'vitest'
import { isQuestion } from './question.ts'

const questions = [
  'how to parse TOML',
  'file that vanishes automatically after it is closed',
  'why so slow?',
  'wie kann ich eine Datei im Hintergrund lesen',
  'run a test only on Linux',
]
const names = [
  '',
  'a',
  'asyncio.create_task',
  'asyncio.create_t',
  'CREATE FOREIGN DATA WRAPPER',
  'abstract base class',
  'IS NOT NULL',
  'what?',
]

it.each(questions)('takes for a question: %s', (q) => expect(isQuestion(q)).toBe(true))
it.each(names)('takes for a name: %s', (q) => expect(isQuestion(q)).toBe(false))
