// A time as a word of the letters a to p, because an answer made of numbers would be checked as claims about quantities.

export function toStamp(nanoseconds: bigint): string {
  return nanoseconds
    .toString(16)
    .replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)))
}

/** The word of an answer's first token: when it was written, and when the request for it arrived. */
export function toFirstStamp(written: bigint, came: bigint): string {
  return `${toStamp(written)}z${toStamp(came)}`
}

/** The stamps of all tokens in a partial frame, which may contain several. */
export function readStamps(frame: string): { written: bigint; came: bigint | undefined }[] {
  const message = /"message":"([^"]*)"/.exec(frame)?.[1] ?? ''
  return [...message.matchAll(/\b([a-p]{8,})(?:z([a-p]{8,}))?\b/g)].map(([, written, came]) => ({
    written: readStamp(written!),
    came: came === undefined ? undefined : readStamp(came),
  }))
}

function readStamp(word: string): bigint {
  return BigInt(`0x${word.replace(/./g, (letter) => (letter.charCodeAt(0) - 97).toString(16))}`)
}
