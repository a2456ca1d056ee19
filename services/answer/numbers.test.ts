import { describe, expect, it } from 'vitest'
import { holdsQuantity, readQuantities, readUnits } from './numbers.ts'

const told = (text: string, language = 'en') =>
  readQuantities(text, language).map(({ value, measure }) => measure ?? value)
const holds = (text: string, claim: string, language = 'en') =>
  readQuantities(claim, language).every((quantity) =>
    holdsQuantity(readQuantities(text, language), readUnits(text, language), quantity),
  )

describe('readQuantities', () => {
  const cases: [language: string, text: string, quantities: string[]][] = [
    ['en', '4MB, 4 megabytes, four megabytes, 4096 KiB', Array(4).fill('byte 4194304')],
    ['en', 'five minutes or 300 s', ['second 300', 'second 300']],
    ['en', 'twenty-five and 25 listeners', ['25']],
    ['en', 'fifteen is not fifty', ['15', '50']],
    ['en', '1,024.5 and 5% and five percent', ['1024.5', 'percent 5', 'percent 5']],
    ['en', 'version 3.11.2', ['3.11.2']],
    ['en', 'one of them waits one minute', ['second 60']],
    ['en', 'between 1-5, at -1', ['1', '5', '-1']],
    ['en', 'UTF-8, sha256, utf8mb4 and x2', []],
    ['de', '1.024 Byte, 0,5 Stunden, zwanzig Tage', ['byte 1024', 'second 1800', 'second 1728000']],
    ['de', 'dreißig Sekunden, zwei Prozent', ['second 30', 'percent 2']],
    ['fr', 'quinze octets, quatre-vingt-dix jours, 1,5 heure', ['byte 15', 'second 7776000', 'second 5400']],
    ['ja', '5 分', ['second 300']],
  ]
  it.each(cases)('%s: %s', (language, text, quantities) => {
    expect(told(text, language)).toEqual(quantities)
  })
})

describe('holdsQuantity', () => {
  it('takes the same amount in another unit or spelling', () => {
    expect(holds('It waits 300 seconds.', 'after five minutes')).toBe(true)
    expect(holds('It waits 30 seconds.', 'after 30 minutes')).toBe(false)
    expect(holds('It waits fifteen minutes.', 'after fifty minutes')).toBe(false)
  })

  it('takes a number without a unit where the text names the unit', () => {
    expect(holds('Timeout in seconds. Default: 30.', 'after 30 seconds')).toBe(true)
    expect(holds('Timeout in minutes. Default: 30.', 'after 30 seconds')).toBe(false)
    expect(holds('It takes 8 connections.', '8')).toBe(true)
    expect(holds('It takes 8 seconds.', '8')).toBe(true)
  })
})
