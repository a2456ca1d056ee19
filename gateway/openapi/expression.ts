// Rules that the contract writes as expressions (CEL) → keywords of JSON Schema, so that a description tells them to programs
// as well as to people.
import { parse } from '@bufbuild/cel'

/** Keywords of JSON Schema. */
export type Schema = Record<string, unknown>

/** true: nothing is asked; false: nothing will do. */
export type Demand = Schema | boolean

type Node = ReturnType<typeof parse>['expr']

/**
 * Reads a rule on a value. `type`: the number of the type that the value's message has, where the schema is for that one.
 * Null where the rule is none that JSON Schema can tell: its sentence does.
 *
 *   this.matches('^[a-z]+$') && !this.contains('&')  →  {allOf: [{pattern: '^[a-z]+$'}, {pattern: '^[^&]*$'}]}
 *   this.type != 6 || has(this.space_key)            →  of type 6 {required: ['space_key'], …}, of others true
 */
export function toDemand(rule: string, type?: number): Demand | null {
  return read(parse(rule).expr, type)
}

/** The number that `this != 2` excludes; null: the rule is another. */
export function excludedBy(rule: string): number | null {
  const { case: kind, value } = parse(rule).expr.exprKind
  if (kind !== 'callExpr' || value.function !== '_!=_' || !isThis(value.args[0]!)) return null
  const number = constantOf(value.args[1]!)
  return typeof number === 'number' ? number : null
}

/** Both. */
export function both(one: Demand, other: Demand): Demand {
  if (one === false || other === false) return false
  if (one === true) return other
  if (other === true) return one
  const isApart = Object.keys(one).every((name) => !(name in other))
  if (isApart) return { ...one, ...other }
  return { allOf: [...((one.allOf as Schema[]) ?? [one]), ...((other.allOf as Schema[]) ?? [other])] }
}

function either(one: Demand, other: Demand): Demand {
  if (one === true || other === true) return true
  if (one === false) return other
  return other === false ? one : { anyOf: [one, other] }
}

function read(node: Node, type: number | undefined): Demand | null {
  const { case: kind, value } = node.exprKind
  if (kind === 'selectExpr' && value.testOnly) return present(value.field)
  if (kind !== 'callExpr') return null
  const { function: name, target, args } = value
  const all = () => args.map((each) => read(each, type))
  switch (name) {
    case '_&&_':
      return join(all(), both)
    case '_||_':
      return readEither(node, type)
    case '!_':
      return not(args[0]!, type)
    case '@in':
      return fieldOf(args[0]!) === 'type' && type !== undefined ? listOf(args[1]!).includes(type) : null
    case '_!=_':
      return readUnequal(args[0]!, args[1]!, type)
    case '_<=_': {
      const most = constantOf(args[1]!)
      return isSize(args[0]!) && typeof most === 'number' ? { maxLength: most } : null
    }
    case '_>_':
      return constantOf(args[1]!) === 0 ? readSum(args[0]!) : null
    case 'matches':
      return on(target, { pattern: toPattern(constantOf(args[0]!) as string) })
    default:
      return null
  }
}

/** Of `!has(this.url) || this.url.matches(…)` the first says nothing: a pattern asks nothing of what is not there. */
function readEither(node: Node, type: number | undefined): Demand | null {
  const choices = choicesOf(node)
  const absent = choices.map(absentField).find((field) => field !== null)
  const others = choices.filter((choice) => absentField(choice) === null).map((choice) => read(choice, type))
  const whole = join(others, either)
  const isPattern = whole !== null && typeof whole === 'object' && !whole.required && !whole.anyOf
  if (absent === undefined || whole === true) return whole
  return isPattern && Object.keys(whole.properties as Schema).join() === absent ? whole : null
}

function choicesOf(node: Node): Node[] {
  const { case: kind, value } = node.exprKind
  return kind === 'callExpr' && value.function === '_||_' ? value.args.flatMap(choicesOf) : [node]
}

