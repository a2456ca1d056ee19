import { expect, test } from 'vitest'
import { shortTitle, titleOf } from './titles.ts'

test.each([
  ['Examples', ['REINDEX'], 'REINDEX: Examples'],
  ['Basic usage', ['The REINDEX command', 'Examples'], 'The REINDEX command: Basic usage'],
  ['Beispiel', ['REINDEX', 'Kurz gesagt'], 'REINDEX: Beispiel'],
  ['Rebuilding an index', ['REINDEX'], 'Rebuilding an index'],
  ['subprocess.run()', ['subprocess'], 'subprocess.run()'],
])('%s below %j is called %s', (title, path, shown) => {
  expect(titleOf({ title, path, pageTitle: 'REINDEX' })).toBe(shown)
})

test("a page's own title stays as it is", () => {
  expect(titleOf({ title: 'Overview', path: [], pageTitle: 'Overview' })).toBe('Overview')
})

test.each([
  ['class Popen(args, bufsize=-1)', 'Popen()'],
  ['PyObject *PyList_New(Py_ssize_t len)', 'PyList_New()'],
  ['lower ( text ) → text', 'lower()'],
  ['What it costs (and why)', 'What it costs (and why)'],
  ['x'.repeat(80), `${'x'.repeat(70)}…`],
])('%s is short for %s', (title, short) => {
  expect(shortTitle(title)).toBe(short)
})
