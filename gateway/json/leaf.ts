// One JSON value → one value of a message: text, numbers, enums, times, free objects.
import { type DescField, type JsonObject, ScalarType } from '@bufbuild/protobuf'
import { StructSchema, TimestampSchema, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { enumNames, enumNumber } from './shape.ts'

/** The value as a message holds it, or a phrase that says what is wrong. */
type Leaf = { value: unknown } | { fault: string }

type Reader = (value: unknown) => Leaf

const maxInt32 = 2 ** 31 - 1
const timeForm =
  /^([1-9]\d{3})-(0[1-9]|1[0-2])-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

const text = reader('must be a string', (value) => typeof value === 'string')
const truth = reader('must be true or false', (value) => typeof value === 'boolean')
const number = reader('must be a number', (value) => typeof value === 'number' && Number.isFinite(value))
const whole = reader('must be a whole number', (value) => Number.isInteger(value))
const object = reader(
  'must be an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

const scalars: Partial<Record<ScalarType, Reader>> = {
  [ScalarType.STRING]: (value) => {
    const read = text(value)
    return typeof value === 'string' && !value.isWellFormed() ? { fault: 'must be valid Unicode' } : read
  },
  [ScalarType.BOOL]: truth,
  [ScalarType.DOUBLE]: number,
  [ScalarType.INT32]: (value) => {
    const read = whole(value)
    const isGreat = 'value' in read && Math.abs(value as number) > maxInt32
    return isGreat ? { fault: `must be at most ${maxInt32}, either way` } : read
  },
}

const messages: Record<string, Reader> = {
  [TimestampSchema.typeName]: (value) => {
    const moment = typeof value === 'string' ? readTime(value) : null
    return moment
      ? { value: timestampFromDate(moment) }
      : { fault: 'must be a time such as 2026-01-31T12:00:00Z' }
  },
  [StructSchema.typeName]: (value) => {
    const read = object(value)
    return 'value' in read && !isWellFormed(value as JsonObject) ? { fault: 'must be valid Unicode' } : read
  },
}

/** Whether the field's values are read whole: everything but messages of our own. */
export function isLeaf(field: DescField): boolean {
  return !field.message || field.message.typeName in messages
}

/** Reads one value of the field (an item where the field is a list). */
export function readLeaf(field: DescField, value: unknown): Leaf {
  if (field.enum) {
    const number = enumNumber(field.enum, value)
    return number === undefined
      ? { fault: `must be one of ${enumNames(field.enum).join(', ')}` }
      : { value: number }
  }
  const read = field.message ? messages[field.message.typeName] : scalars[field.scalar as ScalarType]
  if (!read) throw new Error(`${field} has a type that no REST body carries`)
  return read(value)
}

function reader(fault: string, isGood: (value: unknown) => boolean): Reader {
  return (value) => (isGood(value) ? { value } : { fault })
}

/** RFC 3339. Date alone would take 31 February for 3 March. */
function readTime(text: string): Date | null {
  const match = timeForm.exec(text)
  if (!match) return null
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number]
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return day >= 1 && day <= lastDay ? new Date(text.toUpperCase()) : null
}

/** Names and texts of a free object, however deep. */
function isWellFormed(value: JsonObject): boolean {
  return JSON.stringify(value).search(/\\ud[89a-f][0-9a-f]{2}/) < 0
}
