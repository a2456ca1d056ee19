// Weights of evidence, fitted to rank right candidates before the others of their question.

/** The evidence for each candidate of a question, in a fixed order of signs, and which candidates are right. */
export interface Example {
  group: string
  evidence: Float64Array[]
  isRight: boolean[]
}

/** Weight decay: small, because there are few weights. */
const decay = 0.003
const steps = 400
/** Adam (Kingma and Ba, 2014) with its own defaults, except a larger step. */
const adam = { step: 0.1, mean: 0.9, variance: 0.999, epsilon: 1e-8 }

/**
 * Maximizes the mean log of the share that right candidates have of their question's `exp(weights · evidence)` (ListNet's
 * top-one likelihood, Cao and others, 2007), each group weighing the same. Questions without a right candidate have no effect.
 *
 * Two candidates, evidence [1] and [0], the first right: the share is e^w / (e^w + 1), which grows with w until decay stops it.
 */
export function train(examples: Example[], signs: number): Float64Array {
  const useful = examples.filter(({ isRight }) => isRight.includes(true))
  const sizes = new Map<string, number>()
  for (const { group } of useful) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const weights = new Float64Array(signs)
  const mean = new Float64Array(signs)
  const variance = new Float64Array(signs)
  for (let step = 1; step <= steps; step++) {
    const slope = weights.map((weight) => decay * weight)
    for (const example of useful)
      addSlope(slope, weights, example, 1 / (sizes.size * sizes.get(example.group)!))
    for (let at = 0; at < signs; at++) {
      mean[at] = adam.mean * mean[at]! + (1 - adam.mean) * slope[at]!
      variance[at] = adam.variance * variance[at]! + (1 - adam.variance) * slope[at]! ** 2
      const direction = mean[at]! / (1 - adam.mean ** step)
      const scale = Math.sqrt(variance[at]! / (1 - adam.variance ** step)) + adam.epsilon
      weights[at]! -= (adam.step * direction) / scale
    }
  }
  return weights
}

function addSlope(
  slope: Float64Array,
  weights: Float64Array,
  { evidence, isRight }: Example,
  worth: number,
): void {
  const sums = evidence.map((row) => dot(weights, row))
  const most = Math.max(...sums)
  const powers = sums.map((sum) => Math.exp(sum - most))
  const all = powers.reduce((sum, power) => sum + power, 0)
  const right = powers.reduce((sum, power, at) => sum + (isRight[at] ? power : 0), 0)
  for (const [at, row] of evidence.entries()) {
    const excess = powers[at]! / all - (isRight[at] ? powers[at]! / right : 0)
    for (let sign = 0; sign < row.length; sign++) slope[sign]! += worth * excess * row[sign]!
  }
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}
