// Creates PDF files, including invalid ones: text is a dictionary, bytes are a stream.
import { deflateSync } from 'node:zlib'

/** Objects from number 1 on, the first the catalog. */
export function makePdf(objects: (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const places: number[] = []
  let at = parts[0]!.length
  const add = (part: Buffer) => {
    parts.push(part)
    at += part.length
  }
  for (const [n, object] of objects.entries()) {
    places.push(at)
    if (typeof object === 'string') add(Buffer.from(`${n + 1} 0 obj\n<< ${object} >>\nendobj\n`))
    else {
      const packed = deflateSync(object)
      add(Buffer.from(`${n + 1} 0 obj\n<< /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`))
      add(packed)
      add(Buffer.from('\nendstream\nendobj\n'))
    }
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const start = at
  const size = objects.length + 1
  add(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows}`))
  add(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`))
  return Buffer.concat(parts)
}
