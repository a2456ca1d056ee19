// The language that a question is put in, where its little words or its script tell: what Lectern says of its own accord
// is said in it. In doubt English.
import { fold } from '../index/fold.ts'

/** Folded: without accents. */
const littleWords = {
  en: `the a an of to in is are do does can how what why when where which who i my me you your it this that not with for on from
    and or if there be have has was will should would could please about`,
  de: `der die das den dem des ein eine einen einem einer ist sind wie was warum wann wo welche welcher welches wer ich mein meine
    mich mir du sie es nicht mit fur auf von aus und oder wenn man kann konnen wird werden zu zum zur im beim uber gibt habe hat
    muss soll bitte geht mache auch nach`,
  fr: `le la les un une des du de est sont comment quoi que quel quelle quels pourquoi quand ou qui je mon ma mes moi vous votre ce
    cette ne pas avec pour sur dans et si on peut puis y a il faut faire fait dois au aux est-ce qu sans`,
  es: `el la los las un una de del es son como que cual cuales por donde quien yo mi mis me tu su se no con para en y o si puedo
    puede hay hacer hago cuando este esta esto al lo sin debo`,
  it: `il lo la gli le un una di del della dei delle e sono come che cosa quale quali perche quando dove chi io mio mia mi si non
    con per su da in nel nella posso puo fare faccio questo questa ho devo al senza c'e ci`,
  pt: `o a os as um uma de do da dos das e sao como que qual quais por quando onde quem eu meu minha me voce se nao com para em no
    na nos nas posso pode fazer faco este esta isso ha devo ao sem`,
  nl: `de het een van is zijn hoe wat waarom wanneer waar welke wie ik mijn me je u jouw niet met voor op uit en of als kan kun
    kunnen wordt worden te naar er dit dat deze bij moet heb heeft gaat aan om zonder`,
} as const

export type QuestionLanguage = keyof typeof littleWords | 'ja' | 'zh'

const languagesOf = new Map<string, QuestionLanguage[]>()
for (const [language, words] of Object.entries(littleWords)) {
  for (const word of words.split(/\s+/u))
    languagesOf.set(word, [...(languagesOf.get(word) ?? []), language as QuestionLanguage])
}

/** So many little words tell a language, and so much of the words at the least. */
const fewest = 2
const leastShare = 0.25

/**
 * `Wie lege ich ein Projekt an?` → wie, ich, ein: German. `Como faço isso?` → Portuguese three, Spanish one. What two
 * languages share as much of, and names alone, are English.
 */
export function languageOfQuestion(question: string): QuestionLanguage {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(question)) return 'ja'
  if (/\p{Script=Han}/u.test(question)) return 'zh'
  const words = fold(question.replace(/`[^`]*`/gu, ' ')).match(/\p{L}+(?:['-]\p{L}+)*/gu) ?? []
  const counts = new Map<QuestionLanguage, number>()
  for (const word of words) {
    // French and Italian join them: `l'index`, `qu'est-ce`.
    for (const language of languagesOf.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  const [best, second] = [...counts].sort((a, b) => b[1] - a[1])
  if (best === undefined || best[1] < fewest || best[1] < leastShare * words.length) return 'en'
  return second !== undefined && second[1] === best[1] ? 'en' : best[0]
}
