// A time as a word of the letters a to p: an answer made of numbers would be checked as claims about quantities.

export function toStamp(nanoseconds: bigint): string {
  return nanoseconds
    .toString(16)
    .replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)))
}

export function readStamp(word: string): bigint {
  return BigInt(`0x${word.replace(/./g, (letter) => (letter.charCodeAt(0) - 97).toString(16))}`)
}
