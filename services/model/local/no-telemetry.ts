// Disables ONNX Runtime's telemetry, and its writing to the user's folder. Import it before the runtime.
import { isMainThread } from 'node:worker_threads'

/**
 * The runtime reads the environment of the process, which a worker thread cannot change. So the main thread imports this
 * file before it starts the worker, and in the worker this file throws if it did not.
 */
for (const name of ['ORT_DISABLE_TELEMETRY', 'ORT_TELEMETRY_DISABLED']) {
  if (isMainThread) process.env[name] = '1'
  else if (process.env[name] !== '1') throw new Error(`${name} is not set in the environment of the process`)
}
