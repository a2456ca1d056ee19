// Keeps ONNX Runtime from reporting to its vendor and from writing to the user's folder. Import it before the runtime.
import { isMainThread } from 'node:worker_threads'

/**
 * The runtime reads the environment of the process. A worker thread has a copy and cannot change it, so the thread that
 * starts the worker imports this file, and the worker refuses to load the runtime if it did not.
 */
for (const name of ['ORT_DISABLE_TELEMETRY', 'ORT_TELEMETRY_DISABLED']) {
  if (isMainThread) process.env[name] = '1'
  else if (process.env[name] !== '1') throw new Error(`${name} is not set in the environment of the process`)
}
