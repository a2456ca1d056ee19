import { expect, test } from 'vitest'
import { shortTitle, toTitle, toTitleLink } from './titles.ts'

test.each([
  ['Examples', ['REINDEX'], 'REINDEX: Examples'],
  ['Basic usage', ['The REINDEX command', 'Examples'], 'The REINDEX command: Basic usage'],
  ['Beispiel', ['REINDEX', 'Kurz gesagt'], 'REINDEX: Beispiel'],
  ['Rebuilding an index', ['REINDEX'], 'Rebuilding an index'],
  ['subprocess.run()', ['subprocess'], 'subprocess.run()'],
  ['Common Issues', ['gitfaq(7)'], 'gitfaq(7): Common Issues'],
  ['Notes', ['fs.readFile(path[, options], callback)'], 'fs.readFile(): Notes'],
])('%s below %j gets the title %s', (title, path, shown) => {
  expect(toTitle({ title, path, pageTitle: 'REINDEX' })).toBe(shown)
})

test('leaves the title of a page unchanged', () => {
  expect(toTitle({ title: 'Overview', path: [], pageTitle: 'Overview' })).toBe('Overview')
})

test.each([
  ['Notes', ['tool stop'], 'tool stop: Notes'],
  ['Notes', ['tool start more'], 'tool start more: Notes'],
  ['Usage', ['tool stop', 'Notes'], 'tool stop: Usage'],
  ['Notes', [], 'tool start: Notes'],
])('%s below %j on a page of several commands gets the title %s', (title, path, shown) => {
  expect(toTitle({ title, path, pageTitle: 'tool start' })).toBe(shown)
})

test.each([
  ['class Popen(args, bufsize=-1)', 'Popen()'],
  ['PyObject *PyList_New(Py_ssize_t len)', 'PyList_New()'],
  ['lower ( text ) → text', 'lower()'],
  ['void *malloc(size_t size)', 'malloc()'],
  ['gitfaq(7)', 'gitfaq(7)'],
  ['git-rev-parse(1) Manual Page', 'git-rev-parse(1) Manual Page'],
  ['printf(3p)', 'printf(3p)'],
  ['range(stop)', 'range()'],
  ['sleep(10)', 'sleep()'],
  ['What it costs (and why)', 'What it costs (and why)'],
  ['How can I restore huge file(s) over a slow line?', 'How can I restore huge file(s) over a slow line?'],
  ['Why is nothing printed when I source() a file?', 'Why is nothing printed when I source() a file?'],
  ['The read.table() function', 'The read.table() function'],
  ['Loading addons using require()', 'Loading addons using require()'],
  ['Note :', 'Note'],
  ['What is new in 3.11.', 'What is new in 3.11'],
  ['Is it on?', 'Is it on?'],
  ['...', '...'],
  ['x'.repeat(80), `${'x'.repeat(70)}…`],
])('shortens %s to %s', (title, short) => {
  expect(shortTitle(title)).toBe(short)
})

test('shortens a long parent heading and keeps the heading itself', () => {
  const pageTitle = 'Harvester: a tool that collects the figures of all the fields of a farm'
  const title = toTitle({ title: 'Basic Usage', path: ['Basic Usage'], pageTitle })
  expect(shortTitle(title)).toBe('Harvester: a tool that collects the figures of all the…: Basic Usage')
})

test('escapes Markdown in the title of a link', () => {
  const title = '](https://evil.example) ![x](https://evil.example/i) <img src=x>'
  expect(toTitleLink({ title, url: 'https://docs.test/(a)' })).toBe(
    '[\\](https://evil.example) \\!\\[x\\](https://evil.example/i) \\<img src=x\\>](https://docs.test/%28a%29)',
  )
})