function readUnequal(one: Node, other: Node, type: number | undefined): Demand | null {
  const value = constantOf(other)
  const field = fieldOf(one)
  if (field === 'type') return type === undefined ? null : type !== value
  if (field && value === '')
    return { required: [field], properties: { [field]: { minLength: 1, not: { type: 'null' } } } }
  const [first, second] = [presentField(one), presentField(other)]
  return first && second ? { oneOf: [present(first), present(second)] } : null
}

/** `this.urls.size() + this.sitemaps.size()`, where one of them must not be empty. */
function readSum({ exprKind: { case: kind, value } }: Node): Demand | null {
  if (kind !== 'callExpr') return null
  if (value.function === '_+_') return join(value.args.map(readSum), either)
  const field = value.function === 'size' && value.target ? fieldOf(value.target) : null
  return field ? { required: [field], properties: { [field]: { minItems: 1 } } } : null
}

function not(node: Node, type: number | undefined): Demand | null {
  const { case: kind, value } = node.exprKind
  if (kind === 'callExpr' && value.function === 'matches') {
    const [, characters] = /^\[([^\]^][^\]]*)\]$/.exec(constantOf(value.args[0]!) as string) ?? []
    return characters === undefined ? null : on(value.target, { pattern: `^[^${characters}]*$` })
  }
  if (kind === 'callExpr' && value.function === 'contains') {
    return on(value.target, { pattern: `^[^${constantOf(value.args[0]!)}]*$` })
  }
  const demand = read(node, type)
  return typeof demand === 'boolean' ? !demand : null
}

/** The pattern of RE2 as ECMAScript has it: `(?i)` for the whole is told letter by letter. */
export function toPattern(pattern: string): string {
  const [, start, rest] = /^(\^?)\(\?i\)(.*)$/.exec(pattern) ?? []
  if (rest === undefined) return pattern
  return (
    start + rest.replace(/(?<!\\)[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
  )
}

function present(field: string): Schema {
  return { required: [field], properties: { [field]: { not: { type: 'null' } } } }
}

/** A demand on what the node names: the value itself, or a field of it. */
function on(node: Node | undefined, schema: Schema): Schema | null {
  if (node && isThis(node)) return schema
  const field = node && fieldOf(node)
  return field ? { properties: { [field]: schema } } : null
}

function join(demands: (Demand | null)[], how: (one: Demand, other: Demand) => Demand): Demand | null {
  const [first, ...others] = demands
  return others.reduce<Demand | null>(
    (whole, each) => (whole === null || each === null ? null : how(whole, each)),
    first!,
  )
}

function isThis({ exprKind: { case: kind, value } }: Node): boolean {
  return kind === 'identExpr' && value.name === 'this'
}

function isSize({ exprKind: { case: kind, value } }: Node): boolean {
  return (
    kind === 'callExpr' && value.function === 'size' && value.target !== undefined && isThis(value.target)
  )
}

/** `url` of `this.url`. */
function fieldOf({ exprKind: { case: kind, value } }: Node): string | null {
  return kind === 'selectExpr' && !value.testOnly && value.operand && isThis(value.operand)
    ? value.field
    : null
}

/** `url` of `has(this.url)`. */
function presentField({ exprKind: { case: kind, value } }: Node): string | null {
  return kind === 'selectExpr' && value.testOnly ? value.field : null
}

/** `url` of `!has(this.url)`. */
function absentField({ exprKind: { case: kind, value } }: Node): string | null {
  return kind === 'callExpr' && value.function === '!_' ? presentField(value.args[0]!) : null
}

function listOf({ exprKind: { case: kind, value } }: Node): unknown[] {
  return kind === 'listExpr' ? value.elements.map(constantOf) : []
}

function constantOf({ exprKind: { case: kind, value } }: Node): unknown {
  if (kind !== 'constExpr') return undefined
  const constant = value.constantKind.value
  return typeof constant === 'bigint' ? Number(constant) : constant
}
