// Greetings and thanks ask for nothing: they are answered in kind, without a search and without a model.

const words =
  /^(?:hi|hello|hey|hallo|hola|bonjour|ciao|servus|(?:good|guten?)\s+(?:morning|afternoon|evening|day|tag|morgen|abend)|there)$/iu
const thanks =
  /^(?:thanks?|thank\s+you|thx|ty|cheers|merci|danke|gracias|grazie|a\s+lot|so\s+much|very\s+much|great|perfect|awesome|nice|cool|ok|okay|got\s+it|bye|goodbye)$/iu

const greeting = 'Hello! Ask me anything about this documentation.'
const welcome = 'You are welcome. Ask me whenever something else about this documentation comes up.'

/** What is said to a message that holds nothing but a courtesy; null to any other. */
export function toCourtesy(message: string): string | null {
  const parts = message
    .split(/[\s.,;:!?…]+/u)
    .filter((part) => part !== '')
    .join(' ')
  if (parts.length > 40) return null
  if (consistsOf(parts, words)) return greeting
  return consistsOf(parts, thanks) ? welcome : null
}

const opening =
  /^(?:(?:hi|hello|hey|hallo|(?:good\s+(?:morning|afternoon|evening|day)))(?:\s+(?:there|all|everyone|team))?|ok(?:ay)?|thanks|thank\s+you|great|please)\s*[,.!;:\n–-]+\s*/iu
const closing =
  /[\s,.;!–-]+(?:(?:many\s+)?thanks(?:\s+(?:a\s+lot|in\s+advance|so\s+much))?|thank\s+you(?:\s+(?:very\s+much|in\s+advance|so\s+much))?|thx|cheers|please)\s*[.!)]*$/iu

/** The question without what is said before and behind it for courtesy: `Hi, what is X? Thanks!` → `What is X?`. */
export function withoutCourtesy(message: string): string {
  const without = message.replace(opening, '').replace(closing, '').trim()
  return without === '' ? message : without
}

/** Whether the text is a row of such phrases, each of one to three words. */
function consistsOf(text: string, phrase: RegExp): boolean {
  const all = text.split(' ')
  for (let at = 0; at < all.length; ) {
    const length = [3, 2, 1].find((count) => phrase.test(all.slice(at, at + count).join(' ')))
    if (length === undefined) return false
    at += length
  }
  return all[0] !== ''
}
