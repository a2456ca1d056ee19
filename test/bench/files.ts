// Sources of files: a repository of Markdown read from Git's own server, twice, and an uploaded PDF of many pages.
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../e2e/browser.ts'
import { type GitServer, openGitServer } from '../git/git-server.ts'
import { file, sendForm } from '../uploads/form-client.ts'
import type { BenchOptions } from './bench-options.ts'
import { type CorpusPart, createCorpus } from './corpus/corpus.ts'
import { readSections } from './corpus/sections.ts'
import { addProject, openLectern, sync } from './lectern.ts'
import { type Table, toTarget } from './report.ts'
import { largeManuals } from './site/manuals.ts'
import { medianRow } from './statistics.ts'

const markdownFiles = 2_000
const sectionsPerFile = 10
const pdfPages = 300
/** Letters that fill a page of paper. */
const lettersPerPdfPage = 3_000

/** Sections of real manuals, one after the other. */
function createSections(): (count: number) => CorpusPart[] {
  const corpus = createCorpus(largeManuals.flatMap((manual) => readSections(manual)))
  let taken = 0
  return (count) => Array.from({ length: count }, () => corpus.section(taken++))
}

export async function measureRepository({ rounds }: BenchOptions): Promise<Table[]> {
  const take = createSections()
  const git = await openGitServer()
  try {
    await git.commit(
      Object.fromEntries(
        Array.from({ length: markdownFiles }, (_, at) => [
          `docs/${Math.floor(at / 50)}/${at}.md`,
          `# File ${at}\n\n${take(sectionsPerFile)
            .map(({ heading, text }) => `## ${heading}\n\n${text}\n`)
            .join('\n')}`,
        ]),
      ),
    )
    const runs = []
    for (let round = 0; round < rounds; round++) runs.push(await syncRepository(git))
    const figures = medianRow(runs)
    return [
      { title: `A repository of ${markdownFiles} Markdown files`, rows: [figures] },
      {
        title: 'A repository: targets',
        rows: [
          toTarget('first sync, seconds', figures['first s'], '≤', 30),
          toTarget('unchanged second sync, seconds', figures['second s'], '≤', 2),
          toTarget('peak of memory, MB', figures['peak MB'], '≤', 700),
        ],
      },
    ]
  } finally {
    await git.close()
  }
}

async function syncRepository(git: GitServer) {
  const certificate = fileURLToPath(new URL('../loopback/docs-test.pem', import.meta.url))
  const lectern = await openLectern({ env: { NODE_EXTRA_CA_CERTS: certificate } })
  try {
    await addProject(lectern, 'bench', {
      type: 'repository',
      url: git.url.replace('docs.test', 'localhost'),
    })
    const first = await sync(lectern, 'bench')
    const second = await sync(lectern, 'bench')
    if (first.run.pages.added !== markdownFiles || second.run.pages.unchanged !== markdownFiles)
      throw new Error(`not all files were read: ${JSON.stringify([first.run.pages, second.run.pages])}`)
    return {
      'first s': first.seconds,
      'first CPU s': first.cpu,
      'second s': second.seconds,
      'second CPU s': second.cpu,
      'peak MB': second.peak,
    }
  } finally {
    await lectern.remove()
  }
}

export async function measurePdf({ rounds }: BenchOptions): Promise<Table[]> {
  const pdf = await printPdf()
  const runs = []
  for (let round = 0; round < rounds; round++) runs.push(await syncPdf(pdf))
  const figures = medianRow(runs)
  const seconds = figures['upload s'] + figures['sync s']
  return [
    { title: `A PDF of ${pdfPages} pages`, rows: [{ MB: pdf.length / 2 ** 20, ...figures }] },
    {
      title: 'A PDF: targets',
      rows: [
        toTarget('upload and sync, seconds', seconds, '≤', 10),
        toTarget('peak of memory, MB', figures['peak MB'], '≤', 700),
      ],
    },
  ]
}

/** By Chromium, a page of paper for some sections each. */
async function printPdf(): Promise<Buffer> {
  const take = createSections()
  const pages = Array.from({ length: pdfPages }, (_, at) => {
    let html = `<h1>Chapter ${at + 1}</h1>`
    while (html.length < lettersPerPdfPage) {
      const [{ heading, text }] = take(1) as [CorpusPart]
      html += `<h2>${toHtml(heading)}</h2><p>${toHtml(text.slice(0, lettersPerPdfPage - html.length))}</p>`
    }
    return `<section>${html}</section>`
  })
  const style =
    'section { break-after: page; height: 250mm; overflow: hidden } section:last-child { break-after: auto }'
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await page.setContent(`<title>The manual</title><style>${style}</style>${pages.join('')}`)
    const pdf = await page.pdf({ format: 'A4' })
    const count = pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length
    if (count !== pdfPages) throw new Error(`the PDF has ${count} pages`)
    return pdf
  } finally {
    await browser.close()
  }
}

const toHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

async function syncPdf(pdf: Buffer) {
  const lectern = await openLectern()
  try {
    await lectern.call('POST', '/api/v2/projects/', { name: 'bench', slug: 'bench' })
    const begun = performance.now()
    const sent = await sendForm(lectern.baseUrl, '/api/v2/projects/bench/sources/', [
      ['files[]', file('manual.pdf', pdf)],
    ])
    const upload = (performance.now() - begun) / 1000
    if (sent.status !== 201) throw new Error(`the PDF was not taken: ${JSON.stringify(sent.body)}`)
    const { run, seconds, cpu, peak } = await sync(lectern, 'bench')
    if (run.pages.added !== 1) throw new Error(`the PDF was not read: ${JSON.stringify(run.pages)}`)
    return { 'upload s': upload, 'sync s': seconds, 'sync CPU s': cpu, 'peak MB': peak }
  } finally {
    await lectern.remove()
  }
}
