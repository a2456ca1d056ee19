// Words that carry a question rather than its subject: the lists of the package `@orama/stopwords`, one a language.
import { stopwords as arabic } from '@orama/stopwords/arabic'
import { stopwords as armenian } from '@orama/stopwords/armenian'
import { stopwords as bulgarian } from '@orama/stopwords/bulgarian'
import { stopwords as danish } from '@orama/stopwords/danish'
import { stopwords as dutch } from '@orama/stopwords/dutch'
import { stopwords as english } from '@orama/stopwords/english'
import { stopwords as finnish } from '@orama/stopwords/finnish'
import { stopwords as french } from '@orama/stopwords/french'
import { stopwords as german } from '@orama/stopwords/german'
import { stopwords as greek } from '@orama/stopwords/greek'
import { stopwords as hungarian } from '@orama/stopwords/hungarian'
import { stopwords as indian } from '@orama/stopwords/indian'
import { stopwords as indonesian } from '@orama/stopwords/indonesian'
import { stopwords as irish } from '@orama/stopwords/irish'
import { stopwords as italian } from '@orama/stopwords/italian'
import { stopwords as japanese } from '@orama/stopwords/japanese'
import { stopwords as lithuanian } from '@orama/stopwords/lithuanian'
import { stopwords as mandarin } from '@orama/stopwords/mandarin'
import { stopwords as nepali } from '@orama/stopwords/nepali'
import { stopwords as norwegian } from '@orama/stopwords/norwegian'
import { stopwords as portuguese } from '@orama/stopwords/portuguese'
import { stopwords as romanian } from '@orama/stopwords/romanian'
import { stopwords as russian } from '@orama/stopwords/russian'
import { stopwords as sanskrit } from '@orama/stopwords/sanskrit'
import { stopwords as serbian } from '@orama/stopwords/serbian'
import { stopwords as slovenian } from '@orama/stopwords/slovenian'
import { stopwords as spanish } from '@orama/stopwords/spanish'
import { stopwords as swedish } from '@orama/stopwords/swedish'
import { stopwords as tamil } from '@orama/stopwords/tamil'
import { stopwords as turkish } from '@orama/stopwords/turkish'
import { stopwords as ukrainian } from '@orama/stopwords/ukrainian'

const lists = [
  // The package leaves its shortest word out.
  [...english, 'a'],
  arabic,
  armenian,
  bulgarian,
  danish,
  dutch,
  finnish,
  french,
  german,
  greek,
  hungarian,
  indian,
  indonesian,
  irish,
  italian,
  japanese,
  lithuanian,
  mandarin,
  nepali,
  norwegian,
  portuguese,
  romanian,
  russian,
  sanskrit,
  serbian,
  slovenian,
  spanish,
  swedish,
  tamil,
  turkish,
  ukrainian,
].map((words): ReadonlySet<string> => new Set(words))

/** Enough to tell a language by. */
const maxWords = 100
/** Texts whose list is remembered; beyond, the memory starts anew. */
const maxRemembered = 100
const remembered = new Map<string, ReadonlySet<string>>()

/**
 * The stop words of the text's language: of the list that holds most of its words, English where none holds more.
 * `wie lese ich eine Datei` → the German list.
 */
export function stopWordsOf(text: string): ReadonlySet<string> {
  const list = remembered.get(text) ?? findList(text)
  if (remembered.size >= maxRemembered) remembered.clear()
  remembered.set(text, list)
  return list
}

function findList(text: string): ReadonlySet<string> {
  // A lone letter is a word in some languages, and a name in all.
  const words = (text.toLowerCase().match(/\p{L}{2,}/gu) ?? []).slice(0, maxWords)
  let best = { list: lists[0]!, count: -1 }
  for (const list of lists) {
    const count = words.filter((word) => list.has(word)).length
    if (count > best.count) best = { list, count }
  }
  return best.list
}
