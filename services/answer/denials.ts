// Words that deny: in every language a small closed class, of which nothing new is made.
import { fold } from '../index/fold.ts'

interface Denials {
  /** They deny a statement. Folded. */
  words: string
  /** It denies what follows it alone: `removed without asking` is removed. */
  without: string
}

/** By ISO 639-1. English joins `n't` to verbs too, French `n'`. */
const denials: Record<string, Denials> = {
  en: { words: 'not no never none nothing nobody nowhere neither nor cannot', without: 'without' },
  de: {
    words:
      'nicht kein keine keinen keinem keiner keines nie niemals nichts niemand niemanden nirgends nirgendwo weder',
    without: 'ohne',
  },
  fr: { words: 'ne n pas jamais rien aucun aucune ni', without: 'sans' },
  es: { words: 'no nunca jamas nada nadie ningun ninguno ninguna ni tampoco', without: 'sin' },
  it: { words: 'non mai niente nulla nessun nessuno nessuna ne', without: 'senza' },
  pt: { words: 'nao nunca jamais nada ninguem nenhum nenhuma nem', without: 'sem' },
  nl: { words: 'niet geen nooit niets niemand nergens noch', without: 'zonder' },
}
/** `statement`: as a whole or in a clause; `part`: by a `without` alone. Null in a language whose denials are not known. */
export function denialOf(text: string, language: string): 'statement' | 'part' | 'none' | null {
  const own = denials[language]
  if (own === undefined) return null
  const denying = own.words.split(' ')
  const words: string[] = fold(text).match(/[\p{L}']+/gu) ?? []
  const isJoined = (word: string) =>
    (language === 'en' && word.endsWith("n't")) || (language === 'fr' && word.startsWith("n'"))
  if (words.some((word) => denying.includes(word) || isJoined(word))) return 'statement'
  return words.includes(own.without) ? 'part' : 'none'
}
