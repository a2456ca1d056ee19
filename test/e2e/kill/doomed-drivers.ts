// Wraps services/drivers.ts: any call of the store and the index may kill the process.
import * as drivers from '../../../services/drivers.ts'
import { createDoomWatch } from './doom.ts'

export * from '../../../services/drivers.ts'

const { around } = createDoomWatch(process.env.LECTERN_DATA!)

type Method = (...args: unknown[]) => Promise<unknown>

export const openStore: typeof drivers.openStore = async (...args) => {
  const { ping, close, ...parts } = await drivers.openStore(...args)
  const doomed = Object.entries(parts).map(([name, part]) => [name, doomedPart(name, part)])
  return { ...Object.fromEntries(doomed), ping, close }
}

export const openIndex: typeof drivers.openIndex = async (...args) => {
  const { versions, ping, close, ...methods } = await drivers.openIndex(...args)
  return { ...(doomedPart('index', methods) as typeof methods), versions, ping, close }
}

function doomedPart(name: string, part: object): object {
  const methods = Object.entries(part as Record<string, Method>)
  return Object.fromEntries(
    methods.map(([method, work]) => [
      method,
      (...args: unknown[]) => around(`${name}.${method}`, () => work(...args)),
    ]),
  )
}
