// Readers of arguments and options. Each throws InvalidArgumentError, which commander prints with the argument's name.
import { InvalidArgumentError } from 'commander'

export function readNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}

export function readCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.')
  return Number(text)
}

/** Checked before a project is made, so that a typing error does not leave one without a source. */
export function readAddress(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new InvalidArgumentError('It must be an http or https address.')
}

export function readTime(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be an RFC 3339 time.')
  return time
}

export function readSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new InvalidArgumentError('It must be on or off.')
}

export function readDays(text: string): number | string {
  if (text === 'none') return text
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1, or none.')
}
