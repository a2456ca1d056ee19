// Everything that reads text of a site or a reader by patterns; linear.test.ts feeds it with hostile texts.
import { decodeHtml } from '../../crawler/extract/charset.ts'
import { extract } from '../../crawler/extract/extract.ts'
import { isAllowed, readRobotsFile, readRobotsTag } from '../../crawler/robots.ts'
import { readSitemapFile } from '../../crawler/sitemap-file.ts'
import { normalizeUrl } from '../../crawler/url.ts'
import { checkAnswer } from '../../services/answer/check-answer.ts'
import { createJudge, findQuote, readEvidence } from '../../services/answer/citation-check.ts'
import { toSentences } from '../../services/answer/sentences.ts'
import { toChunks } from '../../services/document/parts.ts'
import { analyzeJoined } from '../../services/index/analyze.ts'
import { toUnitTexts } from '../../services/index/unit-texts.ts'
import { readVariant, toEmbeddedTexts } from '../../services/index/units.ts'
import { readPassageText, toInline, toPassageText } from '../../services/search/passage.ts'
import { toFragment } from '../../services/search/present.ts'
import type { Group } from '../../services/search/understand.ts'
import { namesOfUnit, toLookup, wordsOfUnit } from '../../services/search/unit-match.ts'
import { parsePage } from '../../workflows/parse/parse-page.ts'
import { readLanguages } from '../read-languages.ts'

export type Reader = (text: string) => unknown

const url = 'https://docs.example.org/a/b.html'
const page = { uuid: 'u', version: 1, url, sourceType: 'site' as const }
const unit = {
  kind: 'definition',
  url,
  anchor: 'a.b',
  pageTitle: 'T',
  path: [],
  heading: 'H',
  text: '',
} as never as Parameters<typeof namesOfUnit>[0]

/** A query of words that occur in the texts. */
const lookup = toLookup(
  ['a', 'b', '1', 'x'].map((word) => ({ alternatives: new Map([[word, 1]]) })) as Group[],
)

/** Escaped for an attribute. */
const quoted = (text: string) => text.replaceAll('"', '')

function parse(body: string, contentType: string) {
  return parsePage({ page, body: Buffer.from(body), contentType, knownHash: null })
}

export const readers: Record<string, Reader> = {
  'HTML as it comes': (text) => extract(text, url),
  'the head of a page': (text) => {
    const content = quoted(text)
    extract(
      `<html lang="${content}"><title>${text}</title><meta name=robots content="${content}"><meta name=keywords content="${content}">
       <meta name=version content="${content}"><link rel="${content}" href="${content}"><base href="${content}">`,
      url,
    )
  },
  'generators and their labels': (text) => {
    for (const generator of ['DocBook XSL', 'makeinfo', 'Sphinx', quoted(text)])
      extract(
        `<meta name=generator content="${generator}"><title>${text} — ${text}</title><h1>${text}</h1>`,
        url,
      )
  },
  'attributes of elements': (text) => {
    const value = quoted(text)
    extract(
      `<p class="${value}" id="${value}" style="${value};display:none"><dl class="${value}"><a href="${value}">x`,
      url,
    )
  },
  'a page with a heading': (text) => parse(`<h1>${text}</h1><p>${text}`, 'text/html'),
  // White space at the start of a heading is removed before it is read.
  Markdown: (text) => parse(`# x${text}`, 'text/markdown'),
  'plain text': (text) => parse(text, 'text/plain'),
  'headers of an answer': (text) => {
    decodeHtml(new Uint8Array(), text)
    parse('x', text)
    readRobotsTag(text)
  },
  'robots.txt': (text) => {
    for (const file of [text, `user-agent: ${text}`, `user-agent: *\nallow: ${text}\ndisallow: /*${text}`])
      isAllowed(readRobotsFile(Buffer.from(file)).rules, `/${'a'.repeat(1_900)}`)
  },
  'a sitemap': (text) => {
    readSitemapFile(Buffer.from(text), url)
    readSitemapFile(Buffer.from(`<urlset><url><loc>${text}</loc></url></urlset>`), url)
  },
  'a charset in a page': (text) => decodeHtml(Buffer.from(text), null),
  'an address': (text) => {
    normalizeUrl(text, url)
    normalizeUrl(`${url}?${text}`)
    readVariant(`${url}/${text}`)
  },
  'the terms of a text': analyzeJoined,
  // Words end, and a pattern can backtrack only within one of them.
  'the terms of long words': (text) => analyzeJoined(text.replaceAll(/.{900}/gsu, '$& x')),
  // A search for one character is so fast that it takes a whole page to measure.
  'the units of a text': (text) => toUnitTexts([{ kind: 'paragraph', text: text.repeat(32) }]),
  'the text of a passage': (text) => {
    readPassageText(text)
    toInline(text)
    toPassageText({ text, code: [0, text.length] })
    toEmbeddedTexts({ ...unit, text, heading: text })
  },
  'the chunks of a document': (text) =>
    toChunks([
      {
        kind: 'heading',
        anchor: null,
        heading: 'H',
        path: [],
        blocks: [
          { kind: 'code', text },
          { kind: 'paragraph', text },
        ],
      },
    ]),
  'the fragment of a text': (text) => toFragment({ ...unit, text }, lookup),
  'the sentences of an answer': toSentences,
  'the quotations of an answer': (text) => {
    findQuote({ text }, text.slice(0, 1_000))
  },
  'a claim and its passage': (text) =>
    readEvidence(
      [{ claim: { kind: 'prose', text: text.slice(0, 2_000) }, passage: { title: text, text } }],
      readLanguages,
    ),
  'the citations of an answer': (text) =>
    checkAnswer(
      `${text} [1] ${text.slice(0, 1_000)} [1]. [1]`,
      [{ label: 1, title: 't', url, score: 1, text }],
      new Map(),
      createJudge(null, null, readLanguages),
      new AbortController().signal,
    ),
  'the names and words of a unit': (text) => {
    namesOfUnit({ ...unit, heading: text, pageTitle: text })
    wordsOfUnit({ ...unit, text })
  },
}
