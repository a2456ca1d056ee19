// The bare loop: eight keep-alive connections that fetch, read title and links, and do nothing else.
// Arguments: start address, prefix of relevant addresses.
import { Parser } from 'htmlparser2'
import { Pool } from 'undici'

const [start, prefix] = process.argv.slice(2) as [string, string]
const pool = new Pool(new URL(start).origin, { connections: 8 })
const seen = new Set([start])
const todo = [start]
let pages = 0
let titles = 0

async function work(): Promise<void> {
  for (let url = todo.pop(); url !== undefined; url = todo.pop()) {
    const { body } = await pool.request({ path: new URL(url).pathname, method: 'GET' })
    read(await body.text(), url)
    pages += 1
    spread()
  }
}

function read(html: string, base: string): void {
  let title: string | null = null
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'title') title ??= ''
      if (name === 'a' && attributes.href !== undefined) follow(attributes.href, base)
    },
    ontext(text) {
      if (title !== null) title += text
    },
    onclosetag(name) {
      if (name !== 'title' || title === null) return
      titles += 1
      title = null
    },
  })
  parser.end(html)
}

function follow(href: string, base: string): void {
  if (href.startsWith('#') || !URL.canParse(href, base)) return
  const url = new URL(href, base)
  url.hash = ''
  if (!url.href.startsWith(prefix) || !url.pathname.endsWith('.html') || seen.has(url.href)) return
  seen.add(url.href)
  todo.push(url.href)
}

/** A worker ends when no work is left; each page may add work for all eight again. */
const workers = new Set<Promise<void>>()
function spread(): void {
  while (workers.size < 8 && workers.size < todo.length + 1) {
    const worker: Promise<void> = work().finally(() => workers.delete(worker))
    workers.add(worker)
  }
}

spread()
while (workers.size > 0) await Promise.all(workers)
await pool.close()
console.log(JSON.stringify({ pages, titles }))
