// The questions' file: what is wrong with it is said with its line; which address is the page that was expected.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isPage, QuestionError, readQuestions } from './evaluate.ts'

test.each([
  ['{"question": "a", "pages": []}\n\nnonsense', ':3: it is not a JSON object'],
  ['[]', ':1: it is not a JSON object'],
  ['{"pages": []}', ':1: "question" must be a text'],
  ['{"question": " ", "pages": []}', ':1: "question" must be a text'],
  [`{"question": "${'a'.repeat(501)}", "pages": []}`, ':1: "question" must have at most 500 characters'],
  ['{"question": "a"}', ':1: "pages" must be a list, empty where there is no answer'],
  ['{"question": "a", "pages": [7]}', ':1: "pages" takes addresses of pages, or endings of their paths'],
  ['{"question": "a", "pages": ["/"]}', ':1: "pages" takes addresses of pages, or endings of their paths'],
  ['{"question": "a", "pages": []}\n{"question": "a", "pages": []}', ':2: the question is that of line 1'],
  ['\n', ': there is no question in it'],
])('%j names the line and the fault', (text, sentence) => {
  expect(() => readQuestions(text, 'docs.jsonl')).toThrow(new QuestionError(`docs.jsonl${sentence}`))
})

test.each(['python', 'postgresql'])('the labelled questions on %s can be evaluated', async (manual) => {
  const file = new URL(`../test/bench/manuals/${manual}/questions.json`, import.meta.url)
  const labelled: { question: string; pages: string[] }[] = JSON.parse(await readFile(file, 'utf8'))
  const lines = labelled.map((each) => JSON.stringify(each)).join('\n')
  expect(readQuestions(lines, 'labels')).toEqual(labelled.map(({ question, pages }) => ({ question, pages })))
})

test.each([
  ['https://docs.example.org/3/guide/install.html#pip', 'guide/install.html', true],
  [
    'https://docs.example.org/3/guide/install.html#pip',
    'https://docs.example.org/3/guide/install.html',
    true,
  ],
  ['https://docs.example.org/guide/', '/guide', true],
  ['https://docs.example.org/guide', 'guide/', true],
  ['https://docs.example.org/guide?version=3', 'guide#top', true],
  ['https://docs.example.org/install.html', 'stall.html', false],
  ['https://docs.example.org/install.html', 'guide/install.html', false],
  ['https://docs.example.org/3/guide/install.html', 'https://docs.example.org/guide/install.html', false],
])('%s ← %s: %s', (url, expected, is) => {
  expect(isPage(url, expected)).toBe(is)
})
