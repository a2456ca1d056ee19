// Work for hosted sites in the parse threads: reads the directory of an archive, unpacks its pages, and parses each as a web page.
import { BadFile } from '../file/formats.ts'
import { openZip, unpackEntry, type ZipEntry } from '../file/zip.ts'
import type { SourceParser } from '../source-type.ts'
import { webParser } from '../web/web-parser.ts'

const limits = {
  maxEntries: 20_000,
  /** Large, because it also applies to videos and fonts, which are not read. */
  maxEntry: 250 * 1024 * 1024,
  maxTotal: 2 * 1024 * 1024 * 1024,
}

/** `name`: relative to the folder that all files share. */
export type ArchivedPage = ZipEntry & { contentType: string }

export const hostedSiteParser: SourceParser = {
  parse: webParser.parse,
  tasks: { pages: readPages, unpack: unpackEntry },
}

/** `tail`: the end of an archive of `size` bytes. */
async function readPages(tail: Uint8Array, size: number): Promise<ArchivedPage[]> {
  const pages = toPages(await openZip(tail, limits, size))
  if (pages.some(({ contentType }) => contentType === 'text/html')) return pages
  throw new BadFile('holds no HTML page')
}

/** Content types by extension, as web servers have them. */
const contentTypes: [RegExp, string][] = [
  [/\.x?html?$/i, 'text/html'],
  [/\.(?:md|markdown)$/i, 'text/markdown'],
  [/\.txt$/i, 'text/plain'],
]

/** The pages, and text files that they may link to. */
function toPages(files: Map<string, ZipEntry>): ArchivedPage[] {
  const names = [...files.keys()].filter((name) => !/(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/.test(name))
  const root = commonFolder(names).length
  return names.flatMap((name) => {
    const contentType = contentTypes.find(([ending]) => ending.test(name))?.[1]
    return contentType === undefined ? [] : { ...files.get(name)!, name: name.slice(root), contentType }
  })
}

/** The folder that all names share, with a trailing slash, or ''. */
function commonFolder([first = '', ...others]: string[]): string {
  let folder = first.slice(0, first.lastIndexOf('/') + 1)
  for (const name of others)
    while (!name.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
  return folder
}
