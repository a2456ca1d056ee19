// What a question asks for, as far as its words tell: it decides which sentences are worth more.
import { type ClaimTerm, readClaim } from '../../answer/claim-terms.ts'

export interface Question {
  terms: ClaimTerm[]
  kind: 'how' | 'why' | 'what' | 'number' | 'other'
  /** What is to be done, where that is asked: `kill` of `How do I kill a query?`. */
  action: ClaimTerm | null
}

const kinds: [kind: Question['kind'], form: RegExp][] = [
  [
    'number',
    /^\s*(?:how (?:many|much|long|often|big|large|far)|what is the (?:default|maximum|minimum|limit))\b/iu,
  ],
  ['why', /^\s*why\b|\breason\b|\bcause[sd]?\b/iu],
  [
    'how',
    /\bhow (?:do|does|can|could|should|would|to|is|are)\b|\b(?:way|steps|example|command) (?:to|of|for)\b/iu,
  ],
  ['what', /^\s*(?:what|which|who|when|where)\b|\b(?:difference|meaning|mean)\b/iu],
  /** A question that begins with a verb or a name asks for a way or for what the name is. */
  [
    'how',
    /^\s*(?:add|ask|build|call|change|choose|connect|convert|copy|create|delete|disable|download|enable|find|get|go|insert|install|join|kill|let|list|load|make|move|open|parse|print|read|rebuild|remove|rename|replace|run|save|search|send|set|skip|sort|split|start|stop|tell|turn|update|use|wait|write)\b/iu,
  ],
]

/** `how to`, `how do I`, or the verb at once. */
const asksToDo =
  /\bhow (?:to|(?:do|can|could|should|would) (?:i|we|you|one))\b|^\s*(?!(?:how|what|which|who|why|when|where|is|are|do|does|can|could|should|will)\b)\p{L}/iu

export function readQuestion(text: string): Question {
  const kind = kinds.find(([, form]) => form.test(text))?.[0] ?? 'other'
  const { terms } = readClaim(text)
  const first = terms[0]
  const isAction = kind === 'how' && first !== undefined && !first.isName && asksToDo.test(text)
  return { terms, kind, action: isAction ? first : null }
}

const cues: Partial<Record<Question['kind'], RegExp>> = {
  why: /\b(?:because|since|reason|due to|so that|therefore|in order to|causes?|means that|as a result)\b/iu,
  number: /\d|\b(?:zero|one|two|three|four|five|ten|unlimited|no limit)\b/iu,
  how: /^(?:use|call|set|run|pass|add|create|specify|give|write|to \p{L}+|you can|if you want)\b|\b(?:you can|can be (?:used|done|set)|use the|using|by (?:calling|setting|passing|using|adding))\b/iu,
  what: /\b(?:is|are|means|refers to|returns?|provides?|specifies|determines|sets|controls)\b/iu,
}

export function hasCue({ kind }: Question, sentence: string): boolean {
  return cues[kind]?.test(sentence) ?? false
}
