// Reads storage format: XHTML with elements of Confluence's own (ac:, ri:), CDATA and the entities of HTML, without a root.
import { decodeHTML } from 'entities'
import { SaxesParser } from 'saxes'

export interface StorageElement {
  name: string
  attributes: Record<string, string>
  children: StorageNode[]
}

export type StorageNode = StorageElement | string

/** Deeper elements are read as children of this depth. */
const maxDepth = 200

/** The entities of HTML; a document cannot declare its own. */
const htmlEntities: Record<string, string> = new Proxy(Object.create(null), {
  get(_, name) {
    const entity = `&${String(name)};`
    const text = decodeHTML(entity)
    return text === entity ? undefined : text
  },
})

/** Takes any text; what is no XML is passed over. */
export function readStorage(storage: string): StorageElement {
  const root: StorageElement = { name: 'root', attributes: {}, children: [] }
  const open = [root]
  const top = () => open[Math.min(open.length, maxDepth) - 1] as StorageElement
  const parser = new SaxesParser()
  parser.ENTITIES = htmlEntities
  parser.on('error', () => {})
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, children: [] }
    top().children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => {
    if (open.length > 1) open.pop()
  })
  parser.on('text', (text) => top().children.push(text))
  parser.on('cdata', (text) => top().children.push(text))
  parser.write('<root>').write(storage).write('</root>').close()
  return root
}

export const isElement = (node: StorageNode): node is StorageElement => typeof node !== 'string'

export function findChild(element: StorageElement, ...names: string[]): StorageElement | undefined {
  return element.children.filter(isElement).find(({ name }) => names.includes(name))
}

export function readText(node: StorageNode): string {
  return isElement(node) ? node.children.map(readText).join('') : node
}

/** The value of a macro's parameter; empty without it. */
export function readParameter(macro: StorageElement, parameter: string): string {
  const found = macro.children
    .filter(isElement)
    .find(({ name, attributes }) => name === 'ac:parameter' && (attributes['ac:name'] ?? '') === parameter)
  return found === undefined ? '' : readText(found).trim()
}
