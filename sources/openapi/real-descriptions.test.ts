// Descriptions as published.
import { describe, expect, test } from 'vitest'
import {
  type DescriptionName,
  readRealDescription,
  withoutDescriptions,
} from '../../test/openapi/real-descriptions.ts'
import { checkFiles, openapiParser, toDocuments } from './openapi-parser.ts'

const url = 'https://api.example.com/openapi'

// biome-ignore format: a table
const known: [DescriptionName, version: string, title: string, operations: number, documents: number][] = [
  ['github.json', '3.0.3', "GitHub's official OpenAPI spec + Octokit extension", 1_223, 2_193],
  ['kubernetes.json', '2.0', 'Kubernetes', 1_014, 1_906],
  ['figma.yaml', '3.1.0', 'Figma API', 54, 286],
  ['blockfrost.yaml', '3.0.3', 'Blockfrost.io ~ API Documentation', 129, 273],
  ['galaxy.json', '3.1.1', 'Scalar Galaxy', 11, 27],
  ['galaxy.yaml', '3.1.1', 'Scalar Galaxy', 11, 27],
]

/** Returns a document by title, as one text. */
function textOf(name: DescriptionName, title: string): string {
  const answer = toDocuments([{ url, body: readRealDescription(name) }], {
    url,
    renderer: 'redoc',
    ownPages: '',
  })
  const document =
    answer.kind === 'documents' ? answer.documents.find((each) => each.title === title) : undefined
  if (document === undefined) throw new Error(`${name} has no ${title}`)
  return openapiParser
    .parse(document)
    .sections.flatMap(({ heading, blocks }) => [heading, ...blocks.map(({ text }) => text)])
    .join('\n')
}

describe.skipIf(withoutDescriptions)('real descriptions', () => {
  test.each(known)('%s is valid', (name, version, title, operations) => {
    const answer = checkFiles([{ url, body: readRealDescription(name) }])
    expect(answer).toEqual({
      kind: 'checked',
      valid: true,
      version,
      title,
      operations,
      errors: [],
    })
  })

  test.each(known)('makes documents of %s', (name, _version, _title, _operations, documents) => {
    const answer = toDocuments([{ url, body: readRealDescription(name) }], {
      url,
      renderer: 'redoc',
      ownPages: '',
    })
    if (answer.kind !== 'documents') throw new Error(answer.kind)
    expect(answer.documents).toHaveLength(documents)
    expect(new Set(answer.documents.map((document) => document.url)).size).toBe(documents)
    for (const document of answer.documents) {
      const page = openapiParser.parse(document)
      expect(page.title).not.toBe('')
      expect(page.sections.length).toBeGreaterThan(0)
    }
  })

  test('an operation of GitHub has the number of results per page', () => {
    const text = textOf('github.json', 'GET /repos/{owner}/{repo}/issues: List repository issues')
    expect(text).toMatch(
      /- per_page \(query parameter, integer\): The number of results per page \(max 100\)\..* Default 30\./,
    )
    expect(text).toContain('Status 404: Resource not found.')
  })

  test('an operation of Kubernetes has its body', () => {
    const text = textOf('kubernetes.json', 'POST /api/v1/namespaces/{namespace}/pods')
    expect(text).toContain('- namespace (path parameter, string, required): Object name and auth scope')
    expect(text).toContain('- spec (io.k8s.api.core.v1.PodSpec)')
  })

  test('an operation of Figma has its errors', () => {
    expect(textOf('figma.yaml', 'GET /v1/files/{file_key}: Get file JSON')).toMatch(
      /Errors\n(.*\n)*Status 404/,
    )
  })
})
