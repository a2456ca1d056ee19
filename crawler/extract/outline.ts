// Builds a page's sections from the headings, definitions, blocks and text that a walk reports in reading order.
import {
  type Block,
  groupNames,
  isText,
  type Limits,
  limitPath,
  maxNames,
  maxTwins,
  type Section,
  type SectionName,
} from './page.ts'
import { nameOfSignature, seenText, withoutEnd } from './visible.ts'

/** Target of text: a new paragraph, the line of the open list, or the open table cell. */
type Flow = 'paragraph' | 'list' | 'cell'

interface Level {
  level: number
  heading: string
}

/** Marks both ends of inline code until the outline is finished. Pages never contain this character. */
const mark = '\0'

/** Collapses any white space to one space. */
export function collapse(text: string): string {
  // Fast: single spaces, by far the most common, match neither branch.
  return text.replace(/[^\S ]\s*| \s+/g, ' ').trim()
}

/** State that is reset for a definition, and restored after it. `current`: the open section. */
const createState = (current: Section) => ({
  current,
  levels: [] as Level[],
  /** Levels below this one belong to the page around the open definition. */
  floor: 0,
  /** Characters of link text in the next block, line or row. */
  linked: 0,
  /** `isFresh`: the open line or row has no text yet. `isPointer`: it starts with a link, so all of it counts as link text. */
  isFresh: true,
  isPointer: false,
  flow: 'paragraph' as Flow,
  /** Separator before the next text of the open list: start of a line, of another term or of a description, or a space. */
  glue: '\n- ' as '\n- ' | ', ' | ': ' | ' ',
  /** The list or table to which the next line is added. */
  group: null as Block | null,
  /** The end of its text. Reading it from the growing text would copy the text each time. */
  groupEnd: '',
  cell: '',
  row: [] as string[],
})

export type Outline = ReturnType<typeof createOutline>

/** `isTitle`: whether a heading is the page's title, which is omitted in the paths below it. */
export function createOutline(limits: Limits, isTitle: (level: number, heading: string) => boolean) {
  const sections: Section[] = []
  let state = createState(open('heading', [{ heading: '', anchor: null }], []))
  let pending = ''
  let written = 0

  function open(
    kind: Section['kind'],
    [{ heading, anchor }, ...others]: [SectionName, ...SectionName[]],
    path: string[],
  ): Section {
    const also = others.map((name) => ({ ...name, anchor: limits.anchor(name.anchor) }))
    const section: Section = {
      kind,
      anchor: limits.anchor(anchor),
      heading,
      ...(also.length > 0 && { also }),
      path: limitPath(path),
      blocks: [],
    }
    sections.push(section)
    return section
  }

  function push(kind: Block['kind'], text: string): Block {
    const block: Block = { kind, text }
    state.current.blocks.push(block)
    if (kind === 'paragraph') noteLinks(block, state.linked)
    written++
    return block
  }

  /** The group, if it is still the last block. */
  const openGroup = () => (state.current.blocks.at(-1) === state.group ? state.group : null)

  function noteLinks(block: Block, more: number): void {
    if (more > 0) block.linked = Math.min((block.linked ?? 0) + more, block.text.length)
    state.linked = 0
  }

  function continueGroup(kind: 'list' | 'table', joined: string, first: string): void {
    const last = openGroup()
    if (last?.kind === kind) last.text += joined
    else state.group = push(kind, first)
    noteLinks(state.group!, state.isPointer ? joined.replaceAll(mark, '').length : state.linked)
    state.groupEnd = joined
    written++
  }

  /** Ends the running text. Further text is a new paragraph, or continues the open line or cell. */
  function endText(): void {
    if (pending === '') return
    const text = collapse(pending)
    pending = ''
    if (text === '') return
    if (state.flow === 'cell') state.cell += state.cell === '' ? text : ` ${text}`
    else if (state.flow === 'paragraph') push('paragraph', text)
    else {
      // Code inside an item closes the list's block: further text is the item's next paragraph.
      if (state.glue !== '\n- ' && openGroup() === null) push('paragraph', text)
      else continueGroup('list', state.glue + text, `- ${text}`)
      state.glue = ' '
    }
  }

  /** Adds a heading, or a paragraph if it is too long for one. */
  function heading(level: number, whole: string, anchor: string | null): void {
    endText()
    if (isText(whole)) {
      push('paragraph', whole)
      return
    }
    const text = withoutEnd(whole)
    while (state.levels.length > state.floor && state.levels[state.levels.length - 1]!.level >= level)
      state.levels.pop()
    const path = state.levels.map((above) => above.heading)
    state.current = open('heading', [{ heading: text, anchor }], path)
    state.group = null
    // After a heading inside a list item, text becomes paragraphs, not items.
    state.glue = ' '
    written++
    if (state.floor > 0 || !isTitle(level, text)) state.levels.push({ level, heading: text })
    else if (sections.length === 2) sections[0]!.blocks = sections[0]!.blocks.filter(isNoNavigation)
  }

  /** Cuts a definition out of the section around it. `names`, at least one, share one body. */
  function definition(names: SectionName[], fill: () => void): void {
    endText()
    const outer = state
    const path = state.levels.map((above) => above.heading)
    const limited = names.map(({ heading, anchor }) => ({ heading: limits.signature(heading), anchor }))
    const opened = groupNames(limited).map((group) =>
      open('definition', group as [SectionName, ...SectionName[]], path),
    )
    const [current] = opened as [Section, ...Section[]]
    const levels = [...outer.levels, { level: 0, heading: current.heading }]
    state = { ...createState(current), levels, floor: levels.length }
    written++
    fill()
    endText()
    for (const twin of opened.slice(1, maxTwins)) twin.blocks = opened[0]!.blocks
    state = outer
  }

  /** Starts a new table or list instead of continuing the last one. */
  function startGroup(): void {
    endText()
    state.isFresh = true
    if (state.flow !== 'cell') state.group = null
  }

  return {
    /** Appends text of the source. White space is collapsed when the block ends. `isLink`: the text links to another page. */
    text(data: string, isLink = false) {
      pending += data
      if (state.isFresh && data.trim() !== '') {
        state.isFresh = false
        state.isPointer = isLink
      }
      if (isLink) state.linked += collapse(data).length
    },
    endText,
    /** Starts a line of a list, or another term in it, with the next text. */
    startItem(isFurtherTerm = false) {
      endText()
      state.isFresh = true
      state.glue = isFurtherTerm && state.glue === ' ' ? ', ' : '\n- '
    },
    /** Starts the description of the list line's term. */
    startDescription() {
      endText()
      if (state.glue === ' ' && (state.group === null || !/:\0?$/.test(state.groupEnd))) state.glue = ': '
    },
    /** Runs `fill` with `next` as target of text, then restores the target. */
    within(next: Flow, fill: () => void) {
      endText()
      const before = state.flow
      if (before !== 'cell') state.flow = next
      fill()
      endText()
      state.flow = before
    },
    /** Ends a cell of a table's row. */
    endCell() {
      endText()
      state.row.push(state.cell)
      state.cell = ''
    },
    /** Ends a row, one line of the open table. Outside of one, a row with text in one cell, such as a note in a box, is a paragraph. */
    endRow() {
      const cells = state.row
      const [text, ...others] = cells.filter((text) => text !== '')
      state.row = []
      if (text === undefined) return
      const line = cells.join(' | ').trim()
      if (others.length === 0 && openGroup()?.kind !== 'table') push('paragraph', text)
      else continueGroup('table', `\n${line}`, line)
      state.isFresh = true
    },
    isInCell: () => state.flow === 'cell',
    startGroup,
    /** Starts a list that is not in another one. */
    startList() {
      if (state.flow !== 'list') startGroup()
    },
    /** Begins or ends inline code. */
    mark() {
      pending += mark
    },
    code(text: string) {
      endText()
      if (text.trim() !== '') push('code', text)
    },
    /** Adds a separate paragraph, regardless of open blocks. */
    note(text: string) {
      endText()
      push('paragraph', text)
    },
    heading,
    definition,
    /** Number of blocks and headings so far. Changes when something is added. */
    count: () => written,
    finish(): Section[] {
      endText()
      for (const section of sections) {
        for (const name of [section, ...(section.also ?? [])]) name.heading = seenLine(name.heading)
        section.path = section.path.map(seenLine)
        for (const block of section.blocks) Object.assign(block, readMarks(seenBlock(block)))
        section.blocks = section.blocks.filter(({ text }) => text.trim() !== '')
      }
      return joinOverloads(sections.filter(({ heading, blocks }) => heading !== '' || blocks.length > 0))
    },
  }
}

