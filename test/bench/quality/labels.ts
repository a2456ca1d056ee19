// Terms and the pages that a manual's own index names for them: Sphinx's objects.inv and genindex, DocBook's bookindex.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { type AnyNode, Element, isTag, isText } from 'domhandler'
import { parseDocument } from 'htmlparser2'
import type { Manual } from '../site/manuals.ts'

/** Term → paths of pages. Terms are in the form that a reader types, compared without case. */
export type Labels = Map<string, { term: string; pages: Set<string> }>

export function readLabels(manual: Manual): Labels {
  const labels: Labels = new Map()
  const add = (term: string, page: string) => {
    const known = labels.get(term.toLowerCase()) ?? { term, pages: new Set() }
    labels.set(term.toLowerCase(), { ...known, pages: known.pages.add(page) })
  }
  if (manual.name === 'python') {
    readInventory(readFileSync(join(manual.root, 'objects.inv')), add)
    readIndex(join(manual.root, 'genindex-all.html'), 'li', add)
  } else {
    readIndex(join(manual.root, 'bookindex.html'), 'dt', add)
  }
  return labels
}

/** Names that no reader types: a C function's parameters, symbols of the grammar. */
const unspokenRoles = new Set(['c:functionParam', 'std:token'])

/** objects.inv, version 2: four lines of text, then zlib: `{name} {domain:role} {priority} {uri} {shown name}`. */
function readInventory(file: Buffer, add: (term: string, page: string) => void): void {
  let at = 0
  for (let line = 0; line < 4; line++) at = file.indexOf(10, at) + 1
  for (const line of inflateSync(file.subarray(at)).toString().split('\n')) {
    const match = /^(.+?) (\S+:\S+) -?\d+ (\S*?)(?:#\S*)? (.*)$/.exec(line)
    if (!match) continue
    const [, name, role, page, shown] = match as unknown as [string, string, string, string, string]
    if (unspokenRoles.has(role)) continue
    // Labels and pages are headings under generated names; the heading itself is the term.
    if (role === 'std:label' || role === 'std:doc') add(shown === '-' ? name : shown, page)
    else add(name, page)
  }
}

/**
 * Entries of a printed index. A Sphinx entry is `li > a`, a DocBook entry `dt`, whose text up to the comma is the term;
 * entries that name their object in brackets are already in objects.inv, with their full names.
 */
function readIndex(file: string, element: 'li' | 'dt', add: (term: string, page: string) => void): void {
  const visit = (node: AnyNode): void => {
    if (!('children' in node)) return
    if (node instanceof Element && node.name === element) {
      const links = node.children.filter((child): child is Element => isTag(child) && child.name === 'a')
      const own =
        element === 'li' ? toText(links[0]) : toText(node.children.find(isTermNode)).replace(/,\s*$/, '')
      const term = own.replace(/\s+/g, ' ').trim()
      if (/[\p{L}\p{N}]/u.test(term) && !/[()[\]]/.test(term) && !isNested(node)) {
        for (const link of links) {
          const page = link.attribs.href?.split('#')[0]
          if (page?.endsWith('.html')) add(term, page)
        }
      }
    }
    for (const child of node.children) visit(child as AnyNode)
  }
  visit(parseDocument(readFileSync(file, 'utf8')))
}

function isTermNode(node: AnyNode): boolean {
  return isText(node) || (isTag(node) && node.name !== 'a')
}

/** An entry below another is meaningless without it. */
function isNested(node: Element): boolean {
  const list = node.parent
  return list instanceof Element && list.parent instanceof Element && ['li', 'dd'].includes(list.parent.name)
}

function toText(node: AnyNode | undefined): string {
  if (node === undefined) return ''
  if (isText(node)) return node.data
  return 'children' in node ? node.children.map((child) => toText(child as AnyNode)).join('') : ''
}
