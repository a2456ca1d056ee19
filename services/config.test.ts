import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

test('has the defaults of the reference', () => {
  expect(readConfig({})).toMatchObject({
    http: { host: '127.0.0.1', port: 8080 },
    grpc: { host: '127.0.0.1', port: 50051 },
    role: 'all',
    log: 'info',
    pageLimit: null,
    addressLimit: 100_000,
    uploadLimit: 5_000,
    crawlAllow: '',
    trustProxy: [],
    llm: null,
    embeddings: { local: 'all-minilm-l6-v2', isDefault: true, folder: resolve('data/models') },
    legacyChats: 'off',
    mongodb: null,
    weaviate: null,
    temporal: null,
    coreUrls: [],
  })
})

test('treats an empty variable as unset', () => {
  expect(readConfig({ LECTERN_HTTP: '', LECTERN_PAGE_LIMIT: ' ' }).http.port).toBe(8080)
})

test('reads values', () => {
  const config = readConfig({
    LECTERN_HTTP: '[::1]:80',
    LECTERN_PAGE_LIMIT: '12',
    LECTERN_ADDRESS_LIMIT: '150000',
    LECTERN_UPLOAD_LIMIT: '300',
    LECTERN_TRUST_PROXY: '10.0.0.0/8, ::1',
    LECTERN_PUBLIC_URL: 'https://docs.example.org/',
  })
  expect(config.http).toEqual({ host: '::1', port: 80 })
  expect(config.pageLimit).toBe(12)
  expect(config.addressLimit).toBe(150_000)
  expect(config.uploadLimit).toBe(300)
  expect(config.trustProxy).toEqual(['10.0.0.0/8', '::1'])
  expect(config.publicUrl).toBe('https://docs.example.org')
})

const bad: [name: string, value: string][] = [
  ['LECTERN_HTTP', '8080'],
  ['LECTERN_HTTP', 'localhost:99999'],
  ['LECTERN_GRPC', 'a b:1'],
  ['LECTERN_ROLE', 'boss'],
  ['LECTERN_ADMIN_KEY', 'short'],
  ['LECTERN_SECRET', 'c2hvcnQ='],
  ['LECTERN_PUBLIC_URL', 'ftp://example.org'],
  ['LECTERN_TRUST_PROXY', '10.0.0.0/33'],
  ['LECTERN_TRUST_PROXY', '10.0.0.0/'],
  ['LECTERN_TRUST_PROXY', '10.0.0.0/-1'],
  ['LECTERN_TRUST_PROXY', '10.0.0.0,'],
  ['LECTERN_PAGE_LIMIT', '0'],
  ['LECTERN_ADDRESS_LIMIT', '0'],
  ['LECTERN_UPLOAD_LIMIT', '5 GB'],
  ['LECTERN_CRAWL_ALLOW', '10.0.0.0/99'],
  ['LECTERN_LOG', 'loud'],
  ['LECTERN_LEGACY_CHATS', 'yes'],
]

test.each(bad)('%s=%s stops the start with one line that names the variable', (name, value) => {
  const start = () => readConfig({ [name]: value })
  expect(start).toThrow(ConfigError)
  expect(start).toThrow(new RegExp(`^${name}: [^\n]+$`))
})

test('does not print an invalid secret', () => {
  expect(() => readConfig({ LECTERN_ADMIN_KEY: 'hunter2' })).not.toThrow(/hunter2/)
})
