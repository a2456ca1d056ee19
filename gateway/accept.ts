// Reads a header of the `Accept` family: names with their quality values.

/** Lower-case names by their quality, highest first; of equal ones the first in the header. A quality that is no number is 0. */
export function readAccept(header: string): Map<string, number> {
  const items = header.split(',').map((item): [string, number] => {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    return [name!, q === undefined ? 1 : Number(q.slice(2)) || 0]
  })
  return new Map(items.sort(([, a], [, b]) => b - a))
}