/** Blocks above a page's title that are mostly links lead to other pages. */
const isNoNavigation = ({ text, linked = 0 }: Block): boolean => linked < 0.6 * text.length

/** seenText for one line. Collapses white space that removed characters leave. */
export function seenLine(text: string): string {
  const seen = seenText(text)
  return seen === text ? text : collapse(seen)
}

/** Removes the marks, and returns their positions. */
function readMarks(marked: string): Pick<Block, 'text' | 'code'> {
  if (!marked.includes(mark)) return { text: marked }
  let text = ''
  let last = ' '
  const code: number[] = []
  for (const [at, piece] of marked.split(mark).entries()) {
    const part = last === ' ' ? piece.replace(/^ +/, '') : piece
    const inner = part.trim()
    const begin = text.length + part.indexOf(inner)
    text += part
    if (at % 2 === 1 && inner !== '') code.push(begin, begin + inner.length)
    last = part.at(-1) ?? last
  }
  return { text: text.trimEnd(), ...(code.length > 0 && { code }) }
}

/** The same line by line, without items and rows that become empty. Code is verbatim. */
function seenBlock({ kind, text }: Block): string {
  const seen = seenText(text)
  if (seen === text || kind === 'code') return seen
  const lines = seen.split('\n').map(collapse)
  return lines.filter((line) => line !== '' && line !== '-').join('\n')
}

/**
 * Joins consecutive definitions of the same name into one, up to the maximum of names. The text of each follows its
 * signature.
 *
 *   `connect(host)` "Opens …", `connect(host, port)` "The same at …" → `connect(host)`, also `connect(host, port)`:
 *   "Opens …", "connect(host, port)", "The same at …"
 */
function joinOverloads(sections: Section[]): Section[] {
  const joined: Section[] = []
  let lastName = ''
  for (const section of sections) {
    const last = joined.at(-1)
    const isCall = section.kind === 'definition' && section.heading.includes('(')
    const name = isCall ? nameOfSignature(section.heading) : ''
    const isOverload = last && name !== '' && name === lastName && isSamePlace(last, section)
    if (isOverload && countNames(last) + countNames(section) <= maxNames) {
      const { heading, anchor, also = [], blocks } = section
      last.also = [...(last.also ?? []), { heading, anchor }, ...also]
      const signature: Block[] = blocks.length > 0 ? [{ kind: 'code', text: heading }] : []
      last.blocks = [...last.blocks, ...signature, ...blocks]
    } else joined.push(section)
    lastName = name
  }
  return joined
}

const countNames = ({ also = [] }: Section): number => 1 + also.length

function isSamePlace(one: Section, other: Section): boolean {
  return (
    one.kind === other.kind &&
    one.path.length === other.path.length &&
    one.path.every((name, at) => name === other.path[at])
  )
}
