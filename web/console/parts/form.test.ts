// Messages of forms: labels in place of the API's names.
import { expect, test } from 'vitest'
import { ApiError } from '../api.ts'
import { nameFields } from './form.tsx'

const labels = new Map([
  ['url', 'Address'],
  ['branch', 'Branch'],
  ['spec', 'Description'],
  ['include', 'Include'],
  ['max_pages', 'Page limit'],
])

test.each([
  [['include[1]'], 'The field include[1] has a "[".', 'The field “Include” (entry 2) has a "[".'],
  [['include[1]'], 'The field include[1]: no glob.', 'The field “Include” (entry 2): no glob.'],
  [['source.max_pages'], 'The field source.max_pages must be 1.', 'The field “Page limit” must be 1.'],
  [['max_pages'], 'The field max_pages must be above 0.', 'The field “Page limit” must be above 0.'],
  [['base_url'], 'The field base_url must be an address.', 'The field base_url must be an address.'],
  [
    ['branch', 'spec'],
    'branch, spec is not a field of type url.',
    '“Branch”, “Description” is not a field of type url.',
  ],
  [
    ['max_pages', 'name', 'branch'],
    'Nothing was saved: somebody else changed max_pages, name, branch meanwhile.',
    'Nothing was saved: somebody else changed “Page limit”, name, “Branch” meanwhile.',
  ],
  [['url'], 'The address must not be https://curl.se/.', 'The address must not be https://curl.se/.'],
  [
    ['url'],
    'The project has a url source with this address already.',
    'The project has a url source with this address already.',
  ],
  [['spec'], 'The field spec: no specification.', 'The field “Description”: no specification.'],
  [['spec'], 'The file is no specification.', 'The file is no specification.'],
  [
    ['max_pages', 'branch'],
    'The field max_pages must suit the branch.',
    'The field “Page limit” must suit the branch.',
  ],
])('%j: %s', (names, message, named) => {
  const fields = Object.fromEntries(names.map((name) => [name, ['is invalid']]))
  expect(nameFields(new ApiError(400, message, 'invalid', fields), labels)).toBe(named)
})
