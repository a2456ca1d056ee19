// Fetches a description and the files that it is made of, as reading it asks for them.
import type { DescriptionFile, Missing } from './read-description.ts'

/** Files that refer to files, one after the other. */
const maxDepth = 10
/** Bytes of all of them. */
export const maxBytes = 20 * 1024 * 1024

/** Reads one file of at most so many bytes; a fault is a sentence. */
export type FetchFile = (url: string, maxBytes: number) => Promise<DescriptionFile>

type Shown = Extract<Missing, { kind: 'shown' }>

/** What a description is read as. */
export type Loaded<Result> = { result: Result } | { unreadable: string }

/** `first`: the description, or the page that shows it. */
export async function loadFiles<Result extends { kind: string }>(
  first: DescriptionFile,
  fetchFile: FetchFile,
  read: (files: DescriptionFile[], shown: Shown | null) => Promise<Result | Missing>,
): Promise<Loaded<Exclude<Result, Missing>>> {
  let shown: Shown | null = null
  let files = [first]
  for (let round = 0; ; round++) {
    const answer = await read(files, shown)
    if (isUnreadable(answer)) return { unreadable: answer.message }
    if (isShown(answer)) {
      if (shown !== null) return { unreadable: 'It is a page, which shows another page.' }
      shown = answer
      files = [await fetchFile(answer.url, maxBytes)]
    } else if (isWanted(answer)) {
      if (round > maxDepth) return { unreadable: `It refers to files more than ${maxDepth} deep.` }
      files = [...files, ...(await fetchAll(answer.urls, lengthOf(files), fetchFile))]
    } else return { result: answer as Exclude<Result, Missing> }
  }
}

/** Those beyond what may be read have a fault, so that what refers to them is told of. */
async function fetchAll(urls: string[], length: number, fetchFile: FetchFile): Promise<DescriptionFile[]> {
  const found: DescriptionFile[] = []
  for (const url of urls) {
    const left = maxBytes - length - lengthOf(found)
    found.push(left > 0 ? await fetchFile(url, left) : { url, fault: tooLarge })
  }
  return found
}

const tooLarge = `The description has more than ${maxBytes / 1024 / 1024} MB with the files that it refers to.`

function lengthOf(files: DescriptionFile[]): number {
  return files.reduce((length, file) => length + ('body' in file ? file.body.length : 0), 0)
}

const isUnreadable = (answer: { kind: string }): answer is Extract<Missing, { kind: 'unreadable' }> =>
  answer.kind === 'unreadable'
const isShown = (answer: { kind: string }): answer is Shown => answer.kind === 'shown'
const isWanted = (answer: { kind: string }): answer is Extract<Missing, { kind: 'wanted' }> =>
  answer.kind === 'wanted'
