// The part of the environment that every process started by a test receives: where programs are, and the caches of compiled code
// (test/servers/setup.ts).

const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env

export const nodeEnv = { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS }
