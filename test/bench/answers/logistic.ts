// Logistic regression with a little weight decay, by gradient descent: for a handful of fields and some hundred samples.

export interface Sample<Field extends string> {
  values: Record<Field, number>
  isTrue: boolean
  /** 1 by default. */
  weight?: number
}

export interface Logistic<Field extends string> {
  weights: Record<Field | 'bias', number>
  probability(values: Record<Field, number>): number
}

const steps = 4_000
const rate = 0.5
const decay = 0.01

/** True and false samples have the same total weight, whatever their numbers. */
export function fitLogistic<Field extends string>(
  samples: Sample<Field>[],
  fields: Field[],
): Logistic<Field> {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const centres = fields.map((field) => mean(samples.map(({ values }) => values[field])))
  const widths = fields.map(
    (field, n) => Math.sqrt(mean(samples.map(({ values }) => (values[field] - centres[n]!) ** 2))) || 1,
  )
  const inputs = samples.map(({ values }) =>
    fields.map((field, n) => (values[field] - centres[n]!) / widths[n]!),
  )
  const sumOf = (truth: boolean) =>
    samples.reduce((sum, { isTrue, weight = 1 }) => sum + (isTrue === truth ? weight : 0), 0)
  const sums = { true: sumOf(true), false: sumOf(false) }
  const shares = samples.map(({ isTrue, weight = 1 }) => (0.5 * weight) / sums[`${isTrue}`])
  let bias = 0
  const slopes = fields.map(() => 0)
  for (let step = 0; step < steps; step++) {
    let biasGradient = 0
    const gradients = slopes.map((slope) => decay * slope)
    for (const [at, input] of inputs.entries()) {
      const error = shares[at]! * (sigmoid(bias + dot(slopes, input)) - Number(samples[at]!.isTrue))
      biasGradient += error
      for (const [n, value] of input.entries()) gradients[n]! += error * value
    }
    bias -= rate * biasGradient
    for (const [n, gradient] of gradients.entries()) slopes[n]! -= rate * gradient
  }
  const scaled = slopes.map((slope, n) => slope / widths[n]!)
  const weights = Object.fromEntries([
    ['bias', bias - dot(scaled, centres)],
    ...fields.map((field, n) => [field, scaled[n]!]),
  ]) as Record<Field | 'bias', number>
  return {
    weights,
    // The weights at the time of the call; the bias is not scaled.
    probability: (values) =>
      sigmoid(
        Object.entries<number>(weights).reduce(
          (sum, [field, weight]) => sum + weight * (values[field as Field] ?? 1),
          0,
        ),
      ),
  }
}

function dot(one: number[], other: number[]): number {
  return one.reduce((sum, value, n) => sum + value * other[n]!, 0)
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value))
}
