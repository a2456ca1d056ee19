// What the contract's comments say of messages, fields and RPCs. Descriptors carry no comments at run time, so they
// are read from the .proto files, which buf format keeps one declaration a line.
import { readdirSync, readFileSync } from 'node:fs'

/** Full name (`lectern.v1.Project.slug`, `lectern.v1.ProjectService.GetProject`) → its comment, without line ends. */
export type Comments = ReadonlyMap<string, string>

const folder = new URL('../../proto/lectern/v1/', import.meta.url)
const packageName = 'lectern.v1'

const opening = /^(?:message|enum|service|oneof) (\w+) \{/
const member = /^(?:rpc (\w+)|(?:repeated |optional )?[\w.<>, ]+? (\w+) = \d+|([A-Z][A-Z0-9_]*) = \d+)/

/** Reads the comments of the whole contract. Throws where its files are missing. */
export function readContractComments(): Comments {
  const comments = new Map<string, string>()
  for (const file of readdirSync(folder)) {
    for (const [name, comment] of readComments(readFileSync(new URL(file, folder), 'utf8'))) {
      comments.set(`${packageName}.${name}`, comment)
    }
  }
  return comments
}

/**
 * Reads the comments of one file.
 *
 *   // A page.
 *   message Page {
 *     // Its title.            →   Page: "A page.", Page.title: "Its title."
 *     string title = 1 [
 *       (a).b = {c: 1}
 *     ];
 *   }
 */
export function readComments(text: string): [string, string][] {
  const found: [string, string][] = []
  const names: string[] = []
  let depth = 0
  let comment: string[] = []
  for (const line of text.split('\n').map((each) => each.trim())) {
    const said = /^\/\/ ?(.*)$/.exec(line)?.[1]
    if (said !== undefined) {
      comment.push(said)
      continue
    }
    const opened = opening.exec(line)?.[1]
    const declared =
      depth === names.length ? (opened ?? member.exec(line)?.slice(1).find(Boolean)) : undefined
    if (declared && comment.length > 0) found.push([[...names, declared].join('.'), comment.join(' ')])
    comment = []
    if (opened && depth === names.length) names.push(opened)
    depth += balance(line)
    names.length = Math.min(names.length, Math.max(depth, 0))
  }
  return found
}

/** Braces and brackets that the line opens and does not close; those within quotes do not count. */
function balance(line: string): number {
  const bare = line.replace(/"(\\.|[^"\\])*"/g, '')
  return (bare.match(/[{[]/g)?.length ?? 0) - (bare.match(/[}\]]/g)?.length ?? 0)
}
