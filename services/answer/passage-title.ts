// What a passage is called where a reader sees it: as a source, and in an answer.
import type { ModelPassage } from '../model/model.ts'
import type { Passage } from '../search/passage.ts'

/** Headings that say nothing without their page's title. */
const general =
  /^(?:description|synopsis|parameters|arguments|options|examples?|notes?|usage|overview|introduction|details|remarks|see also|compatibility|outputs?|returns?|return values?|summary|basics|background|history|author|faq|installation|configuration|limitations|requirements|functions|methods|attributes|general|changes|reference)$/iu

/** Labelled from 1 in their order. */
export function toModelPassages(passages: Passage[]): ModelPassage[] {
  return passages.map((passage, at) => ({
    label: at + 1,
    title: titleOf(passage),
    url: passage.url,
    text: passage.text,
  }))
}

/** The section's heading, behind the page's title where it says nothing alone: `REINDEX: Examples`. */
export function titleOf({ title, pageTitle }: Pick<Passage, 'title' | 'pageTitle'>): string {
  return general.test(title) && pageTitle !== title ? `${pageTitle}: ${title}` : title
}

const longest = 70
const kinds =
  'async|awaitable|abstract|generator|class|classmethod|static|staticmethod|exception|coroutine|function|type|method|property|final|abstractmethod'
/** `class Popen(args, …)`, `PyObject *PyList_New(Py_ssize_t len)`, `lower ( text ) → text`, `exception KeyError`. */
const signatures = [
  new RegExp(`^(?:(?:${kinds}) )*(?<call>@?[\\p{L}_$][\\p{L}\\p{N}_$.:~]*)\\(.*\\)[^()]*$`, 'su'),
  /^(?:\p{L}[\p{L}\p{N}_]*[ *]+){1,4}(?<call>\p{L}[\p{L}\p{N}]*_[\p{L}\p{N}_]*)\(.*\)$/su,
  /^(?<call>\p{L}[\p{L}\p{N}_]*) \(.*\) →/su,
  new RegExp(`^(?:(?:${kinds}) )+(?<name>[\\p{L}_$][\\p{L}\\p{N}_$.:~]*)$`, 'su'),
]

/** The name that a signature defines, with brackets where it is called; null for any other title. */
export function definedName(title: string): string | null {
  const line = title.split('\n')[0]!.trim()
  for (const signature of signatures) {
    const found = signature.exec(line)?.groups
    if (found) return found.call ? `${found.call}()` : found.name!
  }
  return null
}

/** A signature by its name: `class Popen(args, …)` → `Popen()`. Any other title at most 70 characters long. */
export function shortTitle(title: string): string {
  const name = title.split('\n')[0]!.trim()
  const defined = definedName(name)
  if (defined !== null || name.length <= longest) return defined ?? name
  const space = name.lastIndexOf(' ', longest)
  return `${name.slice(0, space > 0 ? space : longest)}…`
}
